/**
 * Reading actions (spec: Actions, Action history). Ended actions never change, so each gets index entries: one for
 * every resource that it names and one for each of their types, in the sort orders of lists. A page therefore costs the
 * same however long the history is. Entries are written in batches, when somebody reads and once a minute, because
 * writing them one by one would cost as much as the rest of a request. Until then an ended action counts as recent,
 * like running ones; recent actions are few and are scanned.
 */

import { type RawBuilder, sql } from 'kysely'
import type { Sort } from '../contract/contract.ts'
import type { Database, Queries, Transaction } from '../data/db.ts'
import { insertRowsLate } from '../data/prepared.ts'
import { preparedScopedMany, scoped } from '../data/scoped.ts'
import { rowsAtOnce } from '../data/steps.ts'
import { timestamp } from '../process/clock.ts'
import { mapInTurns } from '../process/turns.ts'
import type { PageRequest } from '../resource/listing.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'
import type { ResourceRef } from './define.ts'
import type { Action, ActionRow, ActionStatus } from './tables.ts'

/** The columns that lists sort by. */
type SortedBy = Pick<ActionRow, 'id' | 'command' | 'status' | 'started' | 'finished' | 'progress'>

interface ActionHistoryRow {
  readonly project_id: ProjectId
  readonly type: string
  /** 0 in the entry for all resources of the type. */
  readonly resource_id: number
  readonly status: Exclude<ActionStatus, 'running'>
  readonly action_id: number
  readonly command: string
  readonly started: string
  readonly finished: string
}

/** Ended actions without entries. */
interface ActionUnfiledRow {
  readonly project_id: ProjectId
  readonly action_id: number
}

declare module '../data/db.ts' {
  interface TenantTables {
    action_history: ActionHistoryRow
    action_unfiled: ActionUnfiledRow
  }
}

const everyResource = 0
const historyMs = 90 * 24 * 3_600_000

/**
 * The start time of the oldest actions still shown at `now`, in milliseconds since the epoch (spec: Action history).
 */
export function historyStart(now: number): string {
  return timestamp(now - historyMs)
}

/** Selects the actions of a list. */
export interface ActionFilter {
  /** Only actions that name a resource of this type or, with `resourceId`, this resource. */
  readonly type?: string | undefined
  readonly resourceId?: number | undefined
  readonly statuses?: readonly ActionStatus[] | undefined
  /** Only actions started at or after this time. */
  readonly since: string
}

/** Parses the resources of a row. */
export function toAction(row: ActionRow): Action {
  return { ...row, resources: JSON.parse(row.resources) as ResourceRef[] }
}

// ---- Keeping -------------------------------------------------------------------------------------------------------

/** The keys of an action's entries. */
export function entriesOf({
  id,
  project_id,
  status,
  resources,
}: Pick<Action, 'id' | 'project_id' | 'status' | 'resources'>) {
  const keys = new Map<string, Pick<ActionHistoryRow, 'type' | 'resource_id'>>()
  for (const { type, id: resource_id } of resources) {
    keys.set(type, { type, resource_id: everyResource })
    keys.set(`${type}:${resource_id}`, { type, resource_id })
  }
  return [...keys.values()].map((key) => ({ project_id, ...key, status: status as 'success', action_id: id }))
}

/** Records that actions have just ended; their entries are written later. */
export async function noteEnded(
  tx: Transaction,
  ended: readonly Pick<ActionRow, 'id' | 'project_id'>[],
): Promise<void> {
  const rows = ended.map(({ id, project_id }) => ({ project_id, action_id: id }))
  await insertRowsLate(tx, 'action_unfiled', rows)
}

/** The number of actions that one transaction indexes, which takes a few milliseconds. */
const filedAtOnce = 200

/** Writes the entries of all ended actions of a Project, in short transactions. */
export async function fileActions(db: Database, scope: ProjectScope): Promise<void> {
  while (await db.transact((tx) => fileSome(tx, scope)));
}

