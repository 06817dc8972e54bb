/** Server types through the API: read-only, straight from the catalogue. */
import { serverTypeIsListed } from '../../catalogue/catalogue.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import { notFound } from '../../kernel/errors.ts'
import { pageOf } from '../../kernel/resource/listing.ts'
import type { Platform } from '../../platform.ts'
import { type serverTypeEndpoints, spelling } from './contract.ts'
import { serverTypeToWire } from './view.ts'

/** One handler for each endpoint. */
export function serverTypeRoutes({ catalogue, clock }: Platform): Handlers<typeof serverTypeEndpoints> {
  return {
    async list({ query }) {
      const { name } = query
      const now = clock.now()
      const found = catalogue.server_types.filter(
        (type) => (name === undefined || type.name === name) && serverTypeIsListed(type, now),
      )
      const { rows, pagination } = pageOf(found, query)
      return { server_types: rows.map((type) => serverTypeToWire(type, now)), meta: { pagination } }
    },

    async get({ params }) {
      const type = catalogue.serverTypeById(params.id)
      if (!type) throw notFound(spelling.title, params.id)
      return { server_type: serverTypeToWire(type, clock.now()) }
    },
  }
}
