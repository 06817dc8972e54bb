/** Faults that testers inject, on the wire, below `/wolke/v1` (docs/scenarios.md). */
import { type Static, Type } from 'typebox'
import { closedObject, defineEndpoints, Id, named, nullable, Timestamp } from '../../kernel/contract/contract.ts'

const own = { family: 'faults', section: 'The lab', needs: 'operator' } as const

const text = (maxLength: number, examples: readonly string[] = []) =>
  Type.String({ minLength: 1, maxLength, ...(examples.length > 0 ? { examples } : {}) })
const duration = (...examples: string[]) => text(32, examples)
const most = 1_000_000_000

/** Which requests or actions a rule is about: all of what is given must fit. */
export const Match = closedObject({
  operation: Type.Optional(text(128, ['servers_create', 'POST /servers'])),
  method: Type.Optional(Type.Enum(['GET', 'POST', 'PUT', 'DELETE'])),
  project: Type.Optional(text(255)),
  resource: Type.Optional(text(64, ['server'])),
  id: Type.Optional(Id),
  name: Type.Optional(text(255, ['web-*'])),
  label_selector: Type.Optional(text(1024)),
  location: Type.Optional(text(64)),
  server_type: Type.Optional(text(64)),
  command: Type.Optional(text(64, ['create_server'])),
})

/** Which of those that fit a rule hits: all of them without any of this. */
export const When = closedObject({
  first: Type.Optional(Type.Integer({ minimum: 1, maximum: most })),
  after: Type.Optional(Type.Integer({ minimum: 0, maximum: most })),
  every: Type.Optional(Type.Integer({ minimum: 1, maximum: most })),
  share: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  seed: Type.Optional(text(64)),
  for: Type.Optional(duration('30s')),
  until: Type.Optional(text(40, ['2027-04-01T00:00:00Z'])),
})

export const Latency = closedObject({
  duration: duration('500ms'),
  spread: Type.Optional(duration('100ms')),
  distribution: Type.Optional(Type.Enum(['fixed', 'uniform', 'normal', 'exponential'])),
})
export type Latency = Static<typeof Latency>

const Failure = closedObject({
  code: text(64, ['conflict']),
  message: Type.Optional(text(1_000)),
  status: Type.Optional(Type.Integer({ minimum: 400, maximum: 599 })),
  details: Type.Optional(nullable(Type.Record(Type.String(), Type.Unknown()))),
  after_effect: Type.Optional(Type.Boolean()),
})

const ActionFault = closedObject({
  step: Type.Optional(text(64)),
  error: Type.Optional(closedObject({ code: text(64, ['action_failed']), message: text(1_000) })),
  takes: Type.Optional(duration('10m')),
  stays_locked: Type.Optional(Type.Boolean()),
})

/** What happens to a request or to an action. */
export const Effect = closedObject({
  latency: Type.Optional(Latency),
  error: Type.Optional(Failure),
  reset: Type.Optional(Type.Enum(['before_effect', 'after_effect'])),
  truncate: Type.Optional(closedObject({ bytes: Type.Integer({ minimum: 1, maximum: most }) })),
  dribble: Type.Optional(
    closedObject({ bytes: Type.Integer({ minimum: 1, maximum: most }), every: duration('100ms') }),
  ),
  action: Type.Optional(ActionFault),
})
export type Effect = Static<typeof Effect>

const rule = {
  match: Type.Optional(Match),
  when: Type.Optional(When),
  fault: Effect,
}

export const FaultBody = closedObject({ name: Type.Optional(text(64, ['sold-out'])), ...rule })
export type FaultBody = Static<typeof FaultBody>

const Hit = named('FaultHit', {
  time: Timestamp,
  operation: Type.String(),
  project: nullable(Id),
  request_id: nullable(Type.String()),
  action_id: nullable(Id),
})

const Fault = named('Fault', {
  name: Type.String(),
  match: Match,
  when: When,
  fault: Effect,
  until: nullable(Timestamp),
  fitting: Type.Integer({ minimum: 0 }),
  hits: Type.Integer({ minimum: 0 }),
  last_hits: Type.Array(Hit),
})

const faults = Type.Object({ faults: Type.Array(Fault) })

export const faultEndpoints = defineEndpoints({
  listFaults: {
    ...own,
    method: 'GET',
    path: '/faults',
    summary: 'List the rules that inject faults, with what they have hit',
    status: 200,
    reply: faults,
    errors: ['unsupported_error'],
  },
  createFault: {
    ...own,
    method: 'POST',
    path: '/faults',
    summary: 'Inject a fault from now on',
    body: FaultBody,
    status: 201,
    reply: Type.Object({ fault: Fault }),
    errors: ['unsupported_error', 'uniqueness_error', 'resource_limit_exceeded'],
  },
  deleteFaults: {
    ...own,
    method: 'DELETE',
    path: '/faults',
    summary: 'Inject no faults any more',
    status: 204,
    errors: ['unsupported_error'],
  },
  deleteFault: {
    ...own,
    method: 'DELETE',
    path: '/faults/{name}',
    summary: 'Stop injecting a fault',
    status: 204,
    errors: ['unsupported_error', 'not_found'],
  },
})
