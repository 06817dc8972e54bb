/**
 * What the name server reads: zones of all Projects, because a DNS query names none. Of it, a tenant is told only how many
 * of its Projects' zones are stale.
 */
import type { Queries } from '../../kernel/data/db.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import { apex, rrsetKey, type ZoneRecord } from './rrsets/domain.ts'
import type { RrsetRow, ZoneRow } from './tables.ts'

/** A zone as the name server knows it without its records. */
export interface ServedZone {
  readonly id: number
  /** Which of its contents is what is in it. */
  readonly contentId: number
  readonly name: string
  readonly isSecondary: boolean
  readonly ttl: number
  readonly serial: number
  readonly version: number
  readonly wholeVersion: number
  /** Whether its primaries were not heard for too long to trust what is known. */
  readonly isStale: boolean
  /** Whether Wolke signs it. */
  readonly isSigned: boolean
}

const columns = ['content_id', 'name', 'mode', 'ttl', 'serial', 'version', 'whole_version', 'is_signed'] as const
type Row = Pick<ZoneRow, 'id' | (typeof columns)[number]> & {
  readonly is_stale: 0 | 1 | null
}

const fromRow = (row: Row): ServedZone => ({
  id: row.id,
  contentId: row.content_id,
  name: row.name,
  isSecondary: row.mode === 'secondary',
  ttl: row.ttl,
  serial: row.serial,
  version: row.version,
  wholeVersion: row.whole_version,
  isStale: row.is_stale === 1,
  isSigned: row.is_signed === 1,
})

function zones(query: Queries) {
  return acrossProjects(query)
    .selectFrom('zone')
    .leftJoin('zone_source', 'zone_source.zone_id', 'zone.id')
    .select(['zone.id', 'is_stale', ...columns])
}

/** Zones whose id is above `after`, by id. */
export async function servedZonesAfter(query: Queries, after: number, limit: number): Promise<ServedZone[]> {
  const rows = await zones(query).where('zone.id', '>', after).orderBy('zone.id').limit(limit).execute()
  return rows.map(fromRow)
}

/** Those of some zones that there are. */
export async function servedZones(query: Queries, ids: readonly number[]): Promise<ServedZone[]> {
  return (await zones(query).where('zone.id', 'in', ids).execute()).map(fromRow)
}

/** How many zones of some Projects are copies whose primaries were not heard for too long. */
export async function staleZones(query: Queries, ids: readonly ProjectId[]) {
  return acrossProjects(query)
    .selectFrom('zone_source')
    .select(({ fn }) => ['project_id', fn.countAll().as('count')])
    .where('project_id', 'in', ids)
    .where('is_stale', '=', 1)
    .groupBy('project_id')
    .execute()
}

/** Counts the secondary zones, and tells when the primaries were heard of the one for which that is longest ago. */
export async function secondaryAges(query: Queries) {
  const rows = await acrossProjects(query)
    .selectFrom('zone_source')
    .select(({ fn }) => ['is_stale', fn.countAll().as('zones'), fn.count('refreshed').as('heard')])
    .select(({ fn }) => fn.min('refreshed').as('oldest'))
    .groupBy('is_stale')
    .execute()
  const [fresh, stale] = [0, 1].map((kind) => rows.find(({ is_stale }) => is_stale === kind))
  const zones = rows.reduce((sum, row) => sum + Number(row.zones), 0)
  const heard = rows.reduce((sum, row) => sum + Number(row.heard), 0)
  return {
    fresh: Number(fresh?.heard ?? 0),
    stale: Number(stale?.heard ?? 0),
    never: zones - heard,
    oldest: fresh?.oldest == null ? null : Number(fresh.oldest),
  }
}

/** The records of one name and type, as texts. */
export interface ServedRrset {
  readonly key: string
  /** Relative to the zone, `@` for itself. */
  readonly name: string
  readonly type: string
  readonly ttl: number | null
  readonly values: readonly string[]
}

