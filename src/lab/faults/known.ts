/** The names that rules may use, from the table of families. */
import { families } from '../../families.ts'
import type { Endpoint } from '../../kernel/contract/contract.ts'
import { generalCodes } from '../../kernel/errors.ts'
import type { Passage } from '../../kernel/http/interceptor.ts'

export interface PublicOperation {
  /** The name of the operation in api/openapi.json, such as `servers_create`. */
  readonly id: string
  readonly method: string
  /** Undefined for what is no operation of the contract. */
  readonly endpoint: Endpoint | undefined
  /** The type of the resources of its family; undefined for what is of none. */
  readonly type: string | undefined
}

/** The operations of the public API by their endpoints. */
const operations: ReadonlyMap<Endpoint, PublicOperation> = new Map(
  families.flatMap(({ name, spelling: { type }, endpoints }) =>
    Object.entries(endpoints).map(([key, endpoint]) => {
      const { method } = endpoint
      return [endpoint, { id: `${name}_${key}`, method, endpoint, type }] as const
    }),
  ),
)

/** What is opened and is no operation of the contract, by the end of its path: events of a Project, and screens. */
const opened: ReadonlyMap<string, PublicOperation> = new Map(
  ['events', 'console'].map((id) => [id, { id, method: 'GET', endpoint: undefined, type: undefined }]),
)

const byName = new Map<string, PublicOperation>([
  ...opened,
  ...[...operations.values()].flatMap((operation) => {
    const { method, path } = operation.endpoint!
    return [
      [operation.id, operation],
      [`${method} ${path}`, operation],
    ] as const
  }),
])

/** Finds an operation by its id, or by its method and path; undefined for an unknown one. */
export function operationNamed(name: string): PublicOperation | undefined {
  return byName.get(name)
}

const roots = [...new Set(families.map(({ base }) => `${base}/`))]
const longestPath = 200

/** What a request asks for; undefined for what is not of the public API. */
export function operationAt({ asked, method, path }: Passage): PublicOperation | undefined {
  if (typeof asked === 'string') return opened.get(asked.slice(asked.lastIndexOf('/') + 1))
  if (asked) return operations.get(asked)
  if (!roots.some((root) => path.startsWith(root))) return undefined
  return { id: `${method} ${path.slice(0, longestPath)}`, method, endpoint: undefined, type: undefined }
}

export const types: ReadonlySet<string> = new Set(families.map(({ spelling: { type } }) => type))

const definitions = families.flatMap(({ actions }) => actions)

export const commands: ReadonlySet<string> = new Set(definitions.map(({ command }) => command))

/** The steps of the actions of a command, or of all. */
export function stepsOf(asked: string | undefined): ReadonlySet<string> {
  const some = definitions.filter(({ command }) => asked === undefined || command === asked)
  return new Set(some.flatMap(({ steps }) => steps.map(({ name }) => name)))
}

/** The codes of all errors with which the API answers. */
export const codes: ReadonlySet<string> = new Set([
  ...generalCodes,
  ...families.flatMap(({ endpoints }) => Object.values(endpoints).flatMap(({ errors }) => errors)),
])
