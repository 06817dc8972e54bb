/**
 * Tracks on behalf of which Project code runs, for resources that are shared fairly, above all the database; and which
 * request asked for it, for the audit log.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Note } from '../audit/note.ts'
import type { ProjectId } from '../scope.ts'
import { tracer } from './tracing.ts'

interface Behalf {
  readonly project: ProjectId | undefined
  readonly note: Note | undefined
  readonly read: Read | undefined
}

/** One request that reads, for turns.ts. */
export interface Read {
  /** The pieces it has taken so far. */
  pieces: number
  /** The turn of the event loop in which it was seen last, and the end of its piece there. */
  turn: number
  endOfPiece: number
  /** Gives back its place among long reads, which it has once it is long. */
  leave?(): void
}

const current = new AsyncLocalStorage<Behalf>()

/** Runs `work`, and everything that it starts, on behalf of a Project. */
export function onBehalfOf<T>(project: ProjectId | undefined, work: () => T, note = noteTaken(), read?: Read): T {
  return current.run({ project, note, read }, work)
}

/** The Project on whose behalf the caller runs; undefined for the installation itself. */
export function projectServed(): ProjectId | undefined {
  return current.getStore()?.project
}

/** The request that the caller reads for; undefined when it does something else. */
export function readServed(): Read | undefined {
  return current.getStore()?.read
}

/** Returns the audit note of the change that the caller carries out; undefined when nobody asked for one. */
export function noteTaken(): Note | undefined {
  return current.getStore()?.note
}

/**
 * Runs `work`, and everything that it starts, for the installation: work for all Projects must not wait for the share
 * of one.
 */
export function onOwnBehalf<T>(work: () => T): T {
  return tracer ? tracer.run(undefined, () => current.exit(work)) : current.exit(work)
}
