/** Rows of the tables of the spec, as data: what they look like. Families bring theirs in `proof.ts`. */
import type { ErrorCode } from '../../../src/kernel/errors.ts'
import type { Open } from '../../kit/harness.ts'

export interface SpecRows {
  readonly endpoints?: readonly EndpointRow[]
  readonly fields?: readonly FieldsRow[]
  readonly codes?: readonly SpecificRow[]
  readonly limits?: readonly LimitRow[]
  readonly sentences?: readonly SentenceRow[]
}

/** What a query parameter does: a value that leaves nothing, values that every entry then has, a value that is none. */
export interface Effect {
  readonly empty?: string
  readonly keeps?: readonly string[]
  readonly bad?: string
}

export interface EndpointRow {
  readonly section: string
  /** Method and path below the base URL. */
  readonly endpoint: string
  readonly status: number
  /** Query parameters besides `sort`, and the fields that it sorts by. */
  readonly query?: readonly string[]
  readonly sort?: readonly string[]
  readonly required?: readonly string[]
  readonly optional?: readonly string[]
  /** What query parameters do here that do not do the same everywhere. */
  readonly effects?: Readonly<Record<string, Effect>>
  /** Root keys of the reply. */
  readonly reply: readonly string[]
  /** Not a row of a table but said in words beside it. */
  readonly inWords?: true
  /** Names of further tests, as `file: name`. */
  readonly also?: readonly string[]
}

/** What lists of actions sort by. */
const actionSort = ['id', 'command', 'status', 'started', 'finished']

/** The rows about the actions of a family, of which the tables have the first few and words beside them the others. */
export function actionRows(
  section: string,
  family: string,
  inTable: number,
  also: readonly string[] = [],
): EndpointRow[] {
  const list = { section, status: 200, sort: actionSort, also }
  const one = { section, status: 200, reply: ['action'], also }
  const rows: EndpointRow[] = [
    { ...list, endpoint: `GET /${family}/{id}/actions`, query: ['status'], reply: ['actions'] },
    { ...one, endpoint: `GET /${family}/{id}/actions/{action_id}` },
    { ...list, endpoint: `GET /${family}/actions`, query: ['id', 'status'], reply: ['actions', 'meta'] },
    { ...one, endpoint: `GET /${family}/actions/{id}` },
  ]
  return rows.map((row, index) => (index < inTable ? row : { ...row, inWords: true }))
}

/** What a field may hold. */
export type Kind =
  | 'integer'
  | 'number'
  | 'string'
  | 'timestamp'
  | 'boolean'
  | 'object'
  | 'array'
  | `${'integer' | 'number' | 'string' | 'timestamp' | 'object'} or null`

export interface FieldsRow {
  /** The heading of the table. */
  readonly resource: string
  /** The endpoint that shows one, and where in its reply; without an endpoint, any list. */
  readonly at?: string
  readonly key: string
  /** The date of the calendar on which it can be read, unless it is today. */
  readonly on?: string
  readonly fields: Readonly<Record<string, Kind>>
  /** Fields of the table that a dated change has removed by then. */
  readonly removed?: readonly string[]
}

/** A code of one operation. The spec leaves most statuses open; these are the ones that clients know. */
export interface SpecificRow {
  /** As the table of the spec names it. */
  readonly operation: string
  readonly at: string
  readonly codes: readonly { readonly code: ErrorCode; readonly status: number }[]
  /** Codes of the row that nothing answers with, and why. */
  readonly unused?: Readonly<Record<string, string>>
}

/** A row of the table of limits. */
export interface LimitRow {
  readonly limit: string
  /** Tries both sides of it. */
  check(open: Open): Promise<void>
}

export interface SentenceRow {
  readonly section: string
  readonly says: string
  readonly tests: readonly string[]
}
