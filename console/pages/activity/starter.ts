/** Which request started an action, and who sent it, as far as the audit log tells. */
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
  const actors = new Set(requestsOf(action, log).map(actorOf))
  return actors.size === 1 ? [...actors][0] : undefined
}

/**
 * The requests that say no more than the actions that they started: for each action the one that is nearest in time,
 * starts actions at all and stands for no other one, so that further requests about the same resource stay.
 */
export function toldBy(actions: readonly Action[], log: readonly AuditEntry[]): ReadonlySet<AuditEntry> {
  const told = new Set<AuditEntry>()
  for (const action of actions) {
    const away = ({ time }: AuditEntry) => Math.abs(Date.parse(time) - Date.parse(action.started))
    const [nearest] = requestsOf(action, log)
      .filter((entry) => /^(POST|DELETE) /.test(entry.operation) && !told.has(entry))
      .sort((one, other) => away(one) - away(other))
    if (nearest) told.add(nearest)
  }
  return told
}

/** The requests that may have started an action. Those that name its resource leave no doubt about the others. */
function requestsOf(action: Action, log: readonly AuditEntry[]): readonly AuditEntry[] {
  const started = Date.parse(action.started)
  const close = log.filter(({ outcome, time }) => outcome === 'ok' && Math.abs(Date.parse(time) - started) <= closeMs)
  const about = close.filter((entry) => isAbout(entry, action))
  return about.length > 0 ? about : close.filter((entry) => hasMade(entry, action))
}

function isAbout({ family, resources }: AuditEntry, action: Action): boolean {
  return action.resources.some(({ type, id }) => type === typeOf(family) && resources.includes(id))
}

function hasMade({ operation, family }: AuditEntry, action: Action): boolean {
  return operation === `POST /${family}` && family === action.family && action.command.startsWith('create_')
}
