/**
 * Named fault points at which a test intervenes: kills the worker or lets another one write first. In production
 * nothing listens, and reaching a fault point costs one call.
 */
import type { ProjectId } from '../scope.ts'

export interface Faults {
  /** `action` is the one that is run there. Errors: any that can happen there, and `Postponed`. */
  reach(place: string, action?: FaultyAction): Promise<void> | void
  /** The ids of actions that are left as they are for now; none by default. */
  readonly held?: ReadonlySet<number>
  /** The longest time for which an action is postponed, in milliseconds; none is by default. */
  readonly longestMs?: number
}

/** An action at a fault point. */
export interface FaultyAction {
  readonly id: number
  readonly project_id: ProjectId
  readonly command: string
  /** JSON. */
  readonly resources: string
}

/** Thrown at a fault point, and while a call is under way that may take hours: the action goes on from there later. */
export class Postponed extends Error {
  /** Milliseconds of the database's clock. */
  readonly delayMs: number

  constructor(delayMs: number) {
    super('postponed')
    this.delayMs = delayMs
  }
}

export const noFaults: Faults = { reach: () => undefined }
