/** DNS zones on the wire (spec: Zone, DNS zones). */
import { Type } from 'typebox'
import { ActionReply, ActionSchema, actionsOf } from '../../kernel/actions/contract.ts'
import {
  closed,
  closedObject,
  defineEndpoints,
  enumParam,
  Id,
  Labels,
  listing,
  Meta,
  named,
  nullable,
  Timestamp,
} from '../../kernel/contract/contract.ts'
import { secret } from '../../kernel/contract/marks.ts'
import { NewRrset } from './rrsets/contract.ts'
import { maxZonefileBody, Replaced, Zonefile } from './zonefiles/contract.ts'

export const spelling = {
  type: 'zone',
  path: 'zones',
  title: 'zone',
  titles: 'zones',
  sortable: ['id', 'name', 'created'],
} as const

export const Mode = Type.Enum(['primary', 'secondary'])
export const Ttl = Type.Integer({ minimum: 60, maximum: 2_147_483_647 })

const Nameserver = {
  address: Type.String(),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  tsig_algorithm: nullable(Type.Enum(['hmac-md5', 'hmac-sha1', 'hmac-sha256'])),
  tsig_key: secret(
    nullable(Type.String({ description: 'Null when there is none, and for tokens that may only read' })),
  ),
}

const NewNameserver = named(
  'NewNameserver',
  {
    address: Type.String({ maxLength: 64 }),
    port: Type.Optional(nullable(Nameserver.port)),
    tsig_algorithm: Type.Optional(Nameserver.tsig_algorithm),
    tsig_key: secret(Type.Optional(nullable(Type.String({ maxLength: 512 })))),
  },
  closed,
)
const NewNameservers = Type.Array(NewNameserver, { minItems: 1, maxItems: 10 })

export const Zone = named('Zone', {
  id: Id,
  name: Type.String(),
  created: Timestamp,
  ttl: Type.Integer(),
  mode: Mode,
  primary_nameservers: Type.Array(named('Nameserver', Nameserver)),
  protection: Type.Object({ delete: Type.Boolean() }),
  labels: Labels,
  authoritative_nameservers: Type.Object({
    assigned: Type.Array(Type.String()),
    delegated: Type.Array(Type.String()),
    delegation_last_check: nullable(Timestamp),
    delegation_status: Type.Enum(['valid', 'partially-valid', 'invalid', 'lame', 'unregistered', 'unknown']),
  }),
  registrar: Type.Enum(['hetzner', 'other', 'unknown']),
  status: Type.Enum(['ok', 'updating', 'error']),
  record_count: Type.Integer({ minimum: 0 }),
})

const Reply = Type.Object({ zone: Zone })
declare module '../../kernel/errors.ts' {
  interface CallCodes {
    incorrect_zone_mode: 422
  }
}

const section = 'DNS zones'
const action = actionsOf('/zones/{id_or_name}', section)

export const zoneEndpoints = defineEndpoints({
  list: {
    method: 'GET',
    needs: 'viewer',
    path: '/zones',
    summary: 'List zones',
    section,
    query: {
      ...listing(spelling.sortable),
      mode: enumParam('Only zones of this mode', ['primary', 'secondary']),
    },
    status: 200,
    reply: Type.Object({ zones: Type.Array(Zone), meta: Meta }),
    errors: [],
  },
  create: {
    method: 'POST',
    needs: 'restricted',
    path: '/zones',
    summary: 'Create a zone, with RRSets, from a zone file, or as a secondary of other name servers',
    section,
    body: closedObject({
      name: Type.String({ minLength: 1, maxLength: 255 }),
      mode: Mode,
      ttl: Type.Optional(nullable(Ttl)),
      labels: Type.Optional(Labels),
      primary_nameservers: Type.Optional(nullable(NewNameservers)),
      rrsets: Type.Optional(nullable(Type.Array(NewRrset, { maxItems: 1_000 }))),
      zonefile: Type.Optional(nullable(Zonefile)),
    }),
    maxBodyBytes: maxZonefileBody,
    status: 201,
    reply: Type.Object({ zone: Zone, action: ActionSchema, replaced: Replaced }),
    errors: ['uniqueness_error', 'resource_limit_exceeded'],
  },
  get: {
    method: 'GET',
    needs: 'viewer',
    path: '/zones/{id_or_name}',
    of: '/zones/{id_or_name}',
    summary: 'Get a zone by its id or its name',
    section,
    status: 200,
    reply: Reply,
    errors: [],
  },
  update: {
    method: 'PUT',
    needs: 'restricted',
    path: '/zones/{id_or_name}',
    of: '/zones/{id_or_name}',
    summary: 'Change the labels of a zone',
    section,
    body: closedObject({ labels: Type.Optional(Labels) }),
    status: 200,
    reply: Reply,
    errors: [],
  },
  remove: {
    method: 'DELETE',
    needs: 'restricted',
    path: '/zones/{id_or_name}',
    of: '/zones/{id_or_name}',
    summary: 'Delete a zone with all its RRSets',
    section,
    status: 201,
    reply: ActionReply,
    errors: ['protected'],
  },
  changeTtl: action('change_ttl', {
    needs: 'restricted',
    summary: 'Change the TTL of RRSets that have none of their own',
    body: closedObject({ ttl: Ttl }),
  }),
  changePrimaryNameservers: action('change_primary_nameservers', {
    needs: 'restricted',
    summary: 'Change where a secondary zone comes from',
    body: closedObject({ primary_nameservers: NewNameservers }),
    errors: ['incorrect_zone_mode'],
  }),
  changeProtection: action('change_protection', {
    needs: 'restricted',
    summary: 'Protect a zone from deletion, or no longer',
    body: closedObject({ delete: Type.Optional(Type.Boolean()) }),
  }),
})