/** Returns whether there may be more actions to index. Actions that another transaction is indexing are skipped. */
async function fileSome(tx: Transaction, scope: ProjectScope): Promise<boolean> {
  const { projectId } = scope
  const { rows } = await sql<{ id: number }>`
    select action_id as id from action_unfiled where project_id = ${projectId}
    order by action_id limit ${filedAtOnce} ${tx.dialect.lockRows('skip')}
  `.execute(tx.query)
  if (rows.length === 0) return false
  const ids = rows.map(({ id }) => id)
  const ended = scoped(tx.query, scope).selectFrom('action').selectAll().where('id', 'in', ids)
  await enterHistory(tx, (await ended.execute()).map(toAction))
  const noted = scoped(tx.query, scope).deleteFrom('action_unfiled')
  await noted.where('action_id', 'in', ids).execute()
  return rows.length === filedAtOnce
}

/** Writes the entries of ended actions. */
export async function enterHistory(tx: Transaction, ended: readonly Action[]): Promise<void> {
  const rows = ended.flatMap((action) => {
    const { command, started, finished } = action
    return entriesOf(action).map((entry) => ({ ...entry, command, started, finished: finished as string }))
  })
  await insertRowsLate(tx, 'action_history', rows)
}

/** Deletes the history of a Project; running actions stay. */
export async function forgetHistory({ query }: Transaction, scope: ProjectScope): Promise<void> {
  const own = scoped(query, scope)
  await own.deleteFrom('action_unfiled').execute()
  await own.deleteFrom('action_history').execute()
  await own.deleteFrom('action').where('status', '!=', 'running').execute()
}

// ---- Reading -------------------------------------------------------------------------------------------------------

/** The Project's actions with the given ids, at most 100, in the requested order. */
export async function actionsByIds(
  query: Queries,
  scope: ProjectScope,
  ids: readonly number[],
  filter: ActionFilter,
  sort: readonly Sort[] = [],
): Promise<Action[]> {
  const rows = await withIds(query, scope, ids)
  return rows
    .map(toAction)
    .filter((action) => passes(action, filter))
    .sort(comparing(complete(sort)))
}

const withIds = preparedScopedMany((rows, ids: readonly number[]) =>
  rows.selectFrom('action').selectAll().where('id', 'in', ids),
)

/** The most actions without entries that a list scans. */
const mostUnfiled = 200

/** The running actions of a Project, and its ended actions without entries. */
async function recentActions(db: Database, scope: ProjectScope, filter: ActionFilter): Promise<Action[]> {
  // Read first: an action that ends before the other query is found there, and one that ends after it is found here.
  const running = await runningActions(db.query, scope, filter)
  // A list of all actions does not use the entries.
  const unfiled = filter.type === undefined ? [] : await unfiledActions(db.query, scope)
  if (unfiled.length > mostUnfiled) {
    await fileActions(db, scope)
    return recentActions(db, scope, filter)
  }
  const ended = new Set(unfiled.map(({ id }) => id))
  return [...running.filter(({ id }) => !ended.has(id)), ...unfiled.filter((action) => passes(action, filter))]
}

async function unfiledActions(query: Queries, { projectId }: ProjectScope): Promise<Action[]> {
  const { rows } = await sql<ActionRow>`
    select action.* from (
      select action_id from action_unfiled where project_id = ${projectId} order by action_id limit ${mostUnfiled + 1}
    ) as noted join action on action.id = action_id and action.project_id = ${projectId}
  `.execute(query)
  return rows.map(toAction)
}

/** The actions of a Project that are running. */
export async function runningActions(
  query: Queries,
  { projectId }: ProjectScope,
  filter: ActionFilter,
): Promise<Action[]> {
  const found: Action[] = []
  for (let after = 0; ; ) {
    const { rows } = await sql<ActionRow>`
      select * from action where project_id = ${projectId} and status = 'running' and id > ${after}
      order by id limit ${rowsAtOnce}
    `.execute(query)
    for (const action of await mapInTurns(rows, toAction)) if (passes(action, filter)) found.push(action)
    if (rows.length < rowsAtOnce) return found
    after = rows.at(-1)!.id
  }
}

