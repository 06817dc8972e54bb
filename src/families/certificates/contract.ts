/** Certificates on the wire (spec: Certificate, Certificates). */
import { Type } from 'typebox'
import { ActionSchema, actionsOf } from '../../kernel/actions/contract.ts'
import {
  closedObject,
  defineEndpoints,
  enumParam,
  Id,
  Labels,
  named,
  nullable,
  Timestamp,
} from '../../kernel/contract/contract.ts'
import { secret } from '../../kernel/contract/marks.ts'
import { anyOnes } from '../../kernel/contract/references.ts'
import { resourceEndpoints } from '../../kernel/resource/endpoints.ts'

export const spelling = {
  type: 'certificate',
  path: 'certificates',
  title: 'certificate',
  titles: 'certificates',
  sortable: ['id', 'name', 'created'],
} as const

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
const section = 'Certificates'
const action = actionsOf('/certificates/{id}', section)

export const certificateEndpoints = defineEndpoints({
  ...resourceEndpoints(spelling, Certificate, {
    needs: 'restricted',
    section,
    filters: { type: enumParam('Only certificates of these types', types) },
    create: {
      summary: 'Upload a certificate, or have one issued and renewed',
      body: closedObject({
        name: Name,
        labels: Type.Optional(Labels),
        type: Type.Optional(Type.Enum(types)),
        certificate: Type.Optional(Type.String({ maxLength: 100_000, description: 'At most 30,000 bytes' })),
        private_key: secret(Type.Optional(Type.String({ maxLength: 20_000, description: 'At most 5,000 bytes' }))),
        domain_names: Type.Optional(
          Type.Array(Type.String({ maxLength: 1_024 }), { maxItems: 1_000, description: 'At most 100 names' }),
        ),
      }),
      refers: { domain_names: anyOnes },
      reply: { action: nullable(ActionSchema) },
    },
    update: { body: closedObject({ name: Type.Optional(Name), labels: Type.Optional(Labels) }) },
    remove: { summary: 'Delete a certificate that nothing uses', errors: ['service_error'] },
  }),
  retry: action('retry', {
    needs: 'restricted',
    summary: 'Try again to issue or renew a managed certificate',
    errors: ['unsupported_error'],
  }),
})
