/** The rows of actions and of the locks and queues that they hold while they run. Ended actions are in history.ts. */
import type { Transaction } from '../data/db.ts'
import { traceIdOf } from '../process/tracing.ts'
import type { ProjectId } from '../scope.ts'
import type { ResourceRef } from './define.ts'

export type ActionStatus = 'running' | 'success' | 'error'

export interface ActionRow {
  readonly id: number
  readonly project_id: ProjectId
  /** Key of the definition: family and command. */
  readonly definition: string
  readonly command: string
  readonly status: ActionStatus
  readonly progress: number
  readonly started: string
  readonly finished: string | null
  readonly error_code: string | null
  readonly error_message: string | null
  readonly input: string
  /** The resources that it names, in order, as JSON. */
  readonly resources: string
  /** Number of steps done; while unwinding, number of steps left to undo. */
  readonly step: number
  readonly phase: 'forward' | 'unwinding'
  readonly worker: string | null
  /** Database time in milliseconds until which `worker` holds the action. */
  readonly lease_until: number | null
  /** Increases with each claim; a write with an older fence is refused. */
  readonly fence: number
  /** Claims since the last completed step, not counting those released through no fault of the step. */
  readonly attempts: number
  /** Database time in milliseconds before which the action is not claimed. */
  readonly run_after: number
  /** The span in which it was started; missing or null where nothing was traced. */
  readonly traceparent?: string | null | undefined
}

export interface ResourceLockRow {
  readonly type: string
  readonly resource_id: number
  readonly action_id: number
  readonly project_id: ProjectId
}

/** An action that a token started which sees only some resources. */
interface TokenActionRow {
  readonly project_id: ProjectId
  readonly action_id: number
  readonly token_id: number
}

interface ActionSerialRow {
  readonly serial_key: string
  readonly action_id: number
}

/** The worker of this process, which has actions as soon as they are ready and it has places for them. */
export interface ActionTaker {
  /** How many actions of a Project it has places for, as long as no other ones wait for them. */
  placesFor(projectId: ProjectId): number
  /** What an action is inserted with that it has from the start. */
  held(): Pick<ActionRow, 'worker' | 'lease_until' | 'fence' | 'attempts'>
  /** Begins actions that were inserted so, once they are durable. */
  begin(tx: Transaction, rows: readonly ActionRow[]): void
  /** Claims those of some actions that are free and behind no other one; returns those that it has no place for. */
  take(tx: Transaction, projectId: ProjectId, ids: readonly number[]): Promise<readonly number[]>
}

declare module '../data/db.ts' {
  interface Takers {
    actions: ActionTaker
  }
  interface Tables {
    action_serial: ActionSerialRow
  }
  interface TenantTables {
    action: ActionRow
    resource_lock: ResourceLockRow
    token_action: TokenActionRow
  }
}

/** An action as callers see it. */
export interface Action extends Omit<ActionRow, 'resources'> {
  readonly resources: readonly ResourceRef[]
}

/** The fields by which a line of the log names an action. */
export function loggedAction({ id, project_id, definition, command, traceparent }: ActionRow) {
  return { action: id, project: project_id, definition, command, trace_id: traceIdOf(traceparent) }
}

/** The subject with which a change of an action is signalled: its Project and its id. */
export function changeOf({ project_id, id }: Pick<ActionRow, 'project_id' | 'id'>): string {
  return `${project_id} ${id}`
}
