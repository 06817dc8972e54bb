/** Members of networks, on the wire (spec: Networks). */
import { Type } from 'typebox'
import { actionsOf } from '../../../kernel/actions/contract.ts'
import {
  closedObject,
  defineEndpoints,
  enumParam,
  Id,
  Meta,
  named,
  paging,
  rangesParam,
  sorting,
} from '../../../kernel/contract/contract.ts'
import { refersTo } from '../../../kernel/contract/references.ts'
import { networkChanges } from '../changes.ts'
import { memberStatuses, memberTypes, mostAliases } from './domain.ts'

declare module '../../../kernel/errors.ts' {
  interface CallCodes {
    no_subnet_available: 422
    ip_not_available: 422
    networks_overlap: 422
    server_already_attached: 422
  }
}

const Address = Type.String({ maxLength: 64 })
const AliasIps = Type.Array(Address, { maxItems: mostAliases })

export const NetworkMember = named('NetworkMember', {
  type: Type.Enum([...memberTypes]),
  id: Id,
  ip: Type.String(),
  alias_ips: Type.Array(Type.String()),
  subnet: Type.String(),
  status: Type.Enum([...memberStatuses]),
})

const action = actionsOf('/servers/{id}', 'Networks', 'servers')

export const memberEndpoints = defineEndpoints({
  listMembers: {
    method: 'GET',
    needs: 'viewer',
    path: '/networks/{id}/members',
    of: '/networks/{id}',
    summary: 'List what is in a network',
    section: 'Networks',
    addedBy: networkChanges.network_members,
    query: {
      ...paging,
      ...sorting(['id', 'type', 'status', 'ip']),
      type: enumParam('Only members of this type', memberTypes),
      status: enumParam('Only members in this status', memberStatuses),
      subnet: rangesParam('Only members with an address in this subnet'),
    },
    status: 200,
    reply: Type.Object({ members: Type.Array(NetworkMember), meta: Meta }),
    errors: [],
  },
  attachToNetwork: action('attach_to_network', {
    needs: 'restricted',
    summary: 'Attach a server to a network',
    body: closedObject({
      network: Id,
      ip: Type.Optional(Address),
      ip_range: Type.Optional(Address),
      alias_ips: Type.Optional(AliasIps),
    }),
    refers: { network: refersTo('network') },
    errors: [
      'locked',
      'resource_limit_exceeded',
      'server_already_attached',
      'networks_overlap',
      'no_subnet_available',
      'ip_not_available',
    ],
  }),
  detachFromNetwork: action('detach_from_network', {
    needs: 'restricted',
    summary: 'Detach a server from a network',
    body: closedObject({ network: Id }),
    refers: { network: refersTo('network') },
    errors: ['locked'],
  }),
  changeAliasIps: action('change_alias_ips', {
    needs: 'restricted',
    summary: 'Replace the alias addresses of a server in a network',
    body: closedObject({ network: Id, alias_ips: AliasIps }),
    refers: { network: refersTo('network') },
    errors: ['locked', 'service_error', 'ip_not_available'],
  }),
})
