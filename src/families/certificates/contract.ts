/** Certificates on the wire (spec: Certificate, Certificates). */
import { Type } from 'typebox'
import { ActionReply, ActionSchema } from '../../kernel/actions/contract.ts'
import {
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

const closed = { additionalProperties: false } as const
const types = ['uploaded', 'managed'] as const

const Status = named('ManagedCertificateStatus', {
  issuance: Type.Enum(['pending', 'completed', 'failed']),
  renewal: Type.Enum(['unavailable', 'scheduled', 'pending', 'failed']),
  error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
})

export const Certificate = named('Certificate', {
  id: Id,
  name: Type.String(),
  labels: Labels,
  type: Type.Enum(types),
  certificate: nullable(Type.String()),
  created: Timestamp,
  not_valid_before: nullable(Timestamp),
  not_valid_after: nullable(Timestamp),
  domain_names: Type.Array(Type.String()),
  fingerprint: nullable(Type.String()),
  status: nullable(Status),
  used_by: Type.Array(Type.Object({ id: Id, type: Type.String() })),
})

const Name = Type.String({ minLength: 1, maxLength: 255 })
const Reply = Type.Object({ certificate: Certificate })
const section = 'Certificates'

export const certificateEndpoints = defineEndpoints({
  list: {
    method: 'GET',
    path: '/certificates',
    summary: 'List certificates',
    section,
    query: { ...listing(['id', 'name', 'created']), type: enumParam('Only certificates of these types', types) },
    status: 200,
    reply: Type.Object({ certificates: Type.Array(Certificate), meta: Meta }),
    errors: [],
  },
  create: {
    method: 'POST',
    path: '/certificates',
    summary: 'Upload a certificate, or have one issued and renewed',
    section,
    body: Type.Object(
      {
        name: Name,
        labels: Type.Optional(Labels),
        type: Type.Optional(Type.Enum(types)),
        certificate: Type.Optional(Type.String({ maxLength: 100_000, description: 'At most 30,000 bytes' })),
        private_key: Type.Optional(Type.String({ maxLength: 20_000, description: 'At most 5,000 bytes' })),
        domain_names: Type.Optional(
          Type.Array(Type.String({ maxLength: 1_024 }), { maxItems: 1_000, description: 'At most 100 names' }),
        ),
      },
      closed,
    ),
    status: 201,
    reply: Type.Object({ certificate: Certificate, action: nullable(ActionSchema) }),
    errors: ['uniqueness_error', 'resource_limit_exceeded'],
  },
  get: {
    method: 'GET',
    path: '/certificates/{id}',
    summary: 'Get a certificate',
    section,
    status: 200,
    reply: Reply,
    errors: [],
  },
  update: {
    method: 'PUT',
    path: '/certificates/{id}',
    summary: 'Change the name or the labels of a certificate',
    section,
    body: Type.Object({ name: Type.Optional(Name), labels: Type.Optional(Labels) }, closed),
    status: 200,
    reply: Reply,
    errors: ['uniqueness_error', 'conflict'],
  },
  remove: {
    method: 'DELETE',
    path: '/certificates/{id}',
    summary: 'Delete a certificate that nothing uses',
    section,
    status: 204,
    errors: ['service_error'],
  },
  retry: {
    method: 'POST',
    path: '/certificates/{id}/actions/retry',
    summary: 'Try again to issue or renew a managed certificate',
    section,
    status: 201,
    reply: ActionReply,
    errors: ['unsupported_error'],
  },
})
