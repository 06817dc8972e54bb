/** Runs and their reports on the wire, below `/wolke/v1` (docs/report.md). */
import { type Static, Type } from 'typebox'
import { idParam } from '../../kernel/audit/contract.ts'
import {
  closedObject,
  defineEndpoints,
  Id,
  named,
  nullable,
  type Param,
  Timestamp,
} from '../../kernel/contract/contract.ts'
import { type Assertion, parseAssertions, usualAssertions } from './assertions.ts'
import { toJunit } from './junit.ts'
import { toText } from './text.ts'

const own = { family: 'runs', section: 'The lab', needs: 'operator' } as const
const Count = Type.Integer({ minimum: 0 })
const Text = Type.String()

const RunSchema = named('Run', {
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
  operations: Type.Array(Type.Object({ operation: Text, status: Type.Integer(), code: nullable(Text), count: Count })),
  polling: Type.Object({ requests: Count, share: Type.Number() }),
  retries: Type.Array(Type.Object({ operation: Text, code: Text, back_off: Type.Boolean(), count: Count })),
  unfollowed_pages: Type.Array(Type.Object({ operation: Text, list: Text, next_page: Type.Integer() })),
  throttling: Type.Object({ limit: Count, requests: Count, first: nullable(Timestamp) }),
  deprecations: Type.Array(
    Type.Object({
      operation: Text,
      field: nullable(Text),
      change: Text,
      summary: Text,
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

const failOn: Param<readonly Assertion[]> = {
  schema: { type: 'string', default: usualAssertions.join(','), examples: ['leftovers,cost>1.00'] },
  description: 'What must not be found, separated by commas',
  repeatable: false,
  parse: (texts) => parseAssertions(texts.at(-1) ?? usualAssertions.join(',')),
}

const whose = {
  token: idParam('Only requests with the token that has this id'),
  project: idParam('Only requests in this Project'),
} as const

const forms = {
  'text/plain': (reply: unknown) => toText((reply as { report: Report }).report),
  'application/xml': (reply: unknown) => toJunit((reply as { report: Report }).report),
}

const report = {
  ...own,
  method: 'GET',
  query: { ...whose, fail_on: failOn },
  status: 200,
  reply: Type.Object({ report: ReportSchema }),
  forms,
} as const

const Har = Type.Object({
  log: Type.Object({
    version: Text,
    creator: Type.Object({ name: Text, version: Text }),
    comment: Text,
    entries: Type.Array(Type.Record(Text, Type.Unknown())),
  }),
})

const har = { ...own, method: 'GET', query: whose, status: 200, reply: Har } as const

export const reportEndpoints = defineEndpoints({
  getWholeReport: {
    ...report,
    path: '/report',
    summary: 'Tell what clients have done since the server started',
    errors: ['unsupported_error'],
  },
  getWholeHar: {
    ...har,
    path: '/har',
    summary: 'Get the last requests and their answers as a HAR file, without secrets',
    errors: ['unsupported_error'],
  },
  listRuns: {
    ...own,
    method: 'GET',
    path: '/runs',
    summary: 'List the runs',
    status: 200,
    reply: Type.Object({ runs: Type.Array(RunSchema) }),
    errors: ['unsupported_error'],
  },
  startRun: {
    ...own,
    method: 'POST',
    path: '/runs',
    summary: 'Start a run, to which all requests belong from now on',
    body: closedObject({ name: Type.String({ minLength: 1, maxLength: 255 }) }),
    status: 201,
    reply: Type.Object({ run: RunSchema }),
    errors: ['unsupported_error', 'resource_limit_exceeded'],
  },
  getRun: {
    ...own,
    method: 'GET',
    path: '/runs/{id}',
    summary: 'Get a run',
    status: 200,
    reply: Type.Object({ run: RunSchema }),
    errors: ['unsupported_error', 'not_found'],
  },
  endRun: {
    ...own,
    method: 'POST',
    path: '/runs/{id}/end',
    summary: 'End a run',
    status: 200,
    reply: Type.Object({ run: RunSchema }),
    errors: ['unsupported_error', 'not_found'],
  },
  deleteRun: {
    ...own,
    method: 'DELETE',
    path: '/runs/{id}',
    summary: 'Forget a run',
    status: 204,
    errors: ['unsupported_error', 'not_found'],
  },
  getReport: {
    ...report,
    path: '/runs/{id}/report',
    summary: 'Tell what clients have done in a run',
    errors: ['unsupported_error', 'not_found'],
  },
  getHar: {
    ...har,
    path: '/runs/{id}/har',
    summary: 'Get the requests of a run and their answers as a HAR file, without secrets',
    errors: ['unsupported_error', 'not_found'],
  },
})
