/** Every statement on RRSets on behalf of a Project. Whoever changes one holds its zone (see `lockZone`). */
import type { Labels } from '../../../kernel/contract/labels.ts'
import type { Queries, Transaction } from '../../../kernel/data/db.ts'
import { insertScopedAlong, type NewRow, preparedScoped, scoped } from '../../../kernel/data/scoped.ts'
import { ApiError, notFound } from '../../../kernel/errors.ts'
import { timestamp } from '../../../kernel/process/clock.ts'
import { mapInTurns } from '../../../kernel/process/turns.ts'
import { indexLabels, readLabels } from '../../../kernel/resource/label-index.ts'
import { listPage, type PageQuery } from '../../../kernel/resource/listing.ts'
import type { Filters, Listing } from '../../../kernel/resource/source.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Zone } from '../domain.ts'
import type { RrsetRow } from '../tables.ts'
import { type CaaProperty, type CaaRecords, caaProperty, namesUpwards } from './caa.ts'
import { apex, type Rrset, type RrsetContent, rrsetKey, type ZoneRecord } from './domain.ts'

const rrsetListing: Listing = {
  table: 'rrset',
  kind: 'rrset',
  columns: { id: 'rr_key', name: 'name', created: 'created' },
}

/** A row as an RRSet of a primary zone, which has no other types than those of the API. */
export function rrsetFromRow(row: NewRow<'rrset'>): Rrset {
  return {
    id: row.id,
    name: row.name,
    type: row.type as Rrset['type'],
    ttl: row.ttl,
    records: JSON.parse(row.records) as ZoneRecord[],
    labels: readLabels(row.labels),
    isProtected: row.protect_change === 1,
    created: row.created,
  }
}

export async function listRrsets(query: Queries, scope: ProjectScope, zone: Zone, page: PageQuery, filters: Filters) {
  const { rows, pagination } = await listPage<RrsetRow>(query, scope, rrsetListing, page, {
    content_id: [zone.contentId],
    ...filters,
  })
  return { rrsets: rows.map(rrsetFromRow), pagination }
}

/** The RRSets of a zone, for a select that narrows them further. */
function ofZone(query: Queries, scope: ProjectScope, zone: Pick<Zone, 'contentId'>) {
  return scoped(query, scope).selectFrom('rrset').selectAll().where('content_id', '=', zone.contentId)
}

const byKey = preparedScoped((rows, contentId: number, key: string) =>
  rows.selectFrom('rrset').selectAll().where('content_id', '=', contentId).where('rr_key', '=', key),
)

export async function findRrset(
  query: Queries,
  scope: ProjectScope,
  zone: Zone,
  key: string,
): Promise<Rrset | undefined> {
  // No key has other characters, and a database may refuse them.
  if (!/^[\x21-\x7e]{1,300}$/.test(key)) return undefined
  const [row] = await byKey(query, scope, zone.contentId, key)
  return row && rrsetFromRow(row)
}

/** Errors: `not_found`. */
export async function getRrset(query: Queries, scope: ProjectScope, zone: Zone, key: string): Promise<Rrset> {
  const found = await findRrset(query, scope, zone, key)
  if (!found) throw missing(key)
  return found
}

/** The refusal of what is no RRSet of the zone. */
export const missing = (key: string) => notFound('RRSet', key.slice(0, 300))

/** The CAA records at some domains of a zone of the Project, and at the domains between them and the zone. */
export async function caaRecords(
  query: Queries,
  scope: ProjectScope,
  zone: Pick<Zone, 'contentId' | 'name'>,
  domains: readonly string[],
): Promise<CaaRecords> {
  const keys = new Set(
    domains.flatMap((domain) => namesUpwards(domain, zone.name)).map((name) => rrsetKey({ name, type: 'CAA' })),
  )
  const found = await recordsOf(query, scope, zone, [...keys])
  const properties = new Map<string, readonly CaaProperty[]>()
  for (const { name, records } of found) {
    const domain = name === apex ? zone.name : `${name}.${zone.name}`
    properties.set(domain, await mapInTurns(records, ({ value }) => caaProperty(value), 1))
  }
  return properties
}

/** The names and the records of those RRSets of a zone that have one of the keys. */
async function recordsOf(
  query: Queries,
  scope: ProjectScope,
  zone: Pick<Zone, 'contentId'>,
  keys: readonly string[],
): Promise<{ readonly name: string; readonly records: readonly ZoneRecord[] }[]> {
  const rows = await scoped(query, scope)
    .selectFrom('rrset')
    .select(['name', 'records'])
    .where('content_id', '=', zone.contentId)
    .where('rr_key', 'in', keys)
    .execute()
  return rows.map(({ name, records }) => ({ name, records: JSON.parse(records) as ZoneRecord[] }))
}

