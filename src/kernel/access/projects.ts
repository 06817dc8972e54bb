/** Projects: the tenants of an installation. Every other resource belongs to exactly one of them. */

import { type RawBuilder, sql } from 'kysely'
import { forgetHistory } from '../actions/history.ts'
import { noteTouched } from '../audit/note.ts'
import type { Database, Queries, Transaction } from '../data/db.ts'
import { drawId } from '../data/db.ts'
import { databaseFailure } from '../data/dialect.ts'
import { lockAlong } from '../data/prepared.ts'
import { scoped } from '../data/scoped.ts'
import { byChunks } from '../data/steps.ts'
import { notFound, notUnique } from '../errors.ts'
import type { AtOnce } from '../process/at-once.ts'
import { type Page, type PageRequest, pageBy } from '../resource/listing.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'

export interface ProjectRow {
  readonly id: ProjectId
  readonly name: string
  readonly created: string
  /** Receives mail about matters that need somebody's attention. */
  readonly owner_email: string | null
  /** 1 for the one that the first start made, whatever its name is by now. */
  readonly is_default: 0 | 1
}

declare module '../data/db.ts' {
  interface Tables {
    project: ProjectRow
  }
}

/** Creates a Project inside `tx`. Errors: `uniqueness_error` when the name is taken. */
export async function createProject(
  tx: Transaction,
  name: string,
  created: string,
  ownerEmail: string | null = null,
): Promise<ProjectRow> {
  const id = (await drawId(tx)) as ProjectId
  const row: ProjectRow = { id, name, created, owner_email: ownerEmail, is_default: 0 }
  try {
    await tx.query.insertInto('project').values(row).execute()
  } catch (error) {
    if (databaseFailure(error)?.kind === 'unique') throw notUnique('name', `a project named '${name}' exists already`)
    throw error
  }
  noteTouched(tx, id)
  return row
}

export async function listProjects(query: Queries): Promise<ProjectRow[]> {
  return query.selectFrom('project').selectAll().orderBy('id').execute()
}

/** Those of some ids that are there, by id. */
export function projectsByIds(query: Queries, ids: readonly ProjectId[]): AtOnce<readonly ProjectRow[]> {
  return byChunks(
    [...new Set(ids)].sort((a, b) => a - b),
    (some) => query.selectFrom('project').selectAll().where('id', 'in', some).orderBy('id').execute(),
  )
}

/** One page of all Projects, by id. */
export function pageOfProjects(query: Queries, request: PageRequest): AtOnce<Page<ProjectRow>> {
  return pageBy(request, {
    read: (skip, take) => query.selectFrom('project').selectAll().orderBy('id').limit(take).offset(skip).execute(),
    async count() {
      const all = query.selectFrom('project').select(sql<number>`count(*)`.as('total'))
      return (await all.executeTakeFirstOrThrow()).total
    },
  })
}

export async function findProject(query: Queries, name: string): Promise<ProjectRow | undefined> {
  return query.selectFrom('project').selectAll().where('name', '=', name).executeTakeFirst()
}

const defaultName = 'default'

/** The Project that the options of the server are about: the marked one or, before one is marked, that of the name. */
export async function defaultProject(query: Queries): Promise<ProjectRow | undefined> {
  return query
    .selectFrom('project')
    .selectAll()
    .where((row) => row.or([row('is_default', '=', 1), row('name', '=', defaultName)]))
    .orderBy('is_default', 'desc')
    .executeTakeFirst()
}

/** Creates Project `default`. */
export function createDefaultProject(tx: Transaction, created: string): Promise<ProjectRow> {
  return createProject(tx, defaultName, created)
}

/** Marks the default Project, which it stays under any name. */
export async function markDefault(tx: Transaction, { projectId }: ProjectScope): Promise<void> {
  const marked = tx.query.updateTable('project').set({ is_default: 1 }).where('id', '=', projectId)
  await marked.where('is_default', '=', 0).execute()
}

/** Errors: `not_found`. */
export async function getProject(query: Queries, { projectId }: ProjectScope): Promise<ProjectRow> {
  const row = await query.selectFrom('project').selectAll().where('id', '=', projectId).executeTakeFirst()
  if (!row) throw notFound('Project', projectId)
  return row
}

