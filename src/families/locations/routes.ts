/** Locations through the API: read-only, straight from the catalogue. */

import type { Location } from '../../catalogue/catalogue.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import { notFound } from '../../kernel/errors.ts'
import { pageOf } from '../../kernel/resource/listing.ts'
import type { Platform } from '../../platform.ts'
import { locationChanges } from './changes.ts'
import { type locationEndpoints, spelling } from './contract.ts'
import { locationToWire } from './view.ts'

/** One handler for each endpoint. */
export function locationRoutes({ catalogue, clock }: Platform): Handlers<typeof locationEndpoints> {
  const exists = ({ name }: Location) => name !== 'sin' || inEffect(locationChanges.location_sin_added, clock.now())
  return {
    async list({ query }) {
      const { name } = query
      const asked = (location: Location) => name === undefined || location.name === name
      const found = catalogue.locations.filter((location) => asked(location) && exists(location))
      const { rows, pagination } = pageOf(found, query, (location, field) => location[field as 'id' | 'name'])
      return { locations: rows.map(locationToWire), meta: { pagination } }
    },

    async get({ params }) {
      const location = catalogue.locationById(params.id)
      if (!location || !exists(location)) throw notFound(spelling.title, params.id)
      return { location: locationToWire(location) }
    },
  }
}
