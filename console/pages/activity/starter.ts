/** The requests that started actions, as far as the audit log was read. */
import type { AuditEntry } from './actor.ts'

/** The requests by the ids of the actions that they started. */
export function startersIn(log: readonly AuditEntry[]): ReadonlyMap<number, AuditEntry> {
  return new Map(log.flatMap((entry) => entry.actions.map((id) => [id, entry] as const)))
}