/** The actions of one page, plus one more if there is a next page. */
export async function pageOfActions(
  db: Database,
  scope: ProjectScope,
  filter: ActionFilter,
  { page, per_page, sort }: PageRequest & { readonly sort: readonly Sort[] },
): Promise<Action[]> {
  const keys = complete(sort)
  // Read first, so that an action that ends meanwhile is found twice rather than not at all.
  const recent = (await recentActions(db, scope, filter)).sort(comparing(keys))
  const offset = (page - 1) * per_page
  // At most all recent actions can come before those of the page.
  const skip = Math.max(0, offset - recent.length)
  const ended = await endedActions(db.query, scope, filter, keys, { skip, take: offset + per_page + 1 - skip })
  const known = new Set(ended.map(({ id }) => id))
  const merged = [...recent.filter(({ id }) => !known.has(id)), ...ended].sort(comparing(keys))
  const shown = merged.slice(offset - skip, offset - skip + per_page + 1)
  const byId = new Map(recent.map((action) => [action.id, action]))
  const missing = shown.filter(({ id }) => known.has(id)).map(({ id }) => id)
  for (const action of await actionsByIds(db.query, scope, missing, { since: '' })) byId.set(action.id, action)
  return shown.flatMap(({ id }) => byId.get(id) ?? [])
}

/** A range of the ended actions in order, from one index scan per status. */
async function endedActions(
  query: Queries,
  scope: ProjectScope,
  filter: ActionFilter,
  keys: readonly Sort[],
  { skip, take }: { readonly skip: number; readonly take: number },
): Promise<SortedBy[]> {
  const statuses = (['error', 'success'] as const).filter((status) => filter.statuses?.includes(status) ?? true)
  if (statuses.length === 0) return []
  const order = sql.join(
    keys.map(({ field, descending }) => sql`${sql.ref(field)} ${sql.raw(descending ? 'desc' : 'asc')}`),
  )
  const walks = statuses.map((status) => {
    const walk = selectEnded(scope, filter, status, keys)
    return sql`select * from (${walk} order by ${order} limit ${sql.lit(skip + take)}) as walk`
  })
  const { rows } = await sql<SortedBy>`
    ${sql.join(walks, sql` union all `)} order by ${order} limit ${sql.lit(take)} offset ${skip}
  `.execute(query)
  return rows
}

function selectEnded(
  { projectId }: ProjectScope,
  { type, resourceId = everyResource, since }: ActionFilter,
  status: 'error' | 'success',
  keys: readonly Sort[],
): RawBuilder<SortedBy> {
  const columns = sql`command, status, started, finished`
  // The list of all actions, which existed until January 2025, has no index.
  if (type === undefined) {
    return sql`
      select id, ${columns}, progress from action
      where project_id = ${projectId} and status = ${status} and started >= ${since}`
  }
  // Sorting by progress, which was possible until August 2023, has no index either.
  const isAsked = keys.some(({ field }) => field === 'progress')
  const progress = isAsked ? sql`(select progress from action where id = action_id)` : sql`0`
  // An expression keeps the database from scanning the index on `started` and sorting everything that it finds.
  const begun = keys.some(({ field }) => field === 'started') ? sql`started` : sql`started || ''`
  return sql`
    select action_id as id, ${columns}, ${progress} as progress from action_history
    where project_id = ${projectId} and type = ${type} and resource_id = ${resourceId} and status = ${status}
      and ${begun} >= ${since}`
}

function passes({ status, started, resources }: Action, { type, resourceId, statuses, since }: ActionFilter): boolean {
  if (started < since || (statuses && !statuses.includes(status))) return false
  if (type === undefined) return true
  return resources.some((ref) => ref.type === type && (resourceId ?? ref.id) === ref.id)
}

/** Makes the order total by adding the id, in the direction of the field before it so that one index serves both. */
function complete(sort: readonly Sort[]): readonly Sort[] {
  const end = sort.findIndex(({ field }) => field === 'id')
  if (end !== -1) return sort.slice(0, end + 1)
  return [...sort, { field: 'id', descending: sort.at(-1)?.descending ?? false }]
}

/** Compares like the databases do; unfinished actions come after all finished ones. */
function comparing(keys: readonly Sort[]): (a: SortedBy, b: SortedBy) => number {
  const values = (action: SortedBy, field: string) => action[field as keyof SortedBy] ?? '~'
  return (a, b) => {
    for (const { field, descending } of keys) {
      const [x, y] = [values(a, field), values(b, field)]
      if (x !== y) return x < y === descending ? 1 : -1
    }
    return 0
  }
}
