/** Actions and the entries of the audit log as lines of one feed. */

import type { ReplyFor } from '../../api/operations.ts'
import { typeOf } from '../../api/operations.ts'
import { commandName } from '../../lib/action-names.ts'
import { typeName } from '../../lib/api-names.ts'
import type { Mood } from '../../ui/state.tsx'
import { type AuditEntry, actorOf } from './actor.ts'
import type { NameOf } from './names.ts'

export type Action = ReplyFor<'audit_activity'>['activity'][number]

export interface Entry {
  /** `action-1` or `request-1`. */
  readonly key: string
  readonly id: number
  readonly kind: 'action' | 'request'
  readonly state: 'running' | 'success' | 'error' | 'refused'
  readonly title: string
  readonly family: string
  readonly resources: readonly string[]
  readonly by: string | undefined
  readonly from: string | undefined
  readonly progress: number
  readonly started: string
  readonly finished: string | undefined
  readonly code: string | undefined
  readonly message: string | undefined
  readonly correlation: string | undefined
  readonly source: Action | AuditEntry
}

export const moods: Readonly<Record<Entry['state'], Mood>> = {
  running: 'busy',
  success: 'ok',
  error: 'bad',
  refused: 'warn',
}

/** `starter` is the request that started it, where that is known. */
export function entryOfAction(action: Action, nameOf: NameOf, starter?: AuditEntry): Entry {
  return {
    key: `action-${action.id}`,
    id: action.id,
    kind: 'action',
    state: action.status,
    title: commandName(action.command),
    family: action.family,
    resources: action.resources.map(({ type, id }) => nameOf(type, id) ?? `${typeName(type)} ${id}`),
    by: starter && actorOf(starter),
    from: undefined,
    progress: action.progress,
    started: action.started,
    finished: action.finished ?? undefined,
    code: action.error?.code,
    message: action.error?.message,
    correlation: undefined,
    source: action,
  }
}

export function entryOfRequest(entry: AuditEntry, nameOf: NameOf): Entry {
  const isDone = entry.outcome === 'ok'
  return {
    key: `request-${entry.id}`,
    id: entry.id,
    kind: 'request',
    state: isDone ? 'success' : 'refused',
    title: entry.operation,
    family: entry.family,
    resources: entry.resources.map((id) => nameOf(typeOf(entry.family), Number(id)) ?? String(id)),
    by: actorOf(entry),
    from: entry.network,
    progress: 100,
    started: entry.time,
    finished: entry.time,
    code: isDone ? undefined : entry.outcome,
    message: undefined,
    correlation: entry.correlation_id,
    source: entry,
  }
}

/** Both feeds as one, newest first. What is older than the end of a feed that has more waits for it. */
export function merged(feeds: readonly { readonly entries: readonly Entry[]; readonly hasMore: boolean }[]): Entry[] {
  const ends = feeds.flatMap(({ entries, hasMore }) => (hasMore ? [entries.at(-1)?.started ?? ''] : []))
  const until = ends.sort().at(-1) ?? ''
  return feeds
    .flatMap(({ entries }) => entries)
    .filter(({ started }) => started >= until)
    .sort((a, b) => (a.started < b.started ? 1 : a.started > b.started ? -1 : b.id - a.id))
}

/** The types of resources that lines of a feed are about. */
export function typesIn(actions: readonly Action[], requests: readonly AuditEntry[] = []): readonly string[] {
  const ofActions = actions.flatMap(({ resources }) => resources.map(({ type }) => type))
  return [...new Set([...ofActions, ...requests.map(({ family }) => typeOf(family))])].sort()
}