/** The RRSets that a zone has at some names. */
export async function rrsetsAt(
  query: Queries,
  scope: ProjectScope,
  zone: Zone,
  names: readonly string[],
): Promise<Rrset[]> {
  if (names.length === 0) return []
  const rows = await ofZone(query, scope, zone).where('name', 'in', names).execute()
  return rows.map(rrsetFromRow)
}

/** Whether any RRSet of a zone is protected from changes. */
async function hasProtected(query: Queries, scope: ProjectScope, zone: Zone): Promise<boolean> {
  return (await ofZone(query, scope, zone).where('protect_change', '=', 1).limit(1).execute()).length > 0
}

/** The refusal of a change of what is protected. */
export function changeProtected(): ApiError {
  return new ApiError('protected', 'RRSet(s) is/are change protected')
}

/** Errors: `protected` when any RRSet of the zone is. */
export async function refuseProtected(query: Queries, scope: ProjectScope, zone: Zone): Promise<void> {
  if (await hasProtected(query, scope, zone)) throw changeProtected()
}

const stepRows = 500

/** All RRSets of a zone, in steps. */
export async function* rrsetsOf(query: Queries, scope: ProjectScope, zone: Zone): AsyncGenerator<Rrset[]> {
  for (let after = 0; ; ) {
    const rows = await ofZone(query, scope, zone).where('id', '>', after).orderBy('id').limit(stepRows).execute()
    // A few rows may hold all that a zone can have.
    yield await mapInTurns(rows, rrsetFromRow, 1)
    if (rows.length < stepRows) return
    after = rows.at(-1)!.id
  }
}

/** Those of secondary zones have records of any type, and no labels. */
export interface NewRrset extends Omit<RrsetContent, 'type'> {
  readonly type: string
  readonly labels?: Labels
}

/** Inserts RRSets of which the content has none yet: as many as one transaction should. */
export async function insertRrsets(
  tx: Transaction,
  scope: ProjectScope,
  contentId: number,
  rrsets: readonly NewRrset[],
): Promise<NewRow<'rrset'>[]> {
  const ids = await tx.drawIds(rrsets.length)
  const created = timestamp(tx.now)
  const rows = rrsets.map(
    ({ name, type, ttl, records, labels = {} }, index): NewRow<'rrset'> => ({
      id: ids[index]!,
      content_id: contentId,
      rr_key: `${name}/${type}`,
      name,
      type,
      ttl,
      records: JSON.stringify(records),
      labels: JSON.stringify(labels),
      protect_change: 0,
      created,
    }),
  )
  await insertScopedAlong(tx, scope, 'rrset', rows)
  for (const [index, { labels = {} }] of rrsets.entries()) {
    const labelled = { kind: 'rrset', id: rows[index]!.id }
    if (Object.keys(labels).length > 0) await indexLabels(tx, scope, labelled, labels, {})
  }
  return rows
}

/** Changes an RRSet. */
export async function setRrset(
  tx: Transaction,
  scope: ProjectScope,
  rrset: Rrset,
  change: { readonly records?: readonly ZoneRecord[]; readonly ttl?: number | null; readonly isProtected?: boolean },
): Promise<void> {
  const { records = rrset.records, ttl = rrset.ttl, isProtected = rrset.isProtected } = change
  await scoped(tx.query, scope)
    .updateTable('rrset')
    .set({ records: JSON.stringify(records), ttl, protect_change: isProtected ? 1 : 0 })
    .where('id', '=', rrset.id)
    .execute()
}

export async function setRrsetLabels(tx: Transaction, scope: ProjectScope, rrset: Rrset, labels: Labels) {
  await scoped(tx.query, scope)
    .updateTable('rrset')
    .set({ labels: JSON.stringify(labels) })
    .where('id', '=', rrset.id)
    .execute()
  await indexLabels(tx, scope, { kind: 'rrset', id: rrset.id }, labels, rrset.labels)
}

export async function deleteRrset(tx: Transaction, scope: ProjectScope, rrset: Rrset): Promise<void> {
  await scoped(tx.query, scope).deleteFrom('rrset').where('id', '=', rrset.id).execute()
  await indexLabels(tx, scope, { kind: 'rrset', id: rrset.id }, {}, rrset.labels)
}

/** Deletes some RRSets of a content, at most `limit` of them. Returns whether there may be more. */
export async function deleteSomeRrsets(
  tx: Transaction,
  scope: ProjectScope,
  contentId: number,
  limit: number,
): Promise<boolean> {
  const rows = await ofZone(tx.query, scope, { contentId }).orderBy('id').limit(limit).execute()
  for (const { id, labels } of rows) await indexLabels(tx, scope, { kind: 'rrset', id }, {}, readLabels(labels))
  if (rows.length > 0) {
    await scoped(tx.query, scope)
      .deleteFrom('rrset')
      .where('content_id', '=', contentId)
      .where('id', '<=', rows.at(-1)!.id)
      .execute()
  }
  return rows.length === limit
}
