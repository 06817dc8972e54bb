/** Locations as the API shows them. */
import type { Static } from 'typebox'
import type { Location } from '../../catalogue/catalogue.ts'
import { constantFormOf } from '../../kernel/contract/constant.ts'
import type { Location as Wire } from './contract.ts'

type LocationWire = Static<typeof Wire>

/**
 * A location as the API shows it. Locations never change while the server runs, so all callers get the same object: embed it,
 * never change it.
 */
export const locationToWire = constantFormOf(({ infrastructure: _, ...shown }: Location): LocationWire => shown)