/** Errors: `uniqueness_error` when another Project has the name. */
export async function renameProject(tx: Transaction, { projectId }: ProjectScope, name: string): Promise<void> {
  try {
    await tx.query.updateTable('project').set({ name }).where('id', '=', projectId).execute()
  } catch (error) {
    if (databaseFailure(error)?.kind === 'unique') throw notUnique('name', `a project named '${name}' exists already`)
    throw error
  }
}

/** The name of a Project; undefined when it is gone. */
export async function projectName(query: Queries, { projectId }: ProjectScope): Promise<string | undefined> {
  const row = await query.selectFrom('project').select('name').where('id', '=', projectId).executeTakeFirst()
  return row?.name
}

/** The name of a Project as a value of a statement; null when there is none. */
export function nameOfProject(id: RawBuilder<number | null>): RawBuilder<string | null> {
  return sql`(select name from project where project.id = ${id})`
}

/**
 * Sets the owner of a Project. `changeOwner` (kernel/mail/outbox.ts) also redirects mail that waits for the previous
 * owner.
 */
export async function setOwner(tx: Transaction, scope: ProjectScope, email: string | null): Promise<void> {
  await tx.query.updateTable('project').set({ owner_email: email }).where('id', '=', scope.projectId).execute()
}

/** The subset of the given Projects that have an owner. */
export async function ownedProjects(query: Queries, ids: readonly ProjectId[]): Promise<Set<ProjectId>> {
  const rows = await query
    .selectFrom('project')
    .select('id')
    .where('id', 'in', ids)
    .where('owner_email', 'is not', null)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** The name and owner of a Project, if it exists; neither changes until the transaction ends. */
export async function lockOwner(
  tx: Transaction,
  scope: ProjectScope,
): Promise<Pick<ProjectRow, 'name' | 'owner_email'> | undefined> {
  const { rows } = await sql<ProjectRow>`
    select name, owner_email from project where id = ${scope.projectId} ${tx.dialect.lockRows('share')}
  `.execute(tx.query)
  return rows[0]
}

/** Those of some Projects that exist; none of them is changed or deleted until the transaction ends. */
export async function lockExisting(tx: Transaction, ids: readonly ProjectId[]): Promise<Set<ProjectId>> {
  if (ids.length === 0) return new Set()
  const { rows } = await sql<Pick<ProjectRow, 'id'>>`
    select id from project where id in (${sql.join(ids)}) order by id ${tx.dialect.lockRows('share')}
  `.execute(tx.query)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Deletes an empty Project with its tokens and history. Returns false when it still has resources or running actions.
 */
export async function deleteProject(db: Database, project: ProjectRow): Promise<boolean> {
  try {
    await db.transact(async (tx) => {
      await forgetHistory(tx, { projectId: project.id })
      // Whoever writes tokens, members and the like into it has ended, or finds it gone.
      await lockProject(tx, { projectId: project.id }, 'update')
      await scoped(tx.query, { projectId: project.id }).deleteFrom('token').execute()
      await tx.query.deleteFrom('project').where('id', '=', project.id).execute()
    })
    return true
  } catch (error) {
    if (databaseFailure(error)?.kind === 'foreign_key') return false
    throw error
  }
}

/**
 * Keeps a Project from being deleted until the transaction ends, and returns it: for what is written into it and is no
 * resource, which would otherwise be lost or refused depending on who is faster. Errors: `not_found`.
 */
export async function enterProject(
  tx: Transaction,
  scope: ProjectScope,
  mode: 'share' | 'update' = 'share',
): Promise<ProjectRow> {
  await lockProject(tx, scope, mode)
  return getProject(tx.query, scope)
}

/**
 * Orders transactions of one Project until they end: those in mode `share` run together, one in mode `update` runs
 * alone. An `update` is not overtaken by later `share` requests, as it would be with a row lock that many share. On
 * PostgreSQL the lock is taken with the transaction's next statement, so what is read in another way may be older.
 */
export async function lockProject(tx: Transaction, scope: ProjectScope, mode: 'share' | 'update'): Promise<void> {
  const keys = tx.dialect.lockKeys([`project ${scope.projectId}`], mode)
  if (keys) await lockAlong(tx.query, keys)
}
