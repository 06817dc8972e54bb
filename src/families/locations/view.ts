/** Locations as the API shows them. */
import type { Static } from 'typebox'
import type { Location } from '../../catalogue/catalogue.ts'
import { constant } from '../../kernel/contract/constant.ts'
import type { Location as Wire } from './contract.ts'

type LocationWire = Static<typeof Wire>

/** Locations never change while the server runs, so each is turned into its wire form once. */
const made = new WeakMap<Location, LocationWire>()

/** A location as the API shows it. All callers get the same object: embed it, never change it. */
export function locationToWire(location: Location): LocationWire {
  let wire = made.get(location)
  if (!wire) {
    const { infrastructure: _, ...shown } = location
    wire = constant(shown)
    made.set(location, wire)
  }
  return wire
}
