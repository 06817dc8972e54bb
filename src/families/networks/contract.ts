/** Networks on the wire (spec: Network, Networks). */
import { type TObject, Type } from 'typebox'
import { ActionReply } from '../../kernel/actions/contract.ts'
import { since } from '../../kernel/contract/as-of.ts'
import { defineEndpoints, Id, Labels, named, nullable, Timestamp } from '../../kernel/contract/contract.ts'
import type { ErrorCode } from '../../kernel/errors.ts'
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
  sortable: ['id', 'name', 'created'],
} as const

const section = 'Networks'
const closed = { additionalProperties: false } as const
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
  type: Type.Enum([...subnetTypes]),
  network_zone: Type.String({ maxLength: 64 }),
  ip_range: Type.Optional(nullable(Cidr)),
  vswitch_id: Type.Optional(nullable(Id)),
  gateway: Type.Optional(
    nullable(
      Type.String({ maxLength: 64, description: 'Ignored: follows from the range. Older clients send it empty' }),
    ),
  ),
}
const SubnetBody = named('NewSubnet', subnetBody, closed)
const RouteBody = Type.Object({ destination: Cidr, gateway: Address }, closed)

function changing<const Path extends string, Body extends TObject>(
  path: Path,
  summary: string,
  body: Body,
  errors: readonly ErrorCode[],
) {
  const row = { method: 'POST', path, summary, section, body, status: 201, reply: ActionReply } as const
  return { ...row, errors: ['conflict', ...errors] as readonly ErrorCode[] }
}

export const networkEndpoints = defineEndpoints({
  ...resourceEndpoints(spelling, Network, {
    section,
    create: {
      body: Type.Object(
        {
          name: Name,
          ip_range: Cidr,
          subnets: Type.Optional(Type.Array(SubnetBody, { maxItems: mostSubnets })),
          routes: Type.Optional(Type.Array(RouteBody, { maxItems: mostRoutes })),
          labels: Type.Optional(Labels),
          expose_routes_to_vswitch: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
      errors: ['service_error', 'vswitch_id_already_used'],
    },
    update: {
      summary: 'Change name, labels or the exposure of routes of a network',
      body: Type.Object(
        {
          name: Type.Optional(Name),
          labels: Type.Optional(Labels),
          expose_routes_to_vswitch: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
    },
    remove: { errors: ['conflict', 'protected'] },
  }),
  addSubnet: changing('/networks/{id}/actions/add_subnet', 'Add a subnet to a network', SubnetBody, [
    'resource_limit_exceeded',
    'service_error',
    'vswitch_id_already_used',
  ]),
  deleteSubnet: changing(
    '/networks/{id}/actions/delete_subnet',
    'Delete a subnet of a network',
    Type.Object({ ip_range: Cidr }, closed),
    ['service_error'],
  ),
  addRoute: changing('/networks/{id}/actions/add_route', 'Add a route to a network', RouteBody, [
    'resource_limit_exceeded',
  ]),
  deleteRoute: changing('/networks/{id}/actions/delete_route', 'Delete a route of a network', RouteBody, []),
  changeIpRange: changing(
    '/networks/{id}/actions/change_ip_range',
    'Extend the range of a network',
    Type.Object({ ip_range: Cidr }, closed),
    [],
  ),
  changeProtection: {
    method: 'POST',
    path: '/networks/{id}/actions/change_protection',
    summary: 'Protect a network from deletion, or no longer',
    section,
    body: Type.Object({ delete: Type.Optional(Type.Boolean()) }, closed),
    status: 201,
    reply: ActionReply,
    errors: [],
  },
})
