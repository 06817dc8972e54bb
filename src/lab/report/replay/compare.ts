/** Compares an answer with the one that was recorded. */
import { isMasked } from '../masks.ts'
import type { Names } from './names.ts'

export interface Difference {
  /** A path in the answer, such as `server.status`; or `status` of the answer itself. */
  readonly field: string
  readonly recorded: unknown
  readonly now: unknown
}

/** These fields of an action depend on when it is asked for. */
const byTime: ReadonlySet<string> = new Set(['status', 'progress', 'finished', 'error'])

const isDate = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value)
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

export interface Compared {
  readonly names: Names
  /** True for the answer of a change, after which its actions may have come further or less far than they had. */
  readonly isChange: boolean
}

/** The differences of two bodies. Dates, secrets and the texts of errors make none, and names make none that go together. */
export function differences(recorded: unknown, now: unknown, compared: Compared): Difference[] {
  const found: Difference[] = []
  const visit = (before: unknown, after: unknown, path: string, name: string) => {
    if (before === after || (isDate(before) && isDate(after))) return
    if (isMasked(before) && after !== null && after !== undefined) return
    if (compared.names.areSame(name, before, after)) return
    if (isObject(before) && isObject(after) && Array.isArray(before) === Array.isArray(after)) {
      for (const [key, one, other] of pairs(before, after, compared.isChange))
        visit(one, other, Array.isArray(before) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`, key)
    } else found.push({ field: path, recorded: before, now: after })
  }
  visit(errorIn(recorded), errorIn(now), '', '')
  return found
}

/** The fields that either has. Those are met first by which others can be known. */
function pairs(before: Record<string, unknown>, after: Record<string, unknown>, isChange: boolean) {
  const isFree = isAction(before) && isAction(after) && (isChange || before.status === 'running')
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => !(isFree && byTime.has(key)),
  )
  return keys.map((key) => [key, before[key], after[key]] as const)
}

const isAction = (value: Record<string, unknown>) => 'command' in value && 'progress' in value && 'resources' in value

/** An error counts by its code. */
function errorIn(body: unknown): unknown {
  const error = isObject(body) && isObject(body.error) && typeof body.error.code === 'string' ? body.error : undefined
  return error ? { error: { code: error.code } } : body
}
