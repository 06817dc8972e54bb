/**
 * Primaries of secondary zones at rest: their keys are secrets, sealed all together beside what may be read by anybody.
 * Who shows or uses the keys opens them.
 */
import type { Queries, Transaction } from '../../kernel/data/db.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { SecretPlace, Secrets } from '../../kernel/secrets/secrets.ts'
import type { PrimaryNameserver } from './domain.ts'
import type { ZoneSourceRow } from './tables.ts'

/** Primaries whose keys are still sealed. */
export interface SealedPrimaries {
  readonly nameservers: readonly Omit<PrimaryNameserver, 'tsigKey'>[]
  /** Null when none of them has a key. */
  readonly keys: string | null
}

const placeOf = (zoneId: number): SecretPlace => ({ table: 'zone_source', column: 'tsig_keys', id: zoneId })

/** The columns that hold the primaries of a zone. */
export async function sealPrimaries(
  tx: Transaction,
  secrets: Secrets,
  scope: ProjectScope,
  zoneId: number,
  primaries: readonly PrimaryNameserver[],
): Promise<Pick<ZoneSourceRow, 'nameservers' | 'tsig_keys'>> {
  const keys = primaries.map(({ tsigKey }) => tsigKey)
  const hasKeys = keys.some((key) => key !== null)
  return {
    nameservers: JSON.stringify(primaries.map(({ tsigKey: _, ...rest }) => rest)),
    tsig_keys: hasKeys ? await secrets.seal(tx, scope, placeOf(zoneId), JSON.stringify(keys)) : null,
  }
}

export function primariesFromRow(row: Pick<ZoneSourceRow, 'nameservers' | 'tsig_keys'>): SealedPrimaries {
  return { nameservers: JSON.parse(row.nameservers) as SealedPrimaries['nameservers'], keys: row.tsig_keys }
}

/** Primaries for those who may not see their keys. */
export function withoutKeys({ nameservers }: SealedPrimaries): PrimaryNameserver[] {
  return nameservers.map((nameserver) => ({ ...nameserver, tsigKey: null }))
}

/** Primaries with their keys. */
export async function openPrimaries(
  query: Queries,
  secrets: Secrets,
  scope: ProjectScope,
  zoneId: number,
  { nameservers, keys }: SealedPrimaries,
): Promise<PrimaryNameserver[]> {
  const opened = keys === null ? [] : JSON.parse(await secrets.open(query, scope, placeOf(zoneId), keys))
  return nameservers.map((nameserver, index) => ({ ...nameserver, tsigKey: opened[index] ?? null }))
}
