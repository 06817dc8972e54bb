/** Types of Storage Boxes through the API: read-only, straight from the catalogue. */
import { storageBoxTypeIsListed } from '../../catalogue/catalogue.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import { notFound } from '../../kernel/errors.ts'
import { pageOf } from '../../kernel/resource/listing.ts'
import type { Platform } from '../../platform.ts'
import { spelling, type storageBoxTypeEndpoints } from './contract.ts'
import { storageBoxTypeToWire } from './view.ts'

/** One handler for each endpoint. */
export function storageBoxTypeRoutes({ catalogue, clock }: Platform): Handlers<typeof storageBoxTypeEndpoints> {
  return {
    async list({ query }) {
      const { name } = query
      const now = clock.now()
      const found = catalogue.storage_box_types.filter(
        (type) => (name === undefined || type.name === name) && storageBoxTypeIsListed(type, now),
      )
      const { rows, pagination } = pageOf(found, query)
      return { storage_box_types: rows.map((type) => storageBoxTypeToWire(type, now)), meta: { pagination } }
    },

    async get({ params }) {
      const type = catalogue.storageBoxTypeById(params.id)
      if (!type) throw notFound(spelling.title, params.id)
      return { storage_box_type: storageBoxTypeToWire(type, clock.now()) }
    },
  }
}
