/** Tracks on behalf of which Project code runs, for resources that are shared fairly, above all the database. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ProjectId } from '../scope.ts'

const current = new AsyncLocalStorage<ProjectId>()

/** Runs `work`, and everything that it starts, on behalf of a Project. */
export function onBehalfOf<T>(project: ProjectId, work: () => T): T {
  return current.run(project, work)
}

/** The Project on whose behalf the caller runs; undefined for the installation itself. */
export function projectServed(): ProjectId | undefined {
  return current.getStore()
}

/**
 * Runs `work`, and everything that it starts, for the installation: work for all Projects must not wait for the share
 * of one.
 */
export function onOwnBehalf<T>(work: () => T): T {
  return current.exit(work)
}
