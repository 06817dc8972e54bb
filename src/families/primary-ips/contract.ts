/** Primary IPs on the wire (spec: Primary IP, Primary IPs). */
import { Type } from 'typebox'
import { ActionSchema, actionsOf } from '../../kernel/actions/contract.ts'
import { since, until } from '../../kernel/contract/as-of.ts'
import {
  closedObject,
  defineEndpoints,
  Id,
  IdOrName,
  Labels,
  named,
  nullable,
  Timestamp,
} from '../../kernel/contract/contract.ts'
import { unread } from '../../kernel/contract/marks.ts'
import { catalogued, refersTo } from '../../kernel/contract/references.ts'
import { largestId } from '../../kernel/ids.ts'
import { resourceEndpoints } from '../../kernel/resource/endpoints.ts'
import { addressParam, IpType, ReverseNameChange, ReverseNames } from '../addresses/contract.ts'
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
    server_is_load_balancer_target: 422
    server_not_stopped: 422
  }
}

export const spelling = {
  type: 'primary_ip',
  path: 'primary_ips',
  title: 'Primary IP',
  titles: 'Primary IPs',
  sortable: ['id', 'created'],
} as const

const section = 'Primary IPs'
const action = actionsOf('/primary_ips/{id}', section)

export const PrimaryIp = named('PrimaryIp', {
  id: Id,
  name: Type.String(),
  type: IpType,
  ip: Type.String(),
  location: since(primaryIpChanges.primary_ip_location_added, Location),
  datacenter: until(primaryIpChanges.primary_ip_datacenter_removed, Datacenter),
  assignee_id: nullable(Id),
  assignee_type: Type.Enum(['server', 'load_balancer', 'unassigned']),
  auto_delete: Type.Boolean(),
  blocked: Type.Boolean(),
  dns_ptr: ReverseNames,
  labels: Labels,
  protection: Type.Object({ delete: Type.Boolean() }),
  created: Timestamp,
})

const Name = Type.String({ minLength: 1, maxLength: 128 })
const AssigneeType = Type.Enum(['server'])

/** Older clients send the id of the path once more in the bodies of actions, under this name. */
const repeatedId = {
  ID: unread(
    Type.Optional(
      Type.Integer({ minimum: 1, maximum: largestId, description: 'Ignored: older clients repeat the id of the path' }),
    ),
  ),
}

const serverAction = actionsOf('/servers/{id}', 'Servers', 'servers')

export const primaryIpEndpoints = defineEndpoints({
  ...resourceEndpoints(spelling, PrimaryIp, {
    needs: 'member',
    section,
    filters: { ip: addressParam },
    create: {
      body: closedObject({
        name: Name,
        type: IpType,
        assignee_id: Type.Optional(nullable(Id)),
        assignee_type: Type.Optional(nullable(AssigneeType)),
        location: Type.Optional(nullable(IdOrName)),
        datacenter: until(primaryIpChanges.primary_ip_datacenter_removed, IdOrName),
        auto_delete: Type.Optional(nullable(Type.Boolean())),
        labels: Type.Optional(Labels),
      }),
      refers: {
        assignee_id: refersTo('server'),
        location: catalogued('location'),
        datacenter: catalogued('datacenter'),
      },
      reply: { action: nullable(ActionSchema) },
      errors: ['unavailable', 'locked', 'server_not_stopped', 'server_has_ipv4', 'server_has_ipv6'],
      statuses: { unavailable: 412 },
    },
    update: {
      summary: 'Change name, labels or auto_delete of a Primary IP',
      body: closedObject({
        name: Type.Optional(Name),
        labels: Type.Optional(Labels),
        auto_delete: Type.Optional(Type.Boolean()),
      }),
    },
    remove: {
      errors: ['locked', 'protected', 'must_be_unassigned', 'server_not_stopped', 'server_is_load_balancer_target'],
    },
  }),
  assign: action('assign', {
    needs: 'restricted',
    summary: 'Assign a Primary IP to a server that is off',
    body: closedObject({ assignee_id: Id, assignee_type: AssigneeType, ...repeatedId }),
    refers: { assignee_id: refersTo('server'), ID: refersTo(spelling.type) },
    errors: [
      'locked',
      'primary_ip_already_assigned',
      'primary_ip_location_mismatch',
      'server_not_stopped',
      'server_has_ipv4',
      'server_has_ipv6',
    ],
  }),
  unassign: action('unassign', {
    needs: 'restricted',
    summary: 'Unassign a Primary IP from its server, which is off',
    errors: ['locked', 'service_error', 'server_not_stopped', 'server_is_load_balancer_target', 'unsupported_error'],
  }),
  changeDnsPtr: action('change_dns_ptr', {
    needs: 'restricted',
    summary: 'Change the reverse DNS name of an address',
    body: closedObject({ ...ReverseNameChange.properties, ...repeatedId }),
    refers: { ID: refersTo(spelling.type) },
  }),
  changeServerDnsPtr: serverAction('change_dns_ptr', {
    needs: 'restricted',
    summary: 'Change the reverse DNS name of an address of a server',
    body: ReverseNameChange,
  }),
  changeProtection: action('change_protection', {
    needs: 'restricted',
    summary: 'Protect a Primary IP from deletion, or no longer',
    body: closedObject({ delete: Type.Optional(Type.Boolean()), ...repeatedId }),
    refers: { ID: refersTo(spelling.type) },
  }),
})
