/** A request that a form or a command of the console will send. One value feeds the request and all equivalents. */

/** A request by the name of its operation: the family, with dashes as underscores, and the key of the row. */
export interface Asked {
  /** Such as `servers_create`. */
  readonly operation: string
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly body?: unknown
  /** The operations that are asked afterwards of what was made, such as `servers_enableBackup`; none says more. */
  readonly afterwards?: readonly string[]
}

export type QueryValue = string | number | boolean | readonly (string | number)[] | undefined

/** The part of an operation's row that renderers need. */
export interface OperationRow {
  readonly method: string
  /** Below the base URL, with parameters in braces: `/servers/{id}`. */
  readonly path: string
}

/** The facts that the page knows besides, for commands that change things one by one. */
export interface Known {
  /** The labels that the resource has before the request. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** The description that it has, for commands that would empty it. */
  readonly description?: string | undefined
}

/** The reasons why a client has no command for a request. */
export type ReasonKind =
  | 'command'
  | 'describes'
  | 'labels'
  | 'missing'
  | 'nothing'
  | 'oneValue'
  | 'option'
  | 'ownCommand'
  | 'person'
  | 'notHere'
  | 'together'
  | 'unfinished'
  | 'value'

/** A reason without its words, which are those of the reader's language. */
export interface Reason {
  readonly kind: ReasonKind
  /** The subject, as the API or the client spells it: a field, a command. */
  readonly what?: string | undefined
}

/** A command to copy, with the minor version of its client from which on it works (54 is 1.54), or why there is none. */
export type Rendered = { readonly text: string; readonly since?: number } | { readonly reason: Reason }

/** Path and query below the base URL, encoded. Throws when a parameter of the path is missing. */
export function pathOf({ params = {}, query = {} }: Asked, { path }: OperationRow): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`the path ${path} needs a ${name}`)
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => listOf(value).map((one): [string, string] => [name, String(one)])),
  ).toString()
  return search === '' ? filled : `${filled}?${search}`
}

function listOf(value: QueryValue): readonly (string | number | boolean)[] {
  if (value === undefined) return []
  return typeof value === 'object' ? value : [value]
}
