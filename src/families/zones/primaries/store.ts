/**
 * Primaries of secondary zones at rest. Their keys are secrets, which are sealed together, apart from the addresses;
 * whoever shows or uses the keys opens them.
 */
import type { Queries, Transaction } from '../../../kernel/data/db.ts'
import { scoped } from '../../../kernel/data/scoped.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { SecretPlace, Secrets } from '../../../kernel/secrets/secrets.ts'
import { announceDns } from '../announcements/store.ts'
import type { PrimaryNameserver, Zone } from '../domain.ts'
import { transferKeys, type ZoneSourceRow } from '../tables.ts'

/** Primaries whose keys are still sealed. */
export interface SealedPrimaries {
  readonly nameservers: readonly Omit<PrimaryNameserver, 'tsigKey'>[]
  /** Null when none of them has a key. */
  readonly keys: string | null
}

const placeOf = (zoneId: number): SecretPlace => ({ ...transferKeys, id: zoneId })

/** The columns that hold the primaries of a zone. */
async function sealPrimaries(
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

/** Where a secondary zone comes from. */
export interface Origin {
  readonly primaries: SealedPrimaries
  /** `updating` until the first transfer, `error` when no primary was heard for too long to serve the zone. */
  readonly status: 'ok' | 'updating' | 'error'
}

/** That of a primary zone, which has none. */
export const noOrigin: Origin = { primaries: { nameservers: [], keys: null }, status: 'ok' }

const statusOf = ({ is_stale, refreshed }: ZoneSourceRow): Origin['status'] =>
  is_stale === 1 ? 'error' : refreshed === null ? 'updating' : 'ok'

/** The origins of those of some zones that are secondary, by zone. */
export async function originsOf(
  query: Queries,
  scope: ProjectScope,
  some: readonly Pick<Zone, 'id' | 'mode'>[],
): Promise<ReadonlyMap<number, Origin>> {
  const ids = some.filter(({ mode }) => mode === 'secondary').map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const rows = await scoped(query, scope).selectFrom('zone_source').selectAll().where('zone_id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.zone_id, { primaries: primariesFromRow(row), status: statusOf(row) }]))
}

/** Adds the origin of a new secondary zone, whose primaries are asked at once. */
export async function insertOrigin(
  tx: Transaction,
  secrets: Secrets,
  scope: ProjectScope,
  zoneId: number,
  nameservers: readonly PrimaryNameserver[],
): Promise<void> {
  const sealed = await sealPrimaries(tx, secrets, scope, zoneId, nameservers)
  const source = { zone_id: zoneId, ...sealed, next_check: 0, refreshed: null, is_stale: 0 } as const
  await scoped(tx.query, scope).insertInto('zone_source', [source]).execute()
}

/** Sets where a secondary zone comes from; its primaries are asked at once. */
export async function setNameservers(
  tx: Transaction,
  secrets: Secrets,
  scope: ProjectScope,
  id: number,
  nameservers: readonly PrimaryNameserver[],
): Promise<void> {
  await scoped(tx.query, scope)
    .updateTable('zone_source')
    .set({ ...(await sealPrimaries(tx, secrets, scope, id, nameservers)), next_check: 0 })
    .where('zone_id', '=', id)
    .execute()
  await announceDns(tx, `zone:${id}`)
}
