/** Who started an action, as far as the audit log tells. */
import { typeOf } from '../../shell/families.ts'
import { type AuditEntry, actorOf } from './actor.ts'
import type { Action } from './entries.ts'

/** Both are written with whole seconds, and the request is noted when it is answered. */
const closeMs = 2_000

/**
 * The log names the resources of a path and the time, so an action belongs to a request about one of its resources, or
 * to the one that made it. Undefined where several could have been it.
 */
export function starterOf(action: Action, log: readonly AuditEntry[]): string | undefined {
  const started = Date.parse(action.started)
  const asked = log.filter(
    (entry) =>
      entry.outcome === 'ok' &&
      Math.abs(Date.parse(entry.time) - started) <= closeMs &&
      (isAbout(entry, action) || hasMade(entry, action)),
  )
  const actors = new Set(asked.map(actorOf))
  return actors.size === 1 ? [...actors][0] : undefined
}

function isAbout({ family, resources }: AuditEntry, action: Action): boolean {
  return action.resources.some(({ type, id }) => type === typeOf(family) && resources.includes(id))
}

function hasMade({ operation, family }: AuditEntry, action: Action): boolean {
  return operation === `POST /${family}` && family === action.family && action.command.startsWith('create_')
}
