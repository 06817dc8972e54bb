/** The operations of the API and their types. Everything here comes from the contracts, as types only. */
import type { Static, TSchema } from 'typebox'
import type { Need } from '../../src/kernel/access/roles.ts'
import type { actionEndpoints } from '../../src/kernel/actions/contract.ts'
import type { auditEndpoints } from '../../src/kernel/audit/contract.ts'
import type { BodyOf, Endpoint, PathParams } from '../../src/kernel/contract/contract.ts'
import type { labEndpoints } from '../../src/lab/contract.ts'
import type { faultEndpoints } from '../../src/lab/faults/contract.ts'
import type { seedEndpoints } from '../../src/lab/seed/contract.ts'
import type { managementEndpoints } from '../../src/management/contract.ts'
import type { peopleEndpoints } from '../../src/people/contract.ts'
import type { reachabilityEndpoints } from '../../src/reachability/contract.ts'
import type { Contracts } from '../generated/contracts.ts'
import { type OperationId, places } from '../generated/operations.ts'

/** The id of an operation, as in openapi.json: `servers_create`. */
export type { OperationId } from '../generated/operations.ts'

interface Families extends Contracts {
  audit: typeof auditEndpoints
  lab: typeof labEndpoints
  faults: typeof faultEndpoints
  seed: typeof seedEndpoints
  management: typeof managementEndpoints
  people: typeof peopleEndpoints
  actions: typeof actionEndpoints
  reachability: typeof reachabilityEndpoints
}

/** `servers`: every family has operations, not all have resources. */
export type OperationFamily = keyof Families

type Named = {
  [Family in keyof Families]: {
    [Key in keyof Families[Family] & string as `${Family}_${Key}`]: Families[Family][Key]
  }
}[keyof Families]
type Joined<Union> = (Union extends unknown ? (part: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** The contract of every operation, by its id in openapi.json. */
type Operations = Pick<Joined<Named>, OperationId>

type EndpointOf<Id extends OperationId> = Operations[Id] extends Endpoint ? Operations[Id] : never

type FirstPart<Path> = Path extends `/${infer Part}/${string}` ? Part : Path extends `/${infer Part}` ? Part : never
type FamilyOf<Path> = Path extends `/projects/{project_id}/${infer Rest}` ? FirstPart<`/${Rest}`> : FirstPart<Path>

/** The families of operations, as feeds and scopes name them: `servers`, `tokens`. */
export type FamilyName = { [Id in OperationId]: FamilyOf<EndpointOf<Id>['path']> }[OperationId]

/** The values that a query parameter may have; lists are sent as repeated parameters. */
export type QueryValue = string | number | boolean | readonly (string | number)[] | undefined

type QueryInput<E> = E extends { readonly query: infer Query }
  ? { readonly [Name in keyof Query]?: QueryValue }
  : Record<never, never>

type ParamsOf<Id extends OperationId> = PathParams<EndpointOf<Id>['path']>
export type BodyFor<Id extends OperationId> = BodyOf<EndpointOf<Id>>
export type ReplyFor<Id extends OperationId> = EndpointOf<Id>['reply'] extends TSchema
  ? Static<EndpointOf<Id>['reply']>
  : undefined

type Part<Name extends string, Value> = keyof Value extends never
  ? { readonly [Key in Name]?: undefined }
  : { readonly [Key in Name]: Value }
type Body<Value> = [Value] extends [undefined] ? { readonly body?: undefined } : { readonly body: Value }

/** The input of a call besides its operation. */
export type InputOf<Id extends OperationId> = Part<'params', ParamsOf<Id>> & {
  readonly query?: QueryInput<EndpointOf<Id>>
} & Body<BodyFor<Id>>

/** One call of the API as a value. It is sent, used as the key of its cached reply, and shown as commands. */
export type ApiRequest<Id extends OperationId = OperationId> = Id extends OperationId
  ? { readonly operation: Id } & InputOf<Id>
  : never

/** A call of which only the outline matters. */
export interface AnyRequest {
  readonly operation: OperationId
  readonly params?: Readonly<Record<string, string | number>> | undefined
  readonly query?: Readonly<Record<string, QueryValue>> | undefined
  readonly body?: unknown
  /** The operations that are asked afterwards of what was made. */
  readonly afterwards?: readonly OperationId[] | undefined
}

/** The operations that try a failed action of a family again, by its command; they need nothing but the resource. */
export type Retries<Family extends keyof Contracts> = Readonly<Record<string, keyof Contracts[Family]>>

/** The operations of one family below one path, as scripts/console-tables.ts lists them: they share the beginnings of much. */
export type Place = readonly [
  base: string,
  path: string,
  family: string,
  /** By their keys: the method, the rest of the path, and the access they need, as in `GET /{id} viewer`, and `paged`. */
  operations: Readonly<Record<string, string>>,
  /** Of resources that can be deleted one by one. */
  type?: string,
]

export interface Operation {
  readonly method: string
  /** Below the base, with parameters in braces: `/servers/{id}`. */
  readonly path: string
  /** The access it needs. */
  readonly needs: Need
  readonly isPaged: boolean
  /** The root of the API below which it is. */
  readonly base: string
}

const all: readonly Place[] = places
const operations: ReadonlyMap<string, Operation> = new Map(
  all.flatMap(([base, path, family, rows]) =>
    Object.entries(rows).map(([key, row]) => {
      const [method, below, needs, paged] = row.split(' ') as [string, string, Need, 'paged'?]
      return [`${family}_${key}`, { method, path: path + below, needs, isPaged: !!paged, base }]
    }),
  ),
)

export function operationOf(id: OperationId): Operation {
  return operations.get(id)!
}

export function isOperation(id: string): id is OperationId {
  return operations.has(id)
}

export const operationIds = [...operations.keys()] as readonly OperationId[]

const typesByFamily = new Map(all.flatMap(([, , family, , type]) => (type ? [[family, type]] : [])))

/** The type by which the API refers to a resource of a family: `server` for `servers`. What is no family stays as it is. */
export function typeOf(family: string): string {
  return typesByFamily.get(family) ?? family
}

/** The family whose resources are of a type: `servers` for `server`. What is no type stays as it is. */
export function familyOf(type: string): string {
  return [...typesByFamily].find(([, one]) => one === type)?.[0] ?? type
}
