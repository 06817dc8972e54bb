/** Primary IPs on the wire (spec: Primary IP, Primary IPs). */
import { Type } from 'typebox'
import { ActionReply, ActionSchema } from '../../kernel/actions/contract.ts'
import { since, until } from '../../kernel/contract/as-of.ts'
import {
  defineEndpoints,
  Id,
  IdOrName,
  Labels,
  named,
  nullable,
  Timestamp,
  textParam,
} from '../../kernel/contract/contract.ts'
import { resourceEndpoints } from '../../kernel/resource/endpoints.ts'
import { IpType, ReverseNameChange, ReverseNames } from '../addresses/contract.ts'
import { Datacenter } from '../datacenters/contract.ts'
import { Location } from '../locations/contract.ts'
import { primaryIpChanges } from './changes.ts'

declare module '../../kernel/errors.ts' {
  interface CallCodes {
    must_be_unassigned: 422
    primary_ip_already_assigned: 422
    primary_ip_assigned: 422
    primary_ip_datacenter_mismatch: 422
    primary_ip_location_mismatch: 422
    primary_ip_version_mismatch: 412
    server_has_ipv4: 422
    server_has_ipv6: 422
    server_not_stopped: 422
  }
}

export const spelling = {
  type: 'primary_ip',
  path: 'primary_ips',
  title: 'Primary IP',
  sortable: ['id', 'created'],
} as const

const section = 'Primary IPs'
const closed = { additionalProperties: false } as const

export const PrimaryIp = named('PrimaryIp', {
  id: Id,
  name: Type.String(),
  type: IpType,
  ip: Type.String(),
  location: since(primaryIpChanges.primary_ip_location_added, Location),
  datacenter: until(primaryIpChanges.primary_ip_datacenter_removed, Datacenter),
  assignee_id: nullable(Id),
  assignee_type: Type.Enum(['server', 'unassigned']),
  auto_delete: Type.Boolean(),
  blocked: Type.Boolean(),
  dns_ptr: ReverseNames,
  labels: Labels,
  protection: Type.Object({ delete: Type.Boolean() }),
  created: Timestamp,
})

const Name = Type.String({ minLength: 1, maxLength: 128 })
const AssigneeType = Type.Enum(['server'])

export const primaryIpEndpoints = defineEndpoints({
  ...resourceEndpoints(spelling, PrimaryIp, {
    section,
    filters: { ip: textParam('Exact address or network') },
    create: {
      body: Type.Object(
        {
          name: Name,
          type: IpType,
          assignee_id: Type.Optional(nullable(Id)),
          assignee_type: Type.Optional(nullable(AssigneeType)),
          location: Type.Optional(nullable(IdOrName)),
          datacenter: until(primaryIpChanges.primary_ip_datacenter_removed, IdOrName),
          auto_delete: Type.Optional(nullable(Type.Boolean())),
          labels: Type.Optional(Labels),
        },
        closed,
      ),
      reply: { action: nullable(ActionSchema) },
      errors: ['unavailable', 'locked', 'server_not_stopped', 'server_has_ipv4', 'server_has_ipv6'],
      statuses: { unavailable: 412 },
    },
    update: {
      summary: 'Change name, labels or auto_delete of a Primary IP',
      body: Type.Object(
        { name: Type.Optional(Name), labels: Type.Optional(Labels), auto_delete: Type.Optional(Type.Boolean()) },
        closed,
      ),
    },
    remove: { errors: ['locked', 'protected', 'must_be_unassigned', 'server_not_stopped'] },
  }),
  assign: {
    method: 'POST',
    path: '/primary_ips/{id}/actions/assign',
    summary: 'Assign a Primary IP to a server that is off',
    section,
    body: Type.Object({ assignee_id: Id, assignee_type: AssigneeType }, closed),
    status: 201,
    reply: ActionReply,
    errors: [
      'locked',
      'primary_ip_already_assigned',
      'primary_ip_location_mismatch',
      'server_not_stopped',
      'server_has_ipv4',
      'server_has_ipv6',
    ],
  },
  unassign: {
    method: 'POST',
    path: '/primary_ips/{id}/actions/unassign',
    summary: 'Unassign a Primary IP from its server, which is off',
    section,
    status: 201,
    reply: ActionReply,
    errors: ['locked', 'service_error', 'server_not_stopped'],
  },
  changeDnsPtr: {
    method: 'POST',
    path: '/primary_ips/{id}/actions/change_dns_ptr',
    summary: 'Change the reverse DNS name of an address',
    section,
    body: ReverseNameChange,
    status: 201,
    reply: ActionReply,
    errors: [],
  },
  changeServerDnsPtr: {
    method: 'POST',
    path: '/servers/{id}/actions/change_dns_ptr',
    summary: 'Change the reverse DNS name of an address of a server',
    section: 'Servers',
    body: ReverseNameChange,
    status: 201,
    reply: ActionReply,
    errors: [],
  },
  changeProtection: {
    method: 'POST',
    path: '/primary_ips/{id}/actions/change_protection',
    summary: 'Protect a Primary IP from deletion, or no longer',
    section,
    body: Type.Object({ delete: Type.Optional(Type.Boolean()) }, closed),
    status: 201,
    reply: ActionReply,
    errors: [],
  },
})
