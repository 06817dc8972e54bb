/** RRSets on the wire: the records of one name and type in a zone (spec: RRSet, DNS zones). */
import { Type } from 'typebox'
import { ActionReply, ActionSchema, actionsOf } from '../../../kernel/actions/contract.ts'
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
  textParam,
  widePaging,
} from '../../../kernel/contract/contract.ts'
import { recordTypeNames } from '../../../protocols/net/dns/rdata.ts'
import { zoneChanges } from '../changes.ts'

const RrType = Type.Enum(recordTypeNames)
const Ttl = Type.Integer({ minimum: 60, maximum: 2_147_483_647 })
const Comment = Type.String({ maxLength: 255 })
const Value = Type.String({ minLength: 1, maxLength: 16_384 })
const NewRecord = named('NewRecord', { value: Value, comment: Type.Optional(nullable(Comment)) }, closed)
const most = 50
const NewRecords = Type.Array(NewRecord, { minItems: 1, maxItems: most })

export const NewRrset = named(
  'NewRrset',
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    type: RrType,
    ttl: Type.Optional(nullable(Ttl)),
    labels: Type.Optional(Labels),
    records: NewRecords,
  },
  closed,
)

export const Rrset = named('Rrset', {
  id: Type.String(),
  name: Type.String(),
  type: RrType,
  ttl: nullable(Type.Integer()),
  labels: Labels,
  protection: Type.Object({ change: Type.Boolean() }),
  records: Type.Array(Type.Object({ value: Type.String(), comment: Type.String() })),
  zone: Id,
})

const elsewhere = {
  records: Type.Optional(Type.Unknown({ description: 'Refused: set_records changes them' })),
  ttl: Type.Optional(Type.Unknown({ description: 'Refused: change_ttl changes it' })),
}

const Reply = Type.Object({ rrset: Rrset })
const section = 'DNS zones'
const zone = '/zones/{id_or_name}'
const all = `${zone}/rrsets` as const
const one = `${all}/{rr_name}/{rr_type}` as const

const action = actionsOf(one, section)
const errors = ['incorrect_zone_mode', 'protected'] as const

export const rrsetEndpoints = defineEndpoints({
  listRrsets: {
    method: 'GET',
    needs: 'viewer',
    path: all,
    of: zone,
    summary: 'List the RRSets of a zone',
    section,
    query: {
      ...listing(['id', 'name', 'created'], widePaging(100)),
      name: textParam('Exact name, relative to the zone'),
      type: enumParam('Only RRSets of this type', recordTypeNames),
    },
    status: 200,
    reply: Type.Object({ rrsets: Type.Array(Rrset), meta: Meta }),
    errors: ['incorrect_zone_mode'],
  },
  createRrset: {
    method: 'POST',
    needs: 'restricted',
    path: all,
    of: zone,
    summary: 'Create an RRSet',
    section,
    body: NewRrset,
    status: 201,
    reply: Type.Object({ rrset: Rrset, action: ActionSchema }),
    errors: ['incorrect_zone_mode', 'uniqueness_error'],
  },
  getRrset: {
    method: 'GET',
    needs: 'viewer',
    path: one,
    of: one,
    within: zone,
    summary: 'Get an RRSet',
    section,
    status: 200,
    reply: Reply,
    errors: ['incorrect_zone_mode'],
  },
  updateRrset: {
    method: 'PUT',
    needs: 'restricted',
    path: one,
    of: one,
    summary: 'Change the labels of an RRSet',
    section,
    body: closedObject({ labels: Type.Optional(Labels), ...elsewhere }),
    status: 200,
    reply: Reply,
    errors: ['incorrect_zone_mode'],
  },
  removeRrset: {
    method: 'DELETE',
    needs: 'restricted',
    path: one,
    of: one,
    summary: 'Delete an RRSet',
    section,
    status: 201,
    reply: ActionReply,
    errors: ['incorrect_zone_mode', 'protected', 'invalid_input'],
  },
  addRecords: action('add_records', {
    needs: 'restricted',
    summary: 'Add records to an RRSet, which is created when it is not there',
    body: closedObject({ records: NewRecords, ttl: Type.Optional(nullable(Ttl)) }),
    errors,
  }),
  removeRecords: action('remove_records', {
    needs: 'restricted',
    summary: 'Remove records from an RRSet, which goes with the last of them',
    body: closedObject({ records: NewRecords }),
    errors,
  }),
  setRecords: action('set_records', {
    needs: 'restricted',
    summary: 'Replace all records of an RRSet',
    body: closedObject({ records: NewRecords }),
    errors,
  }),
  updateRecords: action('update_records', {
    needs: 'restricted',
    summary: 'Change the comments of records',
    addedBy: zoneChanges.rrset_comments,
    body: closedObject({
      records: Type.Array(closedObject({ value: Value, comment: Comment }), { minItems: 1, maxItems: most }),
    }),
    status: 200,
    errors,
  }),
  changeRrsetTtl: action('change_ttl', {
    needs: 'restricted',
    summary: 'Change the TTL of an RRSet; null takes that of the zone',
    body: closedObject({ ttl: Type.Optional(nullable(Ttl)) }),
    errors,
  }),
  changeRrsetProtection: action('change_protection', {
    needs: 'restricted',
    summary: 'Protect an RRSet from changes, or no longer',
    body: closedObject({ change: Type.Boolean() }),
    errors: ['incorrect_zone_mode'],
  }),
})
