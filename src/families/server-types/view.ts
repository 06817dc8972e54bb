/** Server types as the API shows them, with what a dated change has not yet removed. */

import type { Static } from 'typebox'
import { type Deprecation, type ServerType, serverTypeOrderable } from '../../catalogue/catalogue.ts'
import { inEffect, kernelChanges } from '../../kernel/contract/changes.ts'
import { constant } from '../../kernel/contract/constant.ts'
import { serverTypeChanges } from './changes.ts'
import type { ServerType as Wire } from './contract.ts'

type ServerTypeWire = Static<typeof Wire>

interface Forms {
  readonly current: ServerTypeWire
  readonly former: ServerTypeWire
}

/** Most server types never change while the server runs, so each of them is turned into its wire forms once. */
const made = new WeakMap<ServerType, Forms>()

/**
 * A server type as the API shows it at `now` (ms since the epoch): with `deprecated` until that field was removed.
 * All callers get the same object: embed it, never change it.
 */
export function serverTypeToWire(type: ServerType, now: number): ServerTypeWire {
  const forms = formsOf(type, now)
  const form = inEffect(kernelChanges.deprecated_field_removed, now) ? forms.current : forms.former
  return inEffect(serverTypeChanges.server_type_traffic_removed, now) ? form : { ...form, ...formerTraffic(type, now) }
}

function formsOf(type: ServerType, now: number): Forms {
  const known = made.get(type)
  if (known) return known
  const current = toCurrent(type, now)
  const forms = { current, former: { ...current, deprecated: current.deprecation !== null } }
  // What a type with a deprecation looks like depends on the time.
  if ([type, ...type.locations].every(({ deprecation }) => deprecation === null)) {
    made.set(type, { current: constant(forms.current), former: constant(forms.former) })
  }
  return forms
}

/** The free traffic of a type, while it was told here: null from August 2024 on, gone since November 2024. */
function formerTraffic(type: ServerType, now: number): Pick<ServerTypeWire, 'included_traffic'> {
  if (!inEffect(serverTypeChanges.server_type_traffic_added, now)) return {}
  const traffic = inEffect(serverTypeChanges.server_type_traffic_null, now)
    ? null
    : (type.prices[0]?.included_traffic ?? null)
  return { included_traffic: traffic }
}

/** A deprecation at `now` (ms since the epoch): nobody knows of it before it is announced. */
export function deprecationToWire(deprecation: Deprecation | null, now: number): Deprecation | null {
  if (deprecation === null || now < Date.parse(deprecation.announced)) return null
  return deprecation
}

function toCurrent(type: ServerType, now: number): ServerTypeWire {
  return {
    ...type,
    prices: [...type.prices],
    locations: type.locations.map((location) => {
      const deprecation = deprecationToWire(location.deprecation, now)
      return {
        ...location,
        deprecation,
        available: location.available && serverTypeOrderable(type, location.id, now),
        recommended: location.recommended && deprecation === null,
      }
    }),
    deprecation: deprecationToWire(type.deprecation, now),
  }
}
