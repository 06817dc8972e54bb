/**
 * Optimistic updates (spec: Conflicts). A change is made against the version that was read; when a rival wrote in
 * between, it is made anew against what the rival left, and only who keeps losing hears `conflict`.
 */
import type { Kysely } from 'kysely'
import type { Labels } from '../contract/labels.ts'
import type { EveryTable, Transaction } from '../data/db.ts'
import { databaseFailure, Taken } from '../data/dialect.ts'
import { insertRowsAlong } from '../data/prepared.ts'
import { ApiError, notUnique } from '../errors.ts'
import type { Faults } from '../process/faults.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'
import { indexLabels } from './label-index.ts'

/** What an attempt returns when the row was no longer as it had read it. */
export const changedMeanwhile = Symbol('changed meanwhile')

const tries = 3

/**
 * Repeats `attempt` until it succeeds. An attempt returns its reply, which it reads before its commit: what is committed
 * can no longer fail. Errors: 409 `conflict`; whatever the attempt throws.
 */
export async function optimistically<T>(attempt: () => Promise<T | typeof changedMeanwhile>): Promise<T> {
  for (let i = 0; i < tries; i++) {
    const result = await attempt()
    if (result !== changedMeanwhile) return result
  }
  throw new ApiError('conflict', 'the resource changed during the request; please retry')
}

/** Where a test lets a rival write between a read and the write that builds on it. */
export const beforeWrite = (faults: Faults, table: string) => faults.reach(`update/${table}:before-write`)

/** What the row of a resource with labels has. */
interface VersionedRow {
  readonly id: number
  readonly project_id: number
  readonly labels: string
  readonly version: number
}

/**
 * Writes labels and other columns over the version that was read, unless a rival was faster. `table` is also the type
 * under which the labels are indexed. Errors: what the database refuses.
 */
export async function replaceVersion<Row extends VersionedRow>(
  tx: Transaction,
  scope: ProjectScope,
  table: keyof EveryTable,
  before: { readonly id: number; readonly version: number; readonly labels: Labels; readonly name?: string },
  { labels, ...columns }: { readonly labels: Labels } & Partial<Omit<Row, 'labels'>>,
): Promise<Row | typeof changedMeanwhile> {
  const query = tx.query as unknown as Kysely<Record<string, VersionedRow>>
  const { name } = columns as { name?: string }
  if (name !== undefined && name !== before.name) await reserveName(tx, scope, table, before, name)
  const row = await query
    .updateTable(table)
    .set({ ...columns, labels: JSON.stringify(labels), version: before.version + 1 })
    .where('project_id', '=', scope.projectId)
    .where('id', '=', before.id)
    .where('version', '=', before.version)
    .returningAll()
    .executeTakeFirst()
  if (!row) return changedMeanwhile
  await indexLabels(tx, scope, { kind: table, id: before.id }, labels, before.labels)
  return row as Row
}

/**
 * Two that want each other's names would wait for each other in the index of names: who renames something takes its old
 * and its new name first, and does not wait for a name that is visibly taken. Errors: `Taken`.
 */
async function reserveName(
  tx: Transaction,
  { projectId }: ProjectScope,
  table: keyof EveryTable,
  { id, name: old }: { readonly id: number; readonly name?: string },
  name: string,
): Promise<void> {
  const keys = tx.dialect.lockKeys([old, name].map((one) => `name ${table} ${projectId} ${one}`))
  if (!keys) return
  await keys.execute(tx.query)
  const holder = await (tx.query as unknown as Kysely<Record<string, VersionedRow & { readonly name: string }>>)
    .selectFrom(table)
    .select('id')
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst()
  if (holder && holder.id !== id) throw new Taken(`${table}_project_id_name_key`)
}

/** Inserts a resource; it goes along. Errors: `uniqueness_error` when another of the Project has its name. */
export async function insertNamed<T extends keyof EveryTable>(
  tx: Transaction,
  table: T,
  row: EveryTable[T] & { readonly project_id: ProjectId; readonly name: string },
  message?: string,
): Promise<void> {
  const claims = `${table} ${row.project_id} ${row.name}`
  await insertRowsAlong(tx, table, [row], { claims, explain: (error) => nameTaken(error, message) })
}

/** Errors: `uniqueness_error` when the write gives a name that another resource of the Project has. */
export async function refusingTakenNames<T>(write: () => Promise<T>, message?: string): Promise<T> {
  try {
    return await write()
  } catch (error) {
    throw nameTaken(error, message)
  }
}

function nameTaken(error: unknown, message = 'name is already used'): unknown {
  return databaseFailure(error)?.kind === 'unique' ? notUnique('name', message) : error
}
