/**
 * A kind of resource as a value: its spellings, its rows and what is true of all of them, with the statements that every
 * kind needs. What is special about one kind stays SQL in its store. Handlers over it are in routes.ts, the endpoints in
 * endpoints.ts.
 */

import { sql } from 'kysely'
import type { Labels } from '../contract/labels.ts'
import type { Spelling } from '../contract/spelling.ts'
import { drawId, type Queries, type TenantTables, type Transaction } from '../data/db.ts'
import { databaseFailure, Taken } from '../data/dialect.ts'
import { KeptItems } from '../data/kept.ts'
import { preparedChanges, preparedStatements } from '../data/prepared.ts'
import {
  insertScopedAlong,
  preparedScoped,
  preparedScopedMany,
  type Scoped,
  scoped,
  type TenantTable,
} from '../data/scoped.ts'
import { type ApiError, notFound, notUnique } from '../errors.ts'
import { type AtOnce, after, inSteps, value } from '../process/at-once.ts'
import { timestamp } from '../process/clock.ts'
import { mapInTurns } from '../process/turns.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'
import { indexLabels } from './label-index.ts'
import { listPage, type Page, type PageQuery } from './listing.ts'
import { tellBegun, tellChanged, tellEnded } from './lives.ts'
import type { Filters, Listing } from './source.ts'
import { changedMeanwhile } from './update.ts'

/** The description of a kind of resource, which depends on none of its rows. Its type is the name of its table. */
export interface Kind extends Spelling {
  /** Fields by which a list can be sorted; each is a column of the same name unless its definition says another. */
  readonly sortable: readonly string[]
}

/** The columns of every resource. */
export interface ResourceRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly labels: string
  readonly created: string
  readonly version: number
}

/** The fields of every resource. */
export interface ResourceItem {
  readonly id: number
  readonly labels: Labels
  readonly version: number
  readonly name?: string
  /** True when it refuses to be deleted. */
  readonly isProtected?: boolean
}

/** The tables whose rows are resources. */
export type ResourceTable = {
  [T in TenantTable]: TenantTables[T] extends ResourceRow ? T : never
}[TenantTable]

/** The columns that `insert` fills by itself. */
type Given<T extends ResourceTable> = Omit<TenantTables[T], 'id' | 'project_id' | 'labels' | 'created' | 'version'> & {
  readonly id?: number
  readonly labels: Labels
}

/** The columns that an update over a version may write. */
type Change<T extends ResourceTable> = Partial<
  Omit<TenantTables[T], 'id' | 'project_id' | 'labels' | 'created' | 'version'>
> & { readonly labels?: Labels }

export interface ResourceDefinition<T extends ResourceTable, P extends string, Item extends ResourceItem> extends Kind {
  readonly type: T
  readonly path: P
  fromRow(row: TenantTables[T]): Item
  /** Columns of which no two resources of a Project have the same value, with the refusal of a second one. */
  readonly unique?: Readonly<Partial<Record<keyof TenantTables[T] & string, () => ApiError>>>
  /** The limit for a Project unless the operator says otherwise; any number when it is missing. */
  readonly most?: number
  /** The columns of fields in `sortable` whose names are others. */
  readonly columns?: Readonly<Record<string, string>>
}

/** A kind of resource. Every function stays within the Project of its scope. */
export interface Resource<T extends ResourceTable, P extends string, Item extends ResourceItem>
  extends ResourceDefinition<T, P, Item> {
  list(
    query: Queries,
    scope: ProjectScope,
    page: PageQuery,
    filters?: Filters,
  ): AtOnce<{ items: Item[]; pagination: Page<Item>['pagination'] }>
  find(query: Queries, scope: ProjectScope, id: number): AtOnce<Item | undefined>
  /** Errors: `not_found`. */
  get(query: Queries, scope: ProjectScope, id: number): AtOnce<Item>
  /** The one of a row that was read, which is the same object until the row is read differently. */
  ofRow(row: TenantTables[T]): Item
  /** Those with the given ids, by id; missing ones are left out. */
  byIds(query: Queries, scope: ProjectScope, ids: readonly number[]): AtOnce<Item[]>
  /** Reads one for a change: nobody else changes it until the transaction ends. Errors: `not_found`. */
  lock(tx: Transaction, scope: ProjectScope, id: number): Promise<Item>
  /** Does so with several, by id, but for those that another transaction holds at this moment. */
  lockFree(tx: Transaction, scope: ProjectScope, ids: readonly number[]): Promise<Item[]>
  /** Those of `ids` that the Project has; they stay until the transaction ends. */
  hold(
    tx: Transaction,
    scope: ProjectScope,
    ids: readonly number[],
    mode?: 'share' | 'update',
  ): Promise<ReadonlySet<number>>
  /** Errors: the refusals of `unique`. */
  insert(tx: Transaction, scope: ProjectScope, given: Given<T>): Promise<Item>
  /** Writes columns over the version that was read, unless a rival was faster. Errors: the refusals of `unique`. */
  update(tx: Transaction, scope: ProjectScope, before: Item, change: Change<T>): Promise<Item | typeof changedMeanwhile>
  /** Writes columns of one that the transaction has locked, without a new version. */
  set(tx: Transaction, scope: ProjectScope, id: number, columns: Partial<TenantTables[T]>): Promise<void>
  /** Writes the same into several. */
  setAll(tx: Transaction, scope: ProjectScope, ids: readonly number[], columns: Partial<TenantTables[T]>): Promise<void>
  /** Deletes one that was read in this transaction, with its labels. Nothing happens when it is gone already. */
  remove(tx: Transaction, scope: ProjectScope, item: Pick<Item, 'id' | 'labels'>): Promise<void>
  /** Refers to one in an action. */
  ref(id: number): { readonly type: T; readonly id: number }
}

