/** The search parameters of the activity and of the audit log. */

export const statuses = ['all', 'running', 'error'] as const
export const whats = ['all', 'actions', 'requests'] as const
export const sinces = ['all', 'hour', 'day', 'week'] as const
export const outcomes = ['all', 'ok', 'refused'] as const

export interface ActivitySearch {
  readonly q?: string | undefined
  readonly status?: (typeof statuses)[number] | undefined
  readonly what?: (typeof whats)[number] | undefined
  readonly since?: (typeof sinces)[number] | undefined
  readonly family?: string | undefined
  /** The entry whose details are open: `action-1` or `request-1`. */
  readonly entry?: string | undefined
}

export interface AuditSearch {
  readonly q?: string | undefined
  readonly actor?: string | undefined
  readonly outcome?: (typeof outcomes)[number] | undefined
  readonly since?: (typeof sinces)[number] | undefined
  /** The id of the entry whose details are open. */
  readonly entry?: number | undefined
}

const textOf = (value: unknown): string | undefined => {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text !== '' ? text : undefined
}
const oneOf = <Value extends string>(all: readonly Value[], value: unknown): Value | undefined =>
  all.find((one) => one === value && one !== 'all')

/** Leaves out what is not said. */
function said<Search extends object>(search: Search): Search {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as Search
}

export function activitySearch({ q, status, what, since, family, entry }: Record<string, unknown>): ActivitySearch {
  return said({
    q: textOf(q),
    status: oneOf(statuses, status),
    what: oneOf(whats, what),
    since: oneOf(sinces, since),
    family: textOf(family),
    entry: textOf(entry),
  })
}

export function auditSearch({ q, actor, outcome, since, entry }: Record<string, unknown>): AuditSearch {
  return said({
    q: textOf(q),
    actor: textOf(actor),
    outcome: oneOf(outcomes, outcome),
    since: oneOf(sinces, since),
    entry: Number.isSafeInteger(entry) ? (entry as number) : undefined,
  })
}
