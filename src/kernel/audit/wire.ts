/** The wire shapes of the audit log. */
import { Type } from 'typebox'
import { Id, named, nullable, Timestamp } from '../contract/contract.ts'

export const AuditEntry = named('AuditEntry', {
  id: Id,
  time: Timestamp,
  actor: Type.Object({
    kind: Type.Enum(['token', 'person', 'management', 'command line', 'account']),
    id: nullable(Id),
    name: Type.String(),
  }),
  project: nullable(Type.Object({ id: Id, name: Type.String() })),
  operation: Type.String(),
  family: Type.String(),
  resources: Type.Array(Type.Union([Id, Type.String()])),
  actions: Type.Array(Id, { description: 'The actions that it started' }),
  outcome: Type.String(),
  status: Type.Integer(),
  correlation_id: Type.String(),
  network: Type.String(),
})

export const Next = named('Next', { next: nullable(Id) })

export const AuditPage = named('AuditPage', { audit: Type.Array(AuditEntry), meta: Next })
