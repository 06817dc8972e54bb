/** On whose behalf something runs, for what is shared out fairly between Projects: the database above all. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ProjectId } from '../scope.ts'

const current = new AsyncLocalStorage<ProjectId>()

/** Runs `work`, and all that it starts, on behalf of a Project. */
export function onBehalfOf<T>(project: ProjectId, work: () => T): T {
  return current.run(project, work)
}

/** The Project on whose behalf the caller runs; undefined for what the installation does for itself. */
export function projectServed(): ProjectId | undefined {
  return current.getStore()
}

/** Runs `work`, and all that it starts, on nobody's behalf: what serves all Projects must not wait for the share of one. */
export function onOwnBehalf<T>(work: () => T): T {
  return current.exit(work)
}
