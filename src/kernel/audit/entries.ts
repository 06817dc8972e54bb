/** Writing entries of the audit log. Bodies and secrets are never part of one. */
import { sql } from 'kysely'
import { nameOfProject } from '../access/projects.ts'
import type { Transaction } from '../data/db.ts'
import { preparedLate } from '../data/prepared.ts'
import { acrossProjects } from '../data/scoped.ts'
import type { AtOnce } from '../process/at-once.ts'
import { channels } from '../process/channels.ts'
import { timestamp } from '../process/clock.ts'
import type { ProjectId } from '../scope.ts'
import type { AuditActor } from './note.ts'
import type { AuditRow } from './tables.ts'

/** One entry. */
export interface Entry {
  readonly actor: AuditActor
  readonly projectId: number | null
  /** Undefined for the Project's name at the time of writing. */
  readonly projectName?: string | undefined
  /** Method and path with its parameters in braces, or words that say what happened, such as `sign in`. */
  readonly operation: string
  /** The part of the API or of the installation, such as `servers` or `people`. */
  readonly family: string
  readonly subjects: readonly (number | string)[]
  /** The ids of the actions that it started. */
  readonly actions: readonly number[]
  /** `ok`, or the code of the error. */
  readonly outcome: string
  /** The HTTP status; 0 for what is no request. */
  readonly status: number
  readonly correlationId: string
  readonly network: string
}

/** Names in paths may be long, and nobody needs all of one to know what was meant. */
const longestName = 255

type Values = readonly [
  time: string,
  actor: AuditActor['kind'],
  actorId: number | null,
  actorName: string,
  projectId: number | null,
  projectName: string | null,
  sameProject: number | null,
  operation: string,
  family: string,
  resources: string,
  actions: string,
  outcome: string,
  status: number,
  correlationId: string,
  network: string,
]

const insertEntry = preparedLate<Values>((query, ...values) => {
  const [time, actor, actor_id, actor_name, projectId, projectName, sameProject, operation, ...rest] = values
  const [family, resources, actions, outcome, status, correlation_id, network] = rest
  const name = sql<string | null>`coalesce(${projectName}, ${nameOfProject(sql`${sameProject}`)})`
  const project_id = projectId as ProjectId | null
  const columns = { time, actor, actor_id, actor_name, project_id, project_name: name, operation, family, resources }
  return acrossProjects(query)
    .insertInto('audit')
    .values({ ...columns, actions, outcome, status, correlation_id, network } as unknown as AuditRow)
})

/** Appends an entry; it is written with the transaction's next statement or its commit. */
export function append(tx: Transaction, entry: Entry, at = tx.now): AtOnce<void> {
  const {
    actor,
    projectId,
    projectName = null,
    operation,
    family,
    actions,
    outcome,
    status,
    correlationId,
    network,
  } = entry
  if (channels.auditEntry.hasSubscribers) {
    const told = { family, outcome: outcome === 'ok' ? outcome : 'refused' } as const
    tx.afterCommit(() => channels.auditEntry.publish(told))
  }
  return insertEntry(
    tx.query,
    timestamp(at),
    actor.kind,
    actor.id,
    actor.name,
    projectId,
    projectName,
    projectId,
    operation,
    family,
    toText(entry.subjects),
    toText(actions),
    outcome,
    status,
    correlationId,
    network,
  )
}

function toText(subjects: readonly (number | string)[]): string {
  if (subjects.every((one) => typeof one === 'number')) return `[${subjects.join()}]`
  return JSON.stringify(subjects.map((one) => (typeof one === 'string' ? one.slice(0, longestName) : one)))
}

/** Something that happened and is no request of the API, such as a sign-in. */
export interface AuditEvent {
  readonly actor: AuditActor
  readonly projectId?: ProjectId
  /** The event in words: `sign in`, `accept invitation`. */
  readonly operation: string
  readonly family: string
  readonly subjects?: readonly (number | string)[]
  /** `ok` by default; otherwise a code. */
  readonly outcome?: string
  readonly correlationId?: string
  /** The network that the person is in (`clientNetwork`). */
  readonly network?: string
}

/** Records, in the transaction of what happened, what no request of the API records by itself. */
export async function recordEvent(tx: Transaction, event: AuditEvent): Promise<void> {
  const { actor, projectId = null, operation, family, subjects = [], outcome = 'ok' } = event
  const { correlationId = '', network = '' } = event
  await append(tx, {
    actor,
    projectId,
    operation,
    family,
    subjects,
    actions: [],
    outcome,
    status: 0,
    correlationId,
    network,
  })
}
