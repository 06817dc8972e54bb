/** RRSets on the wire: the records of one name and type in a zone (spec: RRSet, DNS zones). */
import { Type } from 'typebox'
import { ActionReply, ActionSchema } from '../../../kernel/actions/contract.ts'
import {
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
import { recordTypeNames } from '../../../net/dns/rdata.ts'
import { zoneChanges } from '../changes.ts'

const closed = { additionalProperties: false } as const
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

const Reply = Type.Object({ rrset: Rrset })
const section = 'DNS zones'
const one = '/zones/{id_or_name}/rrsets/{rr_name}/{rr_type}'

/** What all actions on one RRSet have in common. */
function rrsetAction<const Path extends string>(path: Path, summary: string) {
  return {
    method: 'POST',
    path: `${one}/actions/${path}`,
    summary,
    section,
    status: 201,
    reply: ActionReply,
    errors: ['incorrect_zone_mode', 'protected'],
  } as const
}

export const rrsetEndpoints = defineEndpoints({
  listRrsets: {
    method: 'GET',
    path: '/zones/{id_or_name}/rrsets',
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
    path: '/zones/{id_or_name}/rrsets',
    summary: 'Create an RRSet',
    section,
    body: NewRrset,
    status: 201,
    reply: Type.Object({ rrset: Rrset, action: ActionSchema }),
    errors: ['incorrect_zone_mode', 'uniqueness_error'],
  },
  getRrset: {
    method: 'GET',
    path: one,
    summary: 'Get an RRSet',
    section,
    status: 200,
    reply: Reply,
    errors: ['incorrect_zone_mode'],
  },
  updateRrset: {
    method: 'PUT',
    path: one,
    summary: 'Change the labels of an RRSet',
    section,
    body: Type.Object({ labels: Type.Optional(Labels), records: Type.Optional(Type.Unknown()) }, closed),
    status: 200,
    reply: Reply,
    errors: ['incorrect_zone_mode'],
  },
  removeRrset: {
    method: 'DELETE',
    path: one,
    summary: 'Delete an RRSet',
    section,
    status: 201,
    reply: ActionReply,
    errors: ['incorrect_zone_mode', 'protected', 'invalid_input'],
  },
  addRecords: {
    ...rrsetAction('add_records', 'Add records to an RRSet, which is created when it is not there'),
    body: Type.Object({ records: NewRecords, ttl: Type.Optional(nullable(Ttl)) }, closed),
  },
  removeRecords: {
    ...rrsetAction('remove_records', 'Remove records from an RRSet, which goes with the last of them'),
    body: Type.Object({ records: NewRecords }, closed),
  },
  setRecords: {
    ...rrsetAction('set_records', 'Replace all records of an RRSet'),
    body: Type.Object({ records: NewRecords }, closed),
  },
  updateRecords: {
    ...rrsetAction('update_records', 'Change the comments of records'),
    addedBy: zoneChanges.rrset_comments,
    body: Type.Object(
      {
        records: Type.Array(Type.Object({ value: Value, comment: Comment }, closed), { minItems: 1, maxItems: most }),
      },
      closed,
    ),
    status: 200,
  },
  changeRrsetTtl: {
    ...rrsetAction('change_ttl', 'Change the TTL of an RRSet; null takes that of the zone'),
    body: Type.Object({ ttl: Type.Optional(nullable(Ttl)) }, closed),
  },
  changeRrsetProtection: {
    ...rrsetAction('change_protection', 'Protect an RRSet from changes, or no longer'),
    body: Type.Object({ change: Type.Boolean() }, closed),
    errors: ['incorrect_zone_mode'],
  },
})
