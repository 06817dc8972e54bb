/** Runs and their reports on the wire, below `/wolke/v1` (docs/report.md). */
import { Type } from 'typebox'
import { idParam } from '../../kernel/audit/contract.ts'
import { closedObject, defineEndpoints, type Param } from '../../kernel/contract/contract.ts'
import { type Assertion, parseAssertions, usualAssertions } from './assertions.ts'
import { toJunit } from './junit.ts'
import { type Report, ReportSchema, RunSchema } from './schema.ts'
import { toText } from './text.ts'

const own = { family: 'runs', section: 'The lab', needs: 'operator' } as const
const Text = Type.String()

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
