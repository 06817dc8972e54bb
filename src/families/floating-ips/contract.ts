/** Floating IPs on the wire (spec: Floating IP, Floating IPs). */
import { Type } from 'typebox'
import { ActionSchema, actionsOf } from '../../kernel/actions/contract.ts'
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
import { catalogued, refersTo } from '../../kernel/contract/references.ts'
import { resourceEndpoints } from '../../kernel/resource/endpoints.ts'
import { addressParam, IpType, ReverseNameChange, ReverseNames } from '../addresses/contract.ts'
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
  titles: 'Floating IPs',
  sortable: ['id', 'created'],
} as const

const section = 'Floating IPs'
const action = actionsOf('/floating_ips/{id}', section)

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
    needs: 'member',
    section,
    filters: { ip: addressParam },
    create: {
      body: closedObject({
        type: IpType,
        home_location: Type.Optional(nullable(IdOrName)),
        server: Type.Optional(nullable(Id)),
        description: Type.Optional(Description),
        labels: Type.Optional(Labels),
        name: Type.Optional(nullable(Name)),
      }),
      refers: { home_location: catalogued('location'), server: refersTo('server') },
      reply: { action: nullable(ActionSchema) },
      errors: ['unavailable'],
      statuses: { unavailable: 412 },
    },
    update: {
      summary: 'Change name, description or labels of a Floating IP',
      body: closedObject({
        name: Type.Optional(Name),
        description: Type.Optional(Description),
        labels: Type.Optional(Labels),
      }),
    },
    remove: { errors: ['locked', 'protected', 'must_be_unassigned'] },
  }),
  assign: action('assign', {
    needs: 'restricted',
    summary: 'Assign a Floating IP to a server, also from another one',
    body: closedObject({ server: Id }),
    refers: { server: refersTo('server') },
    errors: ['locked', 'floating_ip_assigned'],
  }),
  unassign: action('unassign', {
    needs: 'restricted',
    summary: 'Unassign a Floating IP',
    errors: ['locked', 'service_error'],
  }),
  changeDnsPtr: action('change_dns_ptr', {
    needs: 'restricted',
    summary: 'Change the reverse DNS name of an address',
    body: ReverseNameChange,
  }),
  changeProtection: action('change_protection', {
    needs: 'restricted',
    summary: 'Protect a Floating IP from deletion, or no longer',
    body: closedObject({ delete: Type.Optional(Type.Boolean()) }),
  }),
})
