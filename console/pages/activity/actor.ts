/** The actor of a request. */
import type { ReplyFor } from '../../api/operations.ts'
import { activity } from '../../words/activity.ts'

const { kinds } = activity

export type AuditEntry = ReplyFor<'audit_list'>['audit'][number]

/** Returns the name of an actor: people by their address, tokens by kind and name. */
export function actorOf({ actor: { kind, name } }: AuditEntry): string {
  return kind === 'person' ? name : `${kinds[kind]} ${name}`
}
