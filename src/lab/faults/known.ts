/** The names that rules may use, from the table of families. */
import { families } from '../../families.ts'
import type { Endpoint } from '../../kernel/contract/contract.ts'
import { generalCodes } from '../../kernel/errors.ts'

export interface PublicOperation {
  /** The name of the operation in api/openapi.json, such as `servers_create`. */
  readonly id: string
  readonly endpoint: Endpoint
  /** The type of the resources of its family. */
  readonly type: string
}

/** The operations of the public API by their endpoints. */
export const operations: ReadonlyMap<Endpoint, PublicOperation> = new Map(
  families.flatMap(({ name, spelling: { type }, endpoints }) =>
    Object.entries(endpoints).map(([key, endpoint]) => [endpoint, { id: `${name}_${key}`, endpoint, type }] as const),
  ),
)

const byName = new Map(
  [...operations.values()].flatMap((operation) => {
    const { method, path } = operation.endpoint
    return [
      [operation.id, operation],
      [`${method} ${path}`, operation],
    ] as const
  }),
)

/** Listening to the events of a Project, which is no operation of the contract. */
export const listening: PublicOperation = {
  id: 'events',
  endpoint: { method: 'GET', path: '/events' } as Endpoint,
  type: 'event',
}

/** Finds an operation by its id, or by its method and path; undefined for an unknown one. */
export function operationNamed(name: string): PublicOperation | undefined {
  return name === listening.id ? listening : byName.get(name)
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