/** Defines a kind of resource. */
export function defineResource<const T extends ResourceTable, const P extends string, Item extends ResourceItem>(
  definition: ResourceDefinition<T, P, Item>,
): Resource<T, P, Item> {
  const written = writing(definition)
  return {
    ...definition,
    ...reading(definition),
    ...holding(definition),
    ...written,
    set: (tx, scope, id, columns) => written.setAll(tx, scope, [id], columns),
    ref: (id) => ({ type: definition.type, id }),
  }
}

type Row<T extends ResourceTable> = TenantTables[T]

/** Any table of resources, in the types of what all of them have. */
const anyTable = (rows: Scoped) => rows as unknown as Scoped<Record<string, ResourceRow>>
const rowsOf = (query: Queries, scope: ProjectScope) => anyTable(scoped(query, scope))

function reading<T extends ResourceTable, P extends string, Item extends ResourceItem>({
  type,
  title,
  sortable,
  columns = {},
  fromRow,
}: ResourceDefinition<T, P, Item>): Pick<Resource<T, P, Item>, 'list' | 'find' | 'get' | 'ofRow' | 'byIds'> {
  const listing: Listing = {
    table: type,
    kind: type,
    columns: Object.fromEntries(sortable.map((field) => [field, columns[field] ?? field])),
  }
  const kept = new KeptItems<Row<T>, Item>(fromRow)
  const ofRow = (row: unknown) => kept.of(row as Row<T>)
  const byId = preparedScoped((rows, id: number) =>
    anyTable(rows)
      .selectFrom(type as string)
      .selectAll()
      .where('id', '=', id),
  )
  const some = preparedScopedMany((rows, ids: readonly number[]) =>
    anyTable(rows)
      .selectFrom(type as string)
      .selectAll()
      .where('id', 'in', ids)
      .orderBy('id'),
  )
  const find = (query: Queries, scope: ProjectScope, id: number) =>
    after(byId(query, scope, id), ([row]) => row && ofRow(row))
  function* list(query: Queries, scope: ProjectScope, page: PageQuery, filters: Filters | undefined) {
    const listed = listPage<ResourceRow>(query, scope, listing, page, filters)
    const { rows, pagination } = yield* value(listed)
    return { items: yield* value(mapInTurns(rows, ofRow)), pagination }
  }
  return {
    find,
    list: (query, scope, page, filters) => inSteps(list(query, scope, page, filters)),
    get: (query, scope, id) =>
      after(find(query, scope, id), (item) => {
        if (!item) throw notFound(title, id)
        return item
      }),
    ofRow,
    byIds: (query, scope, ids) => after(some(query, scope, ids), (rows) => rows.map(ofRow)),
  }
}

function holding<T extends ResourceTable, P extends string, Item extends ResourceItem>({
  type,
  title,
  fromRow,
}: ResourceDefinition<T, P, Item>): Pick<Resource<T, P, Item>, 'lock' | 'lockFree' | 'hold'> {
  const locked = preparedStatements<ResourceRow>()
  const lockedFree = preparedStatements<ResourceRow>()
  const held = preparedStatements<{ readonly id: number }>()
  return {
    async lock(tx, { projectId }, id) {
      const [row] = await locked(tx.query, '', { projectId, id }, (given) =>
        rowsOf(tx.query, given)
          .selectFrom(type as string)
          .selectAll()
          .where('id', '=', given.id)
          .modifyEnd(tx.dialect.lockRows('update')),
      )
      if (!row) throw notFound(title, id)
      return fromRow(row as unknown as Row<T>)
    },
    async lockFree(tx, { projectId }, ids) {
      const rows = await lockedFree(tx.query, '', { projectId, ids }, (given) =>
        rowsOf(tx.query, given)
          .selectFrom(type as string)
          .selectAll()
          .where('id', 'in', given.ids)
          .orderBy('id')
          .modifyEnd(tx.dialect.lockRows('skip')),
      )
      return rows.map((row) => fromRow(row as unknown as Row<T>))
    },
    async hold(tx, { projectId }, ids, mode = 'share') {
      if (ids.length === 0) return new Set()
      const rows = await held(tx.query, mode, { projectId, ids }, (given) =>
        rowsOf(tx.query, given)
          .selectFrom(type as string)
          .select('id')
          .where('id', 'in', given.ids)
          .orderBy('id')
          .modifyEnd(tx.dialect.lockRows(mode)),
      )
      return new Set(rows.map(({ id }) => id))
    },
  }
}

