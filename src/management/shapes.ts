/** Shapes that several parts of the management API have. */
import { Type } from 'typebox'
import { named, nullable } from '../kernel/contract/contract.ts'

export const Counts = Type.Record(Type.String(), Type.Integer())

export const Limit = named('Limit', {
  kind: Type.String(),
  limit: nullable(Type.Integer({ minimum: 0 })),
  own: Type.Boolean({ description: 'Whether it was set for this Project' }),
  used: nullable(Type.Integer({ minimum: 0, description: 'Null for what is limited in each of several resources' })),
})
