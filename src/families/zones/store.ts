/** Every statement on zones themselves. Those on what is in them are in rrset-store.ts. */
import { type RawBuilder, sql } from 'kysely'
import type { Labels } from '../../kernel/contract/labels.ts'
import { drawId, type Queries, type Transaction } from '../../kernel/data/db.ts'
import { insertRows } from '../../kernel/data/prepared.ts'
import { notFound } from '../../kernel/errors.ts'
import { parseId } from '../../kernel/ids.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import { indexLabels, readLabels } from '../../kernel/resource/label-index.ts'
import type { LimitedKind } from '../../kernel/resource/limits.ts'
import { type Filters, type Listing, listPage, type PageQuery } from '../../kernel/resource/listing.ts'
import { insertNamed } from '../../kernel/resource/update.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Secrets } from '../../kernel/secrets/secrets.ts'
import { announceDns } from './announce.ts'
import { type Draft, publish, retire } from './content.ts'
import { nextSerial, type PrimaryNameserver, type Zone, type ZoneMode } from './domain.ts'
import type { ZoneLimits } from './limits.ts'
import { primariesFromRow, type SealedPrimaries, sealPrimaries } from './primaries.ts'
import type { ZoneRow, ZoneSourceRow } from './tables.ts'

/** How many a Project may have is limited. */
export const limitedZones: LimitedKind = { path: 'zones', title: 'zone', type: 'zone' }

const zoneListing: Listing = { table: 'zone', kind: 'zone', columns: { id: 'id', name: 'name', created: 'created' } }

/** A zone with what is known of its primaries, which only secondary zones have. */
export type ZoneWithPrimaries = Zone & { readonly primaries: SealedPrimaries }

function zoneFromRow(row: ZoneRow, source: ZoneSourceRow | undefined): ZoneWithPrimaries {
  return {
    id: row.id,
    name: row.name,
    mode: row.mode,
    ttl: row.ttl,
    serial: row.serial,
    version: row.version,
    contentId: row.content_id,
    recordCount: row.record_count,
    textBytes: row.text_bytes,
    labels: readLabels(row.labels),
    isProtected: row.protect_delete === 1,
    created: row.created,
    isStale: source?.is_stale === 1,
    primaries: source ? primariesFromRow(source) : { nameservers: [], keys: null },
  }
}

async function withSources(
  query: Queries,
  scope: ProjectScope,
  rows: readonly ZoneRow[],
): Promise<ZoneWithPrimaries[]> {
  const ids = rows.filter((row) => row.mode === 'secondary').map((row) => row.id)
  const sources =
    ids.length === 0
      ? []
      : await query
          .selectFrom('zone_source')
          .selectAll()
          .where('project_id', '=', scope.projectId)
          .where('zone_id', 'in', ids)
          .execute()
  const byZone = new Map(sources.map((source) => [source.zone_id, source]))
  return rows.map((row) => zoneFromRow(row, byZone.get(row.id)))
}

export async function listZones(query: Queries, scope: ProjectScope, page: PageQuery, filters: Filters) {
  const { rows, pagination } = await listPage<ZoneRow>(query, scope, zoneListing, page, filters)
  return { zones: await withSources(query, scope, rows), pagination }
}

/** A zone by its id or its name, locked when `lock` says so. */
export async function findZone(
  query: Queries,
  scope: ProjectScope,
  key: string,
  lock: RawBuilder<unknown> = sql``,
): Promise<ZoneWithPrimaries | undefined> {
  const id = parseId(key)
  // No name has these characters, and a database may refuse them.
  if (id === undefined && !/^[a-z0-9.-]{1,253}$/.test(key)) return undefined
  const column = id === undefined ? sql`name = ${key}` : sql`id = ${id}`
  const { rows } = await sql<ZoneRow>`
    select * from zone where project_id = ${scope.projectId} and ${column} ${lock}
  `.execute(query)
  return (await withSources(query, scope, rows))[0]
}

/** Those of the named zones that the Project has. */
export async function zonesByName(query: Queries, { projectId }: ProjectScope, names: readonly string[]) {
  if (names.length === 0) return []
  const rows = await query
    .selectFrom('zone')
    .select(['id', 'name', 'mode', 'content_id'])
    .where('project_id', '=', projectId)
    .where('name', 'in', names)
    .execute()
  return rows.map(({ id, name, mode, content_id: contentId }) => ({ id, name, mode, contentId }))
}

/** Errors: `not_found`. */
export async function getZone(query: Queries, scope: ProjectScope, key: string): Promise<ZoneWithPrimaries> {
  const zone = await findZone(query, scope, key)
  if (!zone) throw notFound('zone', key.slice(0, 80))
  return zone
}

/** Reads a zone for a change: nobody else changes it or what is in it until the transaction ends. Errors: `not_found`. */
export async function lockZone(tx: Transaction, scope: ProjectScope, key: string): Promise<ZoneWithPrimaries> {
  const zone = await findZone(tx.query, scope, key, tx.dialect.lockRows('update'))
  if (!zone) throw notFound('zone', key.slice(0, 80))
  return zone
}

