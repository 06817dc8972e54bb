/** ISOs through the API: read-only, straight from the catalogue. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { notFound } from '../../kernel/errors.ts'
import { pageOf } from '../../kernel/resource/listing.ts'
import type { Platform } from '../../platform.ts'
import { type isoEndpoints, spelling } from './contract.ts'
import { selectIsos } from './domain.ts'
import { isoToWire } from './view.ts'

/** One handler for each endpoint. */
export function isoRoutes({ catalogue, clock }: Platform): Handlers<typeof isoEndpoints> {
  return {
    async list({ query }) {
      const now = clock.now()
      const { rows, pagination } = pageOf(selectIsos(catalogue.isos, query, now), query)
      return { isos: rows.map((iso) => isoToWire(iso, now)), meta: { pagination } }
    },

    async get({ params }) {
      const iso = catalogue.isoById(params.id)
      if (!iso) throw notFound(spelling.title, params.id)
      return { iso: isoToWire(iso, clock.now()) }
    },
  }
}
