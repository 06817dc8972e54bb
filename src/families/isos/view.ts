/** ISOs as the API shows them. */
import type { Static } from 'typebox'
import type { Iso } from '../../catalogue/catalogue.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import { deprecationToWire } from '../server-types/reads.ts'
import { isoChanges } from './changes.ts'
import type { Iso as Wire } from './contract.ts'

/** An ISO as the API shows it at `now` (ms since the epoch). */
export function isoToWire({ id, name, description, architecture, deprecation }: Iso, now: number): Static<typeof Wire> {
  return {
    id,
    name,
    description,
    type: 'public',
    architecture,
    deprecation: deprecationToWire(deprecation, now),
    ...(inEffect(isoChanges.iso_deprecated_removed, now) ? {} : { deprecated: deprecation?.unavailable_after ?? null }),
  }
}
