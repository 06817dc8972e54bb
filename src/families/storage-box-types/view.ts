/** Types of Storage Boxes as the API shows them. */
import type { Static } from 'typebox'
import type { StorageBoxType } from '../../catalogue/catalogue.ts'
import { deprecationToWire } from '../server-types/reads.ts'
import type { StorageBoxType as Wire } from './contract.ts'

/** A type as the API shows it at `now` (ms since the epoch). */
export function storageBoxTypeToWire(type: StorageBoxType, now: number): Static<typeof Wire> {
  return { ...type, prices: [...type.prices], deprecation: deprecationToWire(type.deprecation, now) }
}
