/** Reading which actions have changed, for who follows them. These reads span Projects. */
import { sql } from 'kysely'
import type { Queries } from '../data/db.ts'
import { acrossProjects } from '../data/scoped.ts'
import { rowsAtOnce } from '../data/steps.ts'
import type { ProjectId } from '../scope.ts'
import type { ResourceRef } from './define.ts'
import type { ActionRow } from './tables.ts'

/** An action as its followers see it. */
export interface ChangedAction
  extends Pick<ActionRow, 'id' | 'project_id' | 'command' | 'status' | 'progress' | 'finished'> {
  readonly resources: readonly ResourceRef[]
}

const columns = ['id', 'project_id', 'command', 'status', 'progress', 'finished', 'resources'] as const

type ChangedRow = Pick<ActionRow, (typeof columns)[number]>

const parsed = (rows: readonly ChangedRow[]): ChangedAction[] =>
  rows.map((row) => ({ ...row, resources: JSON.parse(row.resources) as ResourceRef[] }))

const select = (query: Queries) => acrossProjects(query).selectFrom('action').select(columns)

const atOnce = 500

/** The actions with the given ids that exist. */
export async function changedActions(query: Queries, ids: readonly number[]): Promise<ChangedAction[]> {
  const found: ChangedAction[] = []
  for (let from = 0; from < ids.length; from += atOnce) {
    found.push(
      ...parsed(
        await select(query)
          .where('id', 'in', ids.slice(from, from + atOnce))
          .execute(),
      ),
    )
  }
  return found
}

/** The actions of some Projects that are running. */
export async function runningIn(query: Queries, projects: readonly ProjectId[]): Promise<ChangedAction[]> {
  const found: ChangedAction[] = []
  for (let after = 0; ; ) {
    const running = select(query).where('project_id', 'in', projects).where(sql<boolean>`status = 'running'`)
    const rows = parsed(await running.where('id', '>', after).orderBy('id').limit(rowsAtOnce).execute())
    found.push(...rows)
    if (rows.length < rowsAtOnce) return found
    after = rows.at(-1)!.id
  }
}

/** Returns at most `limit` actions of some Projects from an id on, the newest ones. */
export async function actionsFrom(
  query: Queries,
  projects: readonly ProjectId[],
  id: number,
  limit: number,
): Promise<ChangedAction[]> {
  const rows = select(query).where('project_id', 'in', projects).where('id', '>=', id)
  return parsed(await rows.orderBy('id', 'desc').limit(limit).execute())
}

/** Ids are drawn before their commit: how far back a look goes for what was committed late. */
export const lateActions = 2_000

/** What the actions of a family name that run, or that are among the newest, in no order. */
export async function recentlyNamed(query: Queries, family: string): Promise<readonly ResourceRef[]> {
  const newest = (await newestAction(query)) ?? 0
  const ofFamily = () =>
    acrossProjects(query).selectFrom('action').select('resources').where('definition', 'like', `${family}/%`)
  const rows = await ofFamily()
    .where('id', '>', newest - lateActions)
    .union(ofFamily().where(sql<boolean>`status = 'running'`))
    .execute()
  return rows.flatMap(({ resources }) => JSON.parse(resources) as ResourceRef[])
}

/** The id of the newest action, if there is one. */
export async function newestAction(query: Queries): Promise<number | undefined> {
  const { rows } = await sql<{ id: number | null }>`select max(id) as id from action`.execute(query)
  return rows[0]?.id ?? undefined
}
