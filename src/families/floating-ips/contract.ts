/** Floating IPs on the wire (spec: Floating IP, Floating IPs). */
import { Type } from 'typebox'
import { ActionReply, ActionSchema } from '../../kernel/actions/contract.ts'
import {
  defineEndpoints,
  Id,
  IdOrName,
  Labels,
  listing,
  Meta,
  named,
  nullable,
  Timestamp,
} from '../../kernel/contract/contract.ts'
import { Location } from '../locations/contract.ts'

const closed = { additionalProperties: false } as const
const IpType = Type.Enum(['ipv4', 'ipv6'])

export const FloatingIp = named('FloatingIp', {
  id: Id,
  name: Type.String(),
  description: nullable(Type.String()),
  type: IpType,
  ip: Type.String(),
  server: nullable(Id),
  home_location: Location,
  blocked: Type.Boolean(),
  dns_ptr: Type.Array(Type.Object({ ip: Type.String(), dns_ptr: Type.String() })),
  labels: Labels,
  protection: Type.Object({ delete: Type.Boolean() }),
  created: Timestamp,
})

const Name = Type.String({ minLength: 1, maxLength: 128 })
const DnsPtr = Type.String({ maxLength: 1_024, description: 'A host name of at most 253 characters' })
const Description = nullable(Type.String({ maxLength: 1_024 }))
const Reply = Type.Object({ floating_ip: FloatingIp })
declare module '../../kernel/errors.ts' {
  interface CallCodes {
    must_be_unassigned: 422
    floating_ip_assigned: 422
  }
}

const section = 'Endpoints, Floating IPs'

export const floatingIpEndpoints = defineEndpoints({
  list: {
    method: 'GET',
    path: '/floating_ips',
    summary: 'List Floating IPs',
    section,
    query: listing(['id', 'created']),
    status: 200,
    reply: Type.Object({ floating_ips: Type.Array(FloatingIp), meta: Meta }),
    errors: [],
  },
  create: {
    method: 'POST',
    path: '/floating_ips',
    summary: 'Create a Floating IP',
    section,
    body: Type.Object(
      {
        type: IpType,
        home_location: Type.Optional(nullable(IdOrName)),
        server: Type.Optional(nullable(Id)),
        description: Type.Optional(Description),
        labels: Type.Optional(Labels),
        name: Type.Optional(nullable(Name)),
      },
      closed,
    ),
    status: 201,
    reply: Type.Object({ floating_ip: FloatingIp, action: nullable(ActionSchema) }),
    errors: ['uniqueness_error', 'unavailable', 'resource_limit_exceeded'],
    statuses: { unavailable: 412 },
  },
  get: {
    method: 'GET',
    path: '/floating_ips/{id}',
    summary: 'Get a Floating IP',
    section,
    status: 200,
    reply: Reply,
    errors: [],
  },
  update: {
    method: 'PUT',
    path: '/floating_ips/{id}',
    summary: 'Change name, description or labels of a Floating IP',
    section,
    body: Type.Object(
      { name: Type.Optional(Name), description: Type.Optional(Description), labels: Type.Optional(Labels) },
      closed,
    ),
    status: 200,
    reply: Reply,
    errors: ['uniqueness_error', 'conflict'],
  },
  remove: {
    method: 'DELETE',
    path: '/floating_ips/{id}',
    summary: 'Delete a Floating IP that is not assigned',
    section,
    status: 204,
    errors: ['locked', 'protected', 'must_be_unassigned'],
  },
  assign: {
    method: 'POST',
    path: '/floating_ips/{id}/actions/assign',
    summary: 'Assign a Floating IP to a server, also from another one',
    section,
    body: Type.Object({ server: Id }, closed),
    status: 201,
    reply: ActionReply,
    errors: ['locked', 'floating_ip_assigned'],
  },
  unassign: {
    method: 'POST',
    path: '/floating_ips/{id}/actions/unassign',
    summary: 'Unassign a Floating IP',
    section,
    status: 201,
    reply: ActionReply,
    errors: ['locked', 'service_error'],
  },
  changeDnsPtr: {
    method: 'POST',
    path: '/floating_ips/{id}/actions/change_dns_ptr',
    summary: 'Change the reverse DNS name of an address',
    section,
    body: Type.Object({ ip: Type.String({ maxLength: 64 }), dns_ptr: Type.Optional(nullable(DnsPtr)) }, closed),
    status: 201,
    reply: ActionReply,
    errors: [],
  },
  changeProtection: {
    method: 'POST',
    path: '/floating_ips/{id}/actions/change_protection',
    summary: 'Protect a Floating IP from deletion, or no longer',
    section,
    body: Type.Object({ delete: Type.Optional(Type.Boolean()) }, closed),
    status: 201,
    reply: ActionReply,
    errors: [],
  },
})
