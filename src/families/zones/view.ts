/** Zones as the API shows them. */
import type { Static } from 'typebox'
import type { Zone as ZoneSchema } from './contract.ts'
import type { PrimaryNameserver, Zone } from './domain.ts'
import type { ZoneSettings } from './settings.ts'

export type WireZone = Static<typeof ZoneSchema>

/** A zone as the API shows it. Nobody has looked yet whether its parent delegates it to us. */
export function zoneToWire(
  { nameservers }: ZoneSettings,
  zone: Zone,
  primaries: readonly PrimaryNameserver[],
  isStale: boolean,
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
      delegated: [],
      delegation_last_check: null,
      delegation_status: 'unknown',
    },
    registrar: 'other',
    status: isStale ? 'error' : 'ok',
    record_count: zone.recordCount,
  }
}