function toServed(row: Pick<RrsetRow, 'rr_key' | 'name' | 'type' | 'ttl' | 'records'>): ServedRrset {
  const records = JSON.parse(row.records) as ZoneRecord[]
  return { key: row.rr_key, name: row.name, type: row.type, ttl: row.ttl, values: records.map(({ value }) => value) }
}

const stepRows = 500

/** Which zone is read, and which of its contents. */
type ContentOfZone = Pick<ServedZone, 'id' | 'contentId'>

/** All that a zone answers with, in steps. */
export async function* servedRrsets(query: Queries, zone: ContentOfZone): AsyncGenerator<ServedRrset[]> {
  const challenges = await challengesOf(query, zone.id)
  const met = new Set<string>()
  for (let after = 0; ; ) {
    const rows = await acrossProjects(query)
      .selectFrom('rrset')
      .selectAll()
      .where('content_id', '=', zone.contentId)
      .where('id', '>', after)
      .orderBy('id')
      .limit(stepRows)
      .execute()
    for (const { rr_key } of rows) if (challenges.has(rr_key)) met.add(rr_key)
    yield rows.map((row) => withChallenges(toServed(row), challenges))
    if (rows.length < stepRows) break
    after = rows.at(-1)!.id
  }
  yield [...challenges].filter(([key]) => !met.has(key)).map(([, rrset]) => rrset)
}

/** Whether all RRSets of a content are still there: what was read of it before is whole. */
export async function isWhole(query: Queries, contentId: number): Promise<boolean> {
  const row = await acrossProjects(query)
    .selectFrom('zone_content')
    .select('expires')
    .where('id', '=', contentId)
    .executeTakeFirst()
  return row !== undefined && row.expires !== 0
}

/** Those RRSets of some keys that a zone has. */
export async function servedRrsetsOf(
  query: Queries,
  zone: ContentOfZone,
  keys: readonly string[],
): Promise<ServedRrset[]> {
  if (keys.length === 0) return []
  const rows = await acrossProjects(query)
    .selectFrom('rrset')
    .selectAll()
    .where('content_id', '=', zone.contentId)
    .where('rr_key', 'in', keys)
    .execute()
  const hasTxt = keys.some((key) => key.endsWith('/TXT'))
  const challenges = hasTxt ? await challengesOf(query, zone.id) : new Map<string, ServedRrset>()
  const found = rows.map((row) => withChallenges(toServed(row), challenges))
  const met = new Set(found.map(({ key }) => key))
  return [...found, ...keys.flatMap((key) => (met.has(key) ? [] : (challenges.get(key) ?? [])))]
}

/** How long a certificate authority may remember a challenge, in seconds. */
const challengeTtl = 60

async function challengesOf(query: Queries, zoneId: number): Promise<Map<string, ServedRrset>> {
  const rows = await acrossProjects(query)
    .selectFrom('zone_challenge')
    .selectAll()
    .where('zone_id', '=', zoneId)
    .execute()
  const byName = Map.groupBy(rows, ({ name }) => name)
  return new Map(
    [...byName].map(([name, some]) => {
      const key = rrsetKey({ name, type: 'TXT' })
      return [key, { key, name, type: 'TXT', ttl: challengeTtl, values: some.map(({ value }) => `"${value}"`) }]
    }),
  )
}

function withChallenges(rrset: ServedRrset, challenges: ReadonlyMap<string, ServedRrset>): ServedRrset {
  const challenge = challenges.get(rrset.key)
  return challenge ? { ...rrset, ttl: challengeTtl, values: [...rrset.values, ...challenge.values] } : rrset
}

/** Keys of the RRSets that are different since a version of a zone. */
export async function changedSince(query: Queries, zoneId: number, version: number): Promise<string[]> {
  const rows = await acrossProjects(query)
    .selectFrom('zone_change')
    .select('rr_key')
    .distinct()
    .where('zone_id', '=', zoneId)
    .where('version', '>', version)
    .execute()
  return rows.map((row) => row.rr_key)
}

/** The key of the SOA record, which is different in each version. */
export const soaKey = rrsetKey({ name: apex, type: 'SOA' })
