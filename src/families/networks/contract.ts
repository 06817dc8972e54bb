/** Networks on the wire (spec: Network, Networks). */
import { Type } from 'typebox'
import { actionsOf } from '../../kernel/actions/contract.ts'
import { since, withoutValues } from '../../kernel/contract/as-of.ts'
import {
  closed,
  closedObject,
  defineEndpoints,
  Id,
  Labels,
  named,
  nullable,
  Timestamp,
} from '../../kernel/contract/contract.ts'
import { unread } from '../../kernel/contract/marks.ts'
import { catalogued } from '../../kernel/contract/references.ts'
import { resourceEndpoints } from '../../kernel/resource/endpoints.ts'
import { networkChanges } from './changes.ts'
import { mostRoutes, mostSubnets, subnetTypes } from './domain.ts'

declare module '../../kernel/errors.ts' {
  interface CallCodes {
    vswitch_id_already_used: 422
  }
}

export const spelling = {
  type: 'network',
  path: 'networks',
  title: 'network',
  titles: 'networks',
  sortable: ['id', 'name', 'created'],
} as const

const section = 'Networks'
const action = actionsOf('/networks/{id}', section)
/** Texts are parsed by `domain.ts`, whose messages say what is wrong with them. */
const Cidr = Type.String({ maxLength: 64 })
const Address = Type.String({ maxLength: 64 })

const Route = Type.Object({ destination: Type.String(), gateway: Type.String() })

export const Network = named('Network', {
  id: Id,
  name: Type.String(),
  ip_range: Type.String(),
  subnets: Type.Array(
    Type.Object({
      type: Type.Enum([...subnetTypes]),
      ip_range: Type.String(),
      network_zone: Type.String(),
      gateway: Type.String(),
      vswitch_id: nullable(Id),
    }),
  ),
  routes: Type.Array(Route),
  servers: Type.Array(Id),
  load_balancers: Type.Array(Id),
  protection: Type.Object({ delete: Type.Boolean() }),
  labels: Labels,
  created: Timestamp,
  expose_routes_to_vswitch: since(networkChanges.network_vswitch_routes, Type.Boolean()),
})

const Name = Type.String({ minLength: 1, maxLength: 255 })

const subnetBody = {
  type: withoutValues(Type.Enum([...subnetTypes]), { server: networkChanges.server_subnets_removed }),
  network_zone: Type.String({ maxLength: 64 }),
  ip_range: Type.Optional(nullable(Cidr)),
  vswitch_id: Type.Optional(nullable(Id)),
  gateway: unread(
    Type.Optional(
      nullable(
        Type.String({ maxLength: 64, description: 'Ignored: follows from the range. Older clients send it empty' }),
      ),
    ),
  ),
}
const SubnetBody = named('NewSubnet', subnetBody, closed)
const RouteBody = closedObject({ destination: Cidr, gateway: Address })

export const networkEndpoints = defineEndpoints({
  ...resourceEndpoints(spelling, Network, {
    needs: 'member',
    section,
    create: {
      body: closedObject({
        name: Name,
        ip_range: Cidr,
        subnets: Type.Optional(Type.Array(SubnetBody, { maxItems: mostSubnets })),
        routes: Type.Optional(Type.Array(RouteBody, { maxItems: mostRoutes })),
        labels: Type.Optional(Labels),
        expose_routes_to_vswitch: Type.Optional(Type.Boolean()),
      }),
      // A vSwitch is outside of the API and belongs to nobody here.
      refers: { 'subnets[].vswitch_id': catalogued('vswitch') },
      errors: ['service_error', 'unsupported_error', 'vswitch_id_already_used'],
    },
    update: {
      summary: 'Change name, labels or the exposure of routes of a network',
      body: closedObject({
        name: Type.Optional(Name),
        labels: Type.Optional(Labels),
        expose_routes_to_vswitch: Type.Optional(Type.Boolean()),
      }),
    },
    remove: { errors: ['conflict', 'protected'] },
  }),
  addSubnet: action('add_subnet', {
    needs: 'restricted',
    summary: 'Add a subnet to a network',
    body: SubnetBody,
    refers: { vswitch_id: catalogued('vswitch') },
    errors: ['conflict', 'resource_limit_exceeded', 'service_error', 'unsupported_error', 'vswitch_id_already_used'],
  }),
  deleteSubnet: action('delete_subnet', {
    needs: 'restricted',
    summary: 'Delete a subnet of a network',
    body: closedObject({ ip_range: Cidr }),
    errors: ['conflict', 'service_error'],
  }),
  addRoute: action('add_route', {
    needs: 'restricted',
    summary: 'Add a route to a network',
    body: RouteBody,
    errors: ['conflict', 'resource_limit_exceeded'],
  }),
  deleteRoute: action('delete_route', {
    needs: 'restricted',
    summary: 'Delete a route of a network',
    body: RouteBody,
    errors: ['conflict'],
  }),
  changeIpRange: action('change_ip_range', {
    needs: 'restricted',
    summary: 'Extend the range of a network',
    body: closedObject({ ip_range: Cidr }),
    errors: ['conflict'],
  }),
  changeProtection: action('change_protection', {
    needs: 'restricted',
    summary: 'Protect a network from deletion, or no longer',
    body: closedObject({ delete: Type.Optional(Type.Boolean()) }),
  }),
})
