/** Zones as the API shows them. */
import type { Static } from 'typebox'
import type { Queries } from '../../kernel/data/db.ts'
import type { View, Viewer } from '../../kernel/resource/routes.ts'
import type { Platform } from '../../platform.ts'
import type { Zone as ZoneSchema } from './contract.ts'
import type { PrimaryNameserver, Zone } from './domain.ts'
import { noOrigin, openPrimaries, originsOf, withoutKeys } from './primaries/store.ts'
import type { ZoneSettings } from './settings.ts'

type WireZone = Static<typeof ZoneSchema>

/** Zones as the caller may see them: keys of their primaries are for those who may change them. */
export const zonesToWire =
  ({ secrets, settings }: Platform): View<Zone, WireZone> =>
  async (some, query, { scope, isReadOnly }) => {
    const origins = await originsOf(query, scope, some)
    return Promise.all(
      some.map(async (zone) => {
        const { primaries: sealed, status } = origins.get(zone.id) ?? noOrigin
        const primaries = isReadOnly ? withoutKeys(sealed) : await openPrimaries(query, secrets, scope, zone.id, sealed)
        return zoneToWire(settings.zones, zone, primaries, status)
      }),
    )
  }

/** One zone as the caller may see it. */
export async function shownZone(platform: Platform, query: Queries, viewer: Viewer, zone: Zone): Promise<WireZone> {
  return (await zonesToWire(platform)([zone], query, viewer))[0]!
}

/** A zone as the API shows it. */
function zoneToWire(
  { nameservers }: ZoneSettings,
  zone: Zone,
  primaries: readonly PrimaryNameserver[],
  status: WireZone['status'],
): WireZone {
  return {
    id: zone.id,
    name: zone.name,
    created: zone.created,
    ttl: zone.ttl,
    mode: zone.mode,
    primary_nameservers: primaries.map(({ address, port, tsigAlgorithm, tsigKey }) => ({
      address,
      port,
      tsig_algorithm: tsigAlgorithm,
      tsig_key: tsigKey,
    })),
    protection: { delete: zone.isProtected },
    labels: zone.labels,
    authoritative_nameservers: {
      assigned: [...nameservers],
      delegated: [...zone.delegation.delegated],
      delegation_last_check: zone.delegation.checked,
      delegation_status: zone.delegation.status,
    },
    registrar: 'other',
    status,
    record_count: zone.recordCount,
  }
}