function writing<T extends ResourceTable, P extends string, Item extends ResourceItem>({
  type,
  unique,
  fromRow,
}: ResourceDefinition<T, P, Item>): Pick<Resource<T, P, Item>, 'insert' | 'update' | 'setAll' | 'remove'> {
  const refusals = Object.entries(unique ?? {}) as [string, () => ApiError][]
  const explain = (error: unknown) => {
    const failure = databaseFailure(error)
    const taken =
      failure?.kind === 'unique' && refusals.find(([column]) => failure.constraint.endsWith(`_${column}_key`))
    return taken ? taken[1]() : error
  }
  const changes = preparedChanges()
  const deletion = preparedScoped((rows, id: number) =>
    anyTable(rows)
      .deleteFrom(type as string)
      .where('id', '=', id),
  )
  // Names of some kinds are unique elsewhere than in the Project, or nowhere.
  const hasName = refusals.some(([column]) => column === 'name')
  // Rivals for names alone wait in the order of the names; for two columns there is no such order.
  const travels = refusals.every(([column]) => column === 'name')
  return {
    async insert(tx, scope, { labels, ...given }) {
      const id = given.id ?? (await drawId(tx))
      const row = { ...given, id, labels: JSON.stringify(labels), created: timestamp(tx.now), version: 1 }
      const claims = `${type} ${scope.projectId} ${(given as { name?: string }).name ?? id}`
      const refusal = refusals.length > 0 ? { claims, explain } : undefined
      if (travels) await insertScopedAlong(tx, scope, type, [row as never], refusal)
      else
        await explained(
          () =>
            scoped(tx.query, scope)
              .insertInto(type, [row as never])
              .execute(),
          explain,
        )
      await indexLabels(tx, scope, { kind: type, id }, labels, {})
      tellBegun(tx, { type, id }, scope.projectId, row)
      return fromRow({ ...row, project_id: scope.projectId } as unknown as Row<T>)
    },
    async update(tx, scope, before, { labels = before.labels, ...columns }) {
      const { name } = columns as { readonly name?: string }
      const row = await explained(async () => {
        if (hasName && name !== undefined && name !== before.name) await reserveName(tx, scope, type, before, name)
        return replaceVersion(tx, scope, type, before, { ...columns, labels })
      }, explain)
      if (row === changedMeanwhile) return row
      tellChanged(tx, { type, id: before.id }, { ...row })
      return fromRow(row as unknown as Row<T>)
    },
    async setAll(tx, { projectId }, ids, columns) {
      const change = columns as object as Readonly<Record<string, unknown>>
      await changes(tx.query, '', { projectId, ids, change }, (given) =>
        rowsOf(tx.query, given)
          .updateTable(type as string)
          .set(given.change)
          .where('id', 'in', given.ids),
      )
      for (const id of ids) tellChanged(tx, { type, id }, change)
    },
    async remove(tx, scope, { id, labels }) {
      await deletion(tx.query, scope, id)
      await indexLabels(tx, scope, { kind: type, id }, {}, labels)
      tellEnded(tx, { type, id })
    },
  }
}

/** Writes labels and other columns over the version that was read, unless a rival was faster. */
async function replaceVersion(
  tx: Transaction,
  scope: ProjectScope,
  table: string,
  before: ResourceItem,
  { labels, ...columns }: { readonly labels: Labels },
): Promise<ResourceRow | typeof changedMeanwhile> {
  const row = await rowsOf(tx.query, scope)
    .updateTable(table)
    .set({ ...columns, labels: JSON.stringify(labels), version: before.version + 1 })
    .where('id', '=', before.id)
    .where('version', '=', before.version)
    .returningAll()
    .executeTakeFirst()
  if (!row) return changedMeanwhile
  await indexLabels(tx, scope, { kind: table, id: before.id }, labels, before.labels)
  return row
}

/**
 * Two requests that want each other's names would wait for each other in the index of names. A request that renames
 * something locks its old and its new name first, and does not wait for a name that is visibly taken. Errors: `Taken`.
 */
async function reserveName(
  tx: Transaction,
  scope: ProjectScope,
  table: string,
  { id, name: old }: ResourceItem,
  name: string,
): Promise<void> {
  const keys = tx.dialect.lockKeys([old, name].map((one) => `name ${table} ${scope.projectId} ${one}`))
  if (!keys) return
  await keys.execute(tx.query)
  const holder = await rowsOf(tx.query, scope)
    .selectFrom(table)
    .select('id')
    .where(sql.ref('name'), '=', name)
    .executeTakeFirst()
  if (holder && holder.id !== id) throw new Taken(`${table}_project_id_name_key`)
}

async function explained<R>(write: () => Promise<R>, explain: (error: unknown) => unknown): Promise<R> {
  try {
    return await write()
  } catch (error) {
    throw explain(error)
  }
}

/** The refusal of a name that another resource of the Project has. */
export const nameTaken =
  (message = 'name is already used') =>
  () =>
    notUnique('name', message)
