/** Datacenters as the API showed them until October 2026. */
import type { Static } from 'typebox'
import type { Catalogue, Location } from '../../catalogue/catalogue.ts'
import { serverTypeOrderable } from '../../catalogue/catalogue.ts'
import { locationToWire } from '../locations/reads.ts'
import type { Datacenter as Wire } from './contract.ts'
import { datacenterOf } from './domain.ts'

/** The datacenter of a location as the API showed it, with what can be ordered there at `nowMs`. */
export function datacenterToWire(catalogue: Catalogue, location: Location, nowMs: number): Static<typeof Wire> {
  const supported = catalogue.server_types.filter((type) => type.locations.some(({ id }) => id === location.id))
  const orderable = supported.filter((type) => serverTypeOrderable(type, location.id, nowMs)).map((type) => type.id)
  return {
    ...datacenterOf(location),
    location: locationToWire(location),
    server_types: {
      available: orderable,
      available_for_migration: orderable,
      supported: supported.map((type) => type.id),
    },
  }
}