/** Locks those of some zones that are there, in the order of their ids. */
export async function holdZones(tx: Transaction, scope: ProjectScope, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    select id from zone where project_id = ${scope.projectId} and id in (${sql.join(ids)}) order by id
    ${tx.dialect.lockRows('update')}
  `.execute(tx.query)
}

export interface NewZone {
  readonly name: string
  readonly mode: ZoneMode
  readonly ttl: number
  readonly labels: Labels
  readonly content: Draft
  readonly primaryNameservers: readonly PrimaryNameserver[]
}

/** Makes a zone. Errors: `uniqueness_error` when anybody on this installation has the name. */
export async function insertZone(
  tx: Transaction,
  secrets: Secrets,
  scope: ProjectScope,
  given: NewZone,
): Promise<ZoneWithPrimaries> {
  const id = await drawId(tx)
  const { size } = given.content
  const row: ZoneRow = {
    id,
    project_id: scope.projectId,
    name: given.name,
    mode: given.mode,
    ttl: given.ttl,
    serial: nextSerial(0, tx.now),
    version: 1,
    whole_version: 1,
    content_id: await publish(tx, scope, { id }, given.content),
    record_count: size.records,
    text_bytes: size.textBytes,
    labels: JSON.stringify(given.labels),
    protect_delete: 0,
    created: timestamp(tx.now),
  }
  await insertNamed(tx, 'zone', row)
  const source =
    given.mode === 'secondary' ? await sourceRow(tx, secrets, scope, row.id, given.primaryNameservers) : undefined
  if (source) await tx.query.insertInto('zone_source').values(source).execute()
  await indexLabels(tx, scope, { kind: 'zone', id: row.id }, given.labels, {})
  await announceDns(tx, `zone:${row.id}`)
  return zoneFromRow(row, source)
}

async function sourceRow(
  tx: Transaction,
  secrets: Secrets,
  scope: ProjectScope,
  zoneId: number,
  primaries: readonly PrimaryNameserver[],
): Promise<ZoneSourceRow> {
  const sealed = await sealPrimaries(tx, secrets, scope, zoneId, primaries)
  return { zone_id: zoneId, project_id: scope.projectId, ...sealed, next_check: 0, refreshed: null, is_stale: 0 }
}

/** How many of the latest versions of a zone are known change by change. */
const changesKept = 256
/** From so many changed RRSets on, reading the zone as a whole is less work. */
const mostChangedKeys = 500

/** What a change of a zone touches besides its RRSets. */
export interface ZoneChange {
  /** Keys of the RRSets that are different from now on; without them the zone is read as a whole. */
  readonly keys?: readonly string[]
  readonly contentId?: number
  readonly size?: ZoneLimits
  readonly ttl?: number
  /** The serial of a transferred zone; a primary zone gets its next one. */
  readonly serial?: number
}

/** Makes a change visible to name servers, under the lock of the zone: a new version and a new serial. */
export async function changeZone(tx: Transaction, scope: ProjectScope, zone: Zone, change: ZoneChange): Promise<void> {
  const version = zone.version + 1
  const keys = change.keys && change.keys.length <= mostChangedKeys ? change.keys : undefined
  await tx.query
    .updateTable('zone')
    .set({
      version,
      serial: change.serial ?? nextSerial(zone.serial, tx.now),
      content_id: change.contentId ?? zone.contentId,
      record_count: change.size?.records ?? zone.recordCount,
      text_bytes: change.size?.textBytes ?? zone.textBytes,
      ttl: change.ttl ?? zone.ttl,
      ...(keys ? {} : { whole_version: version }),
    })
    .where('project_id', '=', scope.projectId)
    .where('id', '=', zone.id)
    .execute()
  await tx.query
    .deleteFrom('zone_change')
    .where('project_id', '=', scope.projectId)
    .where('zone_id', '=', zone.id)
    .where('version', '<=', version - changesKept)
    .execute()
  const rows = (keys ?? []).map((rr_key) => ({ project_id: scope.projectId, zone_id: zone.id, version, rr_key }))
  await insertRows(tx, 'zone_change', rows)
  await announceDns(tx, `zone:${zone.id}`)
}

async function setZone(tx: Transaction, scope: ProjectScope, id: number, change: Partial<ZoneRow>): Promise<void> {
  await tx.query
    .updateTable('zone')
    .set(change)
    .where('project_id', '=', scope.projectId)
    .where('id', '=', id)
    .execute()
}

export async function setZoneProtection(tx: Transaction, scope: ProjectScope, id: number, on: boolean): Promise<void> {
  await setZone(tx, scope, id, { protect_delete: on ? 1 : 0 })
}

export async function setZoneLabels(tx: Transaction, scope: ProjectScope, zone: Zone, labels: Labels): Promise<void> {
  await setZone(tx, scope, zone.id, { labels: JSON.stringify(labels) })
  await indexLabels(tx, scope, { kind: 'zone', id: zone.id }, labels, zone.labels)
}

/** Sets where a secondary zone comes from; its primaries are asked at once. */
export async function setNameservers(
  tx: Transaction,
  secrets: Secrets,
  scope: ProjectScope,
  id: number,
  nameservers: readonly PrimaryNameserver[],
): Promise<void> {
  await tx.query
    .updateTable('zone_source')
    .set({ ...(await sealPrimaries(tx, secrets, scope, id, nameservers)), next_check: 0 })
    .where('project_id', '=', scope.projectId)
    .where('zone_id', '=', id)
    .execute()
  await announceDns(tx, `zone:${id}`)
}

/** Deletes a zone; what is in it is deleted later. */
export async function deleteZone(tx: Transaction, scope: ProjectScope, zone: Zone): Promise<void> {
  await retire(tx, scope, zone.contentId)
  for (const table of ['zone_change', 'zone_challenge', 'zone_source'] as const) {
    await tx.query.deleteFrom(table).where('project_id', '=', scope.projectId).where('zone_id', '=', zone.id).execute()
  }
  await tx.query.deleteFrom('zone').where('project_id', '=', scope.projectId).where('id', '=', zone.id).execute()
  await indexLabels(tx, scope, { kind: 'zone', id: zone.id }, {}, zone.labels)
  await announceDns(tx, `zone:${zone.id}`)
}
