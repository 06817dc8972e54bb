/** What runs, what waits for what, and since when: of all processes over one database, and of all Projects. */
import type { Static } from 'typebox'
import { families } from '../../families.ts'
import { projectsByIds } from '../../kernel/access/projects.ts'
import { openActions } from '../../kernel/actions/claims.ts'
import {
  databaseClock,
  definitionsByKey,
  type OpenAction,
  openActionsOf,
  queueByProject,
} from '../../kernel/actions/waiting.ts'
import type { Database, Queries } from '../../kernel/data/db.ts'
import { connectedProcesses } from '../../kernel/data/standing.ts'
import { openMail } from '../../kernel/mail/deliveries.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import { processName } from '../../kernel/process/identity.ts'
import type { JobState, Jobs } from '../../kernel/process/jobs.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import { version } from '../../version.ts'
import type { installationEndpoints } from './contract.ts'

export type Status = Static<(typeof installationEndpoints)['getStatus']['reply']>['status']
export type ServingProcess = Status['processes'][number]
export type ShownAction = Status['actions']['oldest'][number]

/** The number of actions that are shown one by one. */
const mostActions = 100

/** What actions do, by their definitions. */
export const definitions = () => definitionsByKey(families.flatMap(({ actions }) => actions))

interface Serving {
  /** In milliseconds since the epoch. */
  readonly startedAt: number
  readonly jobs: Pick<Jobs, 'runs'>
}

/** What this process says of itself. */
export function serving({ startedAt, jobs }: Serving): ServingProcess {
  return {
    name: processName,
    started: timestamp(startedAt),
    version,
    memory: process.memoryUsage.rss(),
    connections: null,
    jobs: jobs.runs().map(jobToWire),
  }
}

const jobToWire = ({ name, last, next }: JobState) => ({
  name,
  last_run: last ? timestamp(last.startedAt) : null,
  next_run: next === undefined ? null : timestamp(next),
  took: last ? Math.round(last.tookMs * 10) / 10 : null,
  failed: last?.hasFailed ?? false,
})

/** The whole, as far as the database knows it and the processes that were asked do. */
export async function statusOf(db: Database, asked: readonly ServingProcess[]): Promise<Status> {
  const { query } = db
  const oldest = await openActionsOf(db, definitions(), { limit: mostActions })
  const queues = await queueByProject(query)
  const ids = [...new Set([...oldest.map(({ project_id }) => project_id), ...queues.map(({ projectId }) => projectId)])]
  const names = await namesOf(query, ids)
  return {
    now: timestamp(await databaseClock(db)),
    processes: await processesOf(db, asked),
    actions: {
      total: (await openActions(query)).waiting,
      oldest: oldest.map((action) => actionToWire(action, names)),
    },
    queues: queues.map(({ projectId, ...queue }) => ({ project: named(projectId, names), ...queue })),
    mail: await openMail(query),
  }
}

/** Those that were asked, and those that only the database knows. */
async function processesOf(db: Database, asked: readonly ServingProcess[]): Promise<ServingProcess[]> {
  const connected = new Map((await connectedProcesses(db)).map((one) => [one.name, one]))
  const known = asked.map((one) => ({ ...one, connections: connected.get(one.name)?.connections ?? null }))
  const others = [...connected.values()].filter(({ name }) => !asked.some((one) => one.name === name))
  const silent = others.map(({ name, connections, since }) => ({
    ...{ name, connections, started: timestamp(since) },
    ...{ version: null, memory: null, jobs: null },
  }))
  return [...known, ...silent]
}

type Names = ReadonlyMap<ProjectId, string>

export async function namesOf(query: Queries, ids: readonly ProjectId[]): Promise<Names> {
  return new Map((await projectsByIds(query, ids)).map(({ id, name }) => [id as ProjectId, name]))
}

const named = (id: ProjectId, names: Names) => ({ id, name: names.get(id) ?? '' })

export function actionToWire(action: OpenAction, names: Names): ShownAction {
  const { id, command, project_id, resources, started, progress, attempts, waitsFor, stepName, behind, until } = action
  return {
    ...{ id, command, resources: [...resources], started, progress, attempts },
    project: named(project_id, names),
    step: stepName,
    waits_for: waitsFor,
    behind: behind && { queue: behind.key, action: behind.action },
    until: until === null ? null : timestamp(until),
    worker: action.worker,
  }
}
