/** The shapes of runs and reports on the wire (docs/report.md). */
import { type Static, Type } from 'typebox'
import { Id, named, nullable, Timestamp } from '../../kernel/contract/contract.ts'
import { pauses } from './retries.ts'

const Count = Type.Integer({ minimum: 0 })
const Text = Type.String()

export const RunSchema = named('Run', {
  id: Type.Integer({ minimum: 0, description: '0 is the whole life of the cloud' }),
  name: Text,
  started: Timestamp,
  ended: nullable(Timestamp),
})

const CostLine = named('CostLine', {
  type: Text,
  id: Id,
  name: nullable(Text),
  project: Id,
  part: nullable(Text),
  created: Timestamp,
  deleted: nullable(Timestamp),
  hours: Count,
  price_hourly: Text,
  net: Text,
})

export const ReportSchema = named('Report', {
  run: RunSchema,
  token: nullable(Id),
  project: nullable(Id),
  requests: Count,
  operations: Type.Array(
    Type.Object({
      operation: Text,
      status: Type.Integer(),
      code: nullable(Text),
      injected: nullable(Text),
      lost: Type.Boolean(),
      count: Count,
    }),
  ),
  polling: Type.Object({ requests: Count, share: Type.Number() }),
  retries: Type.Array(
    Type.Object({
      operation: Text,
      code: Text,
      back_off: nullable(Type.Boolean()),
      pause: Type.Enum([...pauses]),
      count: Count,
    }),
  ),
  unfollowed_pages: Type.Array(Type.Object({ operation: Text, list: Text, next_page: Type.Integer() })),
  throttling: Type.Object({ limit: Count, requests: Count, first: nullable(Timestamp) }),
  deprecations: Type.Array(
    Type.Object({
      operation: Text,
      field: nullable(Text),
      value: nullable(Text),
      change: nullable(Text),
      summary: Text,
      since: nullable(Timestamp),
      stops: nullable(Timestamp),
      count: Count,
    }),
  ),
  unknown_fields: Type.Array(
    Type.Object({ operation: Text, field: Text, place: Type.Enum(['body', 'query']), count: Count }),
  ),
  unawaited_actions: Type.Array(Type.Object({ id: Id, command: Text, operation: Text, project: nullable(Id) })),
  leftovers: Type.Array(Type.Object({ type: Text, id: Id, name: nullable(Text), project: Id, created: Timestamp })),
  cost: Type.Object({ currency: Text, net: Text, lines: Type.Array(CostLine) }),
  assertions: Type.Array(Type.Object({ assertion: Text, holds: Type.Boolean(), found: Type.Array(Text) })),
})

export type Report = Static<typeof ReportSchema>
