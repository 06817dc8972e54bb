/** Floating IPs on the wire (spec: Floating IP, Floating IPs). */
import { Type } from 'typebox'
import { ActionReply, ActionSchema } from '../../kernel/actions/contract.ts'
import { defineEndpoints, Id, IdOrName, Labels, named, nullable, Timestamp } from '../../kernel/contract/contract.ts'
import { resourceEndpoints } from '../../kernel/resource/endpoints.ts'
import { IpType, ReverseNameChange, ReverseNames } from '../addresses/contract.ts'
import { Location } from '../locations/contract.ts'

declare module '../../kernel/errors.ts' {
  interface CallCodes {
    must_be_unassigned: 422
    floating_ip_assigned: 422
  }
}

export const spelling = {
  type: 'floating_ip',
  path: 'floating_ips',
  title: 'Floating IP',
  sortable: ['id', 'created'],
} as const

const section = 'Floating IPs'
const closed = { additionalProperties: false } as const

export const FloatingIp = named('FloatingIp', {
  id: Id,
  name: Type.String(),
  description: nullable(Type.String()),
  type: IpType,
  ip: Type.String(),
  server: nullable(Id),
  home_location: Location,
  blocked: Type.Boolean(),
  dns_ptr: ReverseNames,
  labels: Labels,
  protection: Type.Object({ delete: Type.Boolean() }),
  created: Timestamp,
})

const Name = Type.String({ minLength: 1, maxLength: 128 })
const Description = nullable(Type.String({ maxLength: 1_024 }))

export const floatingIpEndpoints = defineEndpoints({
  ...resourceEndpoints(spelling, FloatingIp, {
    section,
    create: {
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
      reply: { action: nullable(ActionSchema) },
      errors: ['unavailable'],
      statuses: { unavailable: 412 },
    },
    update: {
      summary: 'Change name, description or labels of a Floating IP',
      body: Type.Object(
        { name: Type.Optional(Name), description: Type.Optional(Description), labels: Type.Optional(Labels) },
        closed,
      ),
    },
    remove: { errors: ['locked', 'protected', 'must_be_unassigned'] },
  }),
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
    body: ReverseNameChange,
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
