/** Locations through the API: read-only, straight from the catalogue. */
import type { Handlers } from '../../kernel/contract.ts'
import { notFound } from '../../kernel/errors.ts'
import { pageOf } from '../../kernel/listing.ts'
import type { Platform } from '../../platform.ts'
import type { locationEndpoints } from './contract.ts'
import { locationToWire } from './view.ts'

/** One handler for each endpoint. */
export function locationRoutes({ catalogue }: Platform): Handlers<typeof locationEndpoints> {
  return {
    async list({ query }) {
      const { name } = query
      const found = catalogue.locations.filter((location) => name === undefined || location.name === name)
      const { rows, pagination } = pageOf(found, query, (location, field) => location[field as 'id' | 'name'])
      return { locations: rows.map(locationToWire), meta: { pagination } }
    },

    async get({ params }) {
      const location = catalogue.locationById(params.id)
      if (!location) throw notFound('location', params.id)
      return { location: locationToWire(location) }
    },
  }
}
