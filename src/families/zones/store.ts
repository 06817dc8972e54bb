/** Every statement on zones themselves. Those on what is in them, and on where it comes from, are in the stores of the folders below. */
import { sql } from 'kysely'
import type { Labels } from '../../kernel/contract/labels.ts'
import { drawId, type Queries, type Transaction } from '../../kernel/data/db.ts'
import { insertScopedAlong, preparedScoped, scoped } from '../../kernel/data/scoped.ts'
import { ApiError, notFound } from '../../kernel/errors.ts'
import { parseId } from '../../kernel/ids.ts'
import { indexLabels, readLabels } from '../../kernel/resource/label-index.ts'
import { defineResource, nameTaken } from '../../kernel/resource/resource.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Secrets } from '../../kernel/secrets/secrets.ts'
import { announceAllDns, announceDns } from './announcements/store.ts'
import { type Draft, publish, retire } from './content/store.ts'
import { spelling } from './contract.ts'
import { nextSerial, type PrimaryNameserver, registrableName, type Zone, type ZoneMode } from './domain.ts'
import type { ZoneLimits } from './limits.ts'
import { insertOrigin } from './primaries/store.ts'
import type { ZoneRow } from './tables.ts'

function fromRow(row: ZoneRow): Zone {
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
    delegation: {
      delegated: JSON.parse(row.delegated) as string[],
      status: row.delegation_status,
      checked: row.delegation_checked,
    },
  }
}

/** Names are unique on the installation, not in a Project alone. */
export const zones = defineResource({ ...spelling, fromRow, unique: { name: nameTaken() } })

// ---- Ids or names --------------------------------------------------------------------------------------------------

/** The column and the value that a key of a path stands for; undefined for what is neither an id nor a name. */
function columnOf(key: string): readonly ['id', number] | readonly ['name', string] | undefined {
  const id = parseId(key)
  if (id !== undefined) return ['id', id]
  // No name has other characters, and a database may refuse them.
  return /^[a-z0-9.-]{1,253}$/.test(key) ? ['name', key] : undefined
}

const byName = preparedScoped((rows, name: string) => rows.selectFrom('zone').selectAll().where('name', '=', name))

/** A zone by its id or its name. */
export async function findZone(query: Queries, scope: ProjectScope, key: string): Promise<Zone | undefined> {
  const at = columnOf(key)
  if (!at) return undefined
  if (at[0] === 'id') return zones.find(query, scope, at[1])
  const [row] = await byName(query, scope, at[1])
  return row && fromRow(row)
}

/** A zone by its id or its name, which nobody else changes until the transaction ends; undefined when there is none. */
export async function lockZoneIfThere(tx: Transaction, scope: ProjectScope, key: string): Promise<Zone | undefined> {
  const at = columnOf(key)
  if (!at) return undefined
  const row = await scoped(tx.query, scope)
    .selectFrom('zone')
    .selectAll()
    .where(at[0], '=', at[1])
    .modifyEnd(tx.dialect.lockRows('update'))
    .executeTakeFirst()
  return row && fromRow(row)
}

const missing = (key: string) => notFound(spelling.title, key.slice(0, 80))

/** Errors: `not_found`. */
export async function getZone(query: Queries, scope: ProjectScope, key: string): Promise<Zone> {
  const zone = await findZone(query, scope, key)
  if (!zone) throw missing(key)
  return zone
}

/** Reads a zone for a change: nobody else changes it or what is in it until the transaction ends. Errors: `not_found`. */
export async function lockZone(tx: Transaction, scope: ProjectScope, key: string): Promise<Zone> {
  const zone = await lockZoneIfThere(tx, scope, key)
  if (!zone) throw missing(key)
  return zone
}

/** Refuses a zone of the other mode. Errors: `incorrect_zone_mode`. */
export function requireMode(zone: Zone, mode: ZoneMode): Zone {
  if (zone.mode !== mode) {
    throw new ApiError('incorrect_zone_mode', `this needs a ${mode} zone, and the zone is ${zone.mode}`)
  }
  return zone
}

/** Those of the named zones that the Project has. */
async function zonesByName(query: Queries, scope: ProjectScope, names: readonly string[]) {
  if (names.length === 0) return []
  const rows = await scoped(query, scope)
    .selectFrom('zone')
    .select(['id', 'name', 'mode', 'content_id'])
    .where('name', 'in', names)
    .execute()
  return rows.map(({ id, name, mode, content_id: contentId }) => ({ id, name, mode, contentId }))
}

