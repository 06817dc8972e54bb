/** The operations of the API and their types. Everything here comes from the contracts, as types only. */
import type { Static, TSchema } from 'typebox'
import type { certificateEndpoints } from '../../src/families/certificates/contract.ts'
import type { datacenterEndpoints } from '../../src/families/datacenters/contract.ts'
import type { firewallEndpoints } from '../../src/families/firewalls/contract.ts'
import type { floatingIpEndpoints } from '../../src/families/floating-ips/contract.ts'
import type { imageEndpoints } from '../../src/families/images/contract.ts'
import type { isoEndpoints } from '../../src/families/isos/contract.ts'
import type { loadBalancerTypeEndpoints } from '../../src/families/load-balancer-types/contract.ts'
import type { addressEndpoints } from '../../src/families/load-balancers/addresses/contract.ts'
import type { loadBalancerEndpoints } from '../../src/families/load-balancers/contract.ts'
import type { metricEndpoints } from '../../src/families/load-balancers/metrics/contract.ts'
import type { placeEndpoints } from '../../src/families/load-balancers/places/contract.ts'
import type { serviceEndpoints } from '../../src/families/load-balancers/services/contract.ts'
import type { targetEndpoints } from '../../src/families/load-balancers/targets/contract.ts'
import type { locationEndpoints } from '../../src/families/locations/contract.ts'
import type { networkEndpoints } from '../../src/families/networks/contract.ts'
import type { memberEndpoints } from '../../src/families/networks/members/contract.ts'
import type { placementGroupEndpoints } from '../../src/families/placement-groups/contract.ts'
import type { pricingEndpoints } from '../../src/families/pricing/contract.ts'
import type { primaryIpEndpoints } from '../../src/families/primary-ips/contract.ts'
import type { serverTypeEndpoints } from '../../src/families/server-types/contract.ts'
import type { serverEndpoints } from '../../src/families/servers/contract.ts'
import type { sshKeyEndpoints } from '../../src/families/ssh-keys/contract.ts'
import type { storageBoxTypeEndpoints } from '../../src/families/storage-box-types/contract.ts'
import type { storageBoxEndpoints } from '../../src/families/storage-boxes/contract.ts'
import type { volumeEndpoints } from '../../src/families/volumes/contract.ts'
import type { zoneEndpoints } from '../../src/families/zones/contract.ts'
import type { rrsetEndpoints } from '../../src/families/zones/rrsets/contract.ts'
import type { zonefileEndpoints } from '../../src/families/zones/zonefiles/contract.ts'
import type { actionEndpoints, familyActionEndpoints, ResourceParam } from '../../src/kernel/actions/contract.ts'
import type { auditEndpoints } from '../../src/kernel/audit/contract.ts'
import type { BodyOf, Endpoint, PathParams } from '../../src/kernel/contract/contract.ts'
import type { managementEndpoints } from '../../src/management/contract.ts'
import type { peopleEndpoints } from '../../src/people/contract.ts'
import type { labEndpoints } from '../../src/reachability/contract.ts'
import { type OperationId, operationsText, type TypeOf } from '../generated/operations.ts'
import { type Operation, readOperations } from './operation-table.ts'

/** The id of an operation, as in openapi.json: `servers_create`. */
export type { OperationId } from '../generated/operations.ts'

type ActionsOf<Family extends string, Param extends ResourceParam = 'id'> = ReturnType<
  typeof familyActionEndpoints<Family, Param>
>

interface Families {
  audit: typeof auditEndpoints
  management: typeof managementEndpoints
  people: typeof peopleEndpoints
  actions: typeof actionEndpoints
  certificates: typeof certificateEndpoints & ActionsOf<'certificates'>
  datacenters: typeof datacenterEndpoints
  firewalls: typeof firewallEndpoints & ActionsOf<'firewalls'>
  floating_ips: typeof floatingIpEndpoints & ActionsOf<'floating_ips'>
  images: typeof imageEndpoints & ActionsOf<'images'>
  isos: typeof isoEndpoints
  lab: typeof labEndpoints
  load_balancer_types: typeof loadBalancerTypeEndpoints
  load_balancers: typeof loadBalancerEndpoints &
    typeof serviceEndpoints &
    typeof targetEndpoints &
    typeof placeEndpoints &
    typeof addressEndpoints &
    typeof metricEndpoints &
    ActionsOf<'load_balancers'>
  locations: typeof locationEndpoints
  networks: typeof networkEndpoints & typeof memberEndpoints & ActionsOf<'networks'>
  placement_groups: typeof placementGroupEndpoints
  pricing: typeof pricingEndpoints
  primary_ips: typeof primaryIpEndpoints & ActionsOf<'primary_ips'>
  server_types: typeof serverTypeEndpoints
  servers: typeof serverEndpoints & ActionsOf<'servers'>
  ssh_keys: typeof sshKeyEndpoints
  storage_box_types: typeof storageBoxTypeEndpoints
  storage_boxes: typeof storageBoxEndpoints
  volumes: typeof volumeEndpoints & ActionsOf<'volumes'>
  zones: typeof zoneEndpoints & typeof zonefileEndpoints & typeof rrsetEndpoints & ActionsOf<'zones', 'id_or_name'>
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

/** What operations are about, as feeds and scopes name it: `servers`, `tokens`. */
export type FamilyName = { [Id in OperationId]: FamilyOf<EndpointOf<Id>['path']> }[OperationId]

/** The type by which the API refers to what can be deleted one by one: `server`. */
export type ResourceType = TypeOf[keyof TypeOf]

/** What a query parameter may be given as; lists are sent as repeated parameters. */
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

/** What a call needs besides its operation. */
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
  /** What is asked afterwards of that which was made. */
  readonly afterwards?: readonly OperationId[] | undefined
}

const { operations, types } = readOperations(operationsText)

export function operationOf(id: OperationId): Operation {
  return operations.get(id)!
}

export function isOperation(id: string): id is OperationId {
  return operations.has(id)
}

export const operationIds = [...operations.keys()] as readonly OperationId[]

/** The type by which the API refers to a resource of a family: `server` for `servers`. What is no family stays as it is. */
export function typeOf(family: string): string {
  return types.get(family) ?? family
}

/** The family whose resources are of a type: `servers` for `server`. What is no type stays as it is. */
export function familyOf(type: string): string {
  return [...types.keys()].find((family) => types.get(family) === type) ?? type
}
