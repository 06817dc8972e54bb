/** API tokens through the management API. */
import type { ListedToken } from '../kernel/access/tokens.ts'
import { latestMs, parseInstant } from '../kernel/contract/instants.ts'
import { invalidInput } from '../kernel/errors.ts'
import { timestamp } from '../kernel/process/clock.ts'
import { readScope } from './scopes.ts'

const timeOf = (ms: number | null) => (ms === null ? null : timestamp(ms))

/** The wire form of a token. */
export function tokenToWire(token: ListedToken) {
  const { id, name, read_only, scope, tail, created, creator, expires, last_used, given, rotates } = token
  return {
    ...{ id, name, created, rotates },
    access: read_only === 1 ? ('read' as const) : ('read_write' as const),
    scope: scope && {
      ...(scope.families ? { families: [...scope.families] } : {}),
      ...(scope.verbs ? { verbs: [...scope.verbs] } : {}),
      ...(scope.label_selector === undefined ? {} : { label_selector: scope.label_selector }),
    },
    ends_with: tail,
    created_by: creator,
    expires: timeOf(expires),
    last_used: timeOf(last_used),
    given: given === 1,
  }
}

/**
 * The moment that a text names, in ms since the epoch; null for never. A day without a time is meant whole, in UTC. Errors:
 * `invalid_input` for one that is past.
 */
export function readExpiry(given: string | null | undefined, nowMs: number): number | null {
  if (given === undefined || given === null) return null
  const isDay = /^\d{4}-\d\d-\d\d$/.test(given)
  const start = parseInstant(isDay ? `${given}T00:00:00Z` : given)
  if (start === undefined) throw refused('must be a time such as 2030-01-31T00:00:00Z')
  const ms = start + (isDay ? dayMs : 0)
  if (ms <= nowMs) throw refused('must be in the future')
  if (ms > latestMs) throw refused('must be before the year 10000')
  return ms
}

const dayMs = 86_400_000

const refused = (message: string) => invalidInput([{ field: 'expires', message }])

/** Errors: `invalid_input`. */
export function scopeIn(given: Parameters<typeof readScope>[0] | null | undefined) {
  const read = readScope(given ?? {})
  if ('problems' in read) throw invalidInput(read.problems)
  return read.scope
}

/** Returns the expiry of a token that replaces another: it works as long as the other did from its own beginning. */
export function expiryLike(
  { created, expires }: Pick<ListedToken, 'created' | 'expires'>,
  nowMs: number,
): number | null {
  return expires === null ? null : Math.min(latestMs, nowMs + Math.max(0, expires - Date.parse(created)))
}