/** The Project's zones in which domains lie, by domain; those without a zone are missing. */
export async function zonesOfDomains(
  query: Queries,
  scope: ProjectScope,
  domains: readonly string[],
): Promise<ReadonlyMap<string, Pick<Zone, 'id' | 'name' | 'mode' | 'contentId'>>> {
  const named = domains.flatMap((domain) => {
    const name = registrableName(domain)
    return name === undefined ? [] : [{ domain, name }]
  })
  const zones = await zonesByName(query, scope, [...new Set(named.map(({ name }) => name))])
  return new Map(
    named.flatMap(({ domain, name }) => {
      const zone = zones.find((one) => one.name === name)
      return zone ? [[domain, zone]] : []
    }),
  )
}

/** Locks those of some zones that are there, in the order of their ids. */
export async function holdZones(tx: Transaction, scope: ProjectScope, ids: readonly number[]): Promise<void> {
  await zones.hold(tx, scope, ids, 'update')
}

// ---- Changes -------------------------------------------------------------------------------------------------------

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
  { content, primaryNameservers, ...given }: NewZone,
): Promise<Zone> {
  const id = await drawId(tx)
  const zone = await zones.insert(tx, scope, {
    ...given,
    id,
    serial: nextSerial(0, tx.now),
    whole_version: 1,
    content_id: await publish(tx, scope, { id }, content),
    record_count: content.size.records,
    text_bytes: content.size.textBytes,
    protect_delete: 0,
    delegated: '[]',
    delegation_status: 'unknown',
    delegation_checked: null,
    delegation_due: 0,
    is_signed: 0,
  })
  if (given.mode === 'secondary') await insertOrigin(tx, secrets, scope, id, primaryNameservers)
  await announceDns(tx, `zone:${id}`)
  return zone
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
  /** Whether Wolke signs it from now on. */
  readonly isSigned?: boolean
}

/** Makes a change visible to name servers, under the lock of the zone: a new version and a new serial. */
export async function changeZone(tx: Transaction, scope: ProjectScope, zone: Zone, change: ZoneChange): Promise<void> {
  const version = zone.version + 1
  const keys = change.keys && change.keys.length <= mostChangedKeys ? change.keys : undefined
  await zones.set(tx, scope, zone.id, {
    version,
    serial: change.serial ?? nextSerial(zone.serial, tx.now),
    content_id: change.contentId ?? zone.contentId,
    record_count: change.size?.records ?? zone.recordCount,
    text_bytes: change.size?.textBytes ?? zone.textBytes,
    ttl: change.ttl ?? zone.ttl,
    ...(keys ? {} : { whole_version: version }),
    ...(change.isSigned === undefined ? {} : { is_signed: change.isSigned ? 1 : 0 }),
  })
  await scoped(tx.query, scope)
    .deleteFrom('zone_change')
    .where('zone_id', '=', zone.id)
    .where('version', '<=', version - changesKept)
    .execute()
  const rows = (keys ?? []).map((rr_key) => ({ zone_id: zone.id, version, rr_key }))
  await insertScopedAlong(tx, scope, 'zone_change', rows)
  await announceDns(tx, `zone:${zone.id}`)
}

/** Sets labels under the lock of the zone. They are no part of any answer, so that its version stays. */
export async function setZoneLabels(tx: Transaction, scope: ProjectScope, zone: Zone, labels: Labels): Promise<void> {
  await zones.set(tx, scope, zone.id, { labels: JSON.stringify(labels) })
  await indexLabels(tx, scope, { kind: 'zone', id: zone.id }, labels, zone.labels)
}

/** Lets name servers find that a Project which begins anew has no zones any more. */
export async function withdrawZones(tx: Transaction, scope: ProjectScope): Promise<void> {
  await announceAllDns(tx, sql`select 'zone:' || id as subject from zone where project_id = ${scope.projectId}`)
}

/** Deletes a zone; what is in it is deleted later. */
export async function deleteZone(tx: Transaction, scope: ProjectScope, zone: Zone): Promise<void> {
  await retire(tx, scope, zone.contentId)
  for (const table of ['zone_change', 'zone_challenge', 'zone_source', 'zone_signing', 'zone_key'] as const) {
    await scoped(tx.query, scope).deleteFrom(table).where('zone_id', '=', zone.id).execute()
  }
  await zones.remove(tx, scope, zone)
  await announceDns(tx, `zone:${zone.id}`)
}
