/** Faults that testers inject, on the wire, below `/wolke/v1` (docs/scenarios.md). */
import { type Static, Type } from 'typebox'
import { closedObject, defineEndpoints, Id, named, nullable, Timestamp } from '../../kernel/contract/contract.ts'
import { clockModes } from '../clock.ts'

const own = { family: 'faults', section: 'The lab', needs: 'operator' } as const

const text = (maxLength: number, examples: readonly string[] = []) =>
  Type.String({ minLength: 1, maxLength, ...(examples.length > 0 ? { examples } : {}) })
const duration = (...examples: string[]) => text(32, examples)
const most = 1_000_000_000

/** Selects the requests or actions that a rule is about: all of what is given must fit. */
export const Match = closedObject({
  operation: Type.Optional(text(128, ['servers_create', 'POST /servers'])),
  method: Type.Optional(Type.Enum(['GET', 'POST', 'PUT', 'DELETE'])),
  project: Type.Optional(text(255)),
  resource: Type.Optional(text(64, ['network'])),
  id: Type.Optional(Id),
  name: Type.Optional(text(255, ['web-*'])),
  label_selector: Type.Optional(text(1024)),
  location: Type.Optional(text(64)),
  server_type: Type.Optional(text(64)),
  command: Type.Optional(text(64, ['create_server'])),
})

/** Selects among those that fit: a rule hits all of them without any of this. */
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

/** The fault of a request, of an action, or of a service beside the API. */
export const Effect = closedObject({
  latency: Type.Optional(Latency),
  error: Type.Optional(Failure),
  reset: Type.Optional(Type.Enum(['before_effect', 'after_effect'])),
  truncate: Type.Optional(closedObject({ bytes: Type.Integer({ minimum: 1, maximum: most }) })),
  dribble: Type.Optional(
    closedObject({ bytes: Type.Integer({ minimum: 1, maximum: most }), every: duration('100ms') }),
  ),
  action: Type.Optional(ActionFault),
  sold_out: Type.Optional(Type.Boolean()),
  no_addresses: Type.Optional(Type.Boolean()),
  name_server: Type.Optional(
    closedObject({ latency: Type.Optional(Latency), answer: Type.Optional(Type.Enum(['servfail', 'none'])) }),
  ),
  metadata: Type.Optional(closedObject({ latency: Latency })),
  targets: Type.Optional(Type.Enum(['unhealthy'])),
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
  /** What a service beside the API was asked about: a name, or the id of what it works for. */
  subject: nullable(Type.String()),
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
  /** The processes in which it acts: one alone where several share a database. */
  scope: Type.Enum(['cloud', 'process']),
})

const faults = Type.Object({ faults: Type.Array(Fault) })

/** The most rules of a cloud, and in a scenario. */
export const mostFaults = 1_000
/** More than a rule has that sets whatever can be set, but for details of an error. */
const mostKeys = 40
const mostBytes = 4_096

const given = {
  summary: Type.Optional(text(200)),
  teaches: Type.Optional(text(2_000)),
  clock: Type.Optional(
    closedObject({
      not_before: Type.Optional(text(40, ['2027-04-15T00:00:00Z'])),
      mode: Type.Optional(Type.Enum([...clockModes])),
    }),
  ),
  faults: Type.Optional(Type.Array(FaultBody, { maxItems: mostFaults })),
}

const Examples = Type.Optional(
  Type.Array(
    closedObject({
      run: text(1_000),
      /** Null for a command that does not end. */
      exit: nullable(Type.Integer({ minimum: 0, maximum: 255 })),
      says: Type.Optional(text(1_000)),
    }),
    { maxItems: 100 },
  ),
)

/** A scenario as a file has it; `examples` are what clients are told in it, one after the other, for readers. */
export const ScenarioFile = closedObject({
  name: Type.Optional(text(64)),
  ...given,
  examples: Type.Optional(closedObject({ hcloud: Examples, python: Examples, terraform: Examples })),
})
export type ScenarioFile = Static<typeof ScenarioFile>

/** A scenario of one's own, or the name of one that ships. */
const ScenarioBody = closedObject({ name: Type.Optional(text(64, ['sold-out'])), ...given })
export type ScenarioBody = Static<typeof ScenarioBody>

const Scenario = named('Scenario', { name: Type.String(), summary: Type.String(), teaches: Type.String() })

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
  listScenarios: {
    ...own,
    method: 'GET',
    path: '/faults/scenarios',
    summary: 'List the scenarios that ship',
    status: 200,
    reply: Type.Object({ scenarios: Type.Array(Scenario) }),
    errors: ['unsupported_error'],
  },
  setScenario: {
    ...own,
    method: 'PUT',
    path: '/faults/scenario',
    summary: 'Let a scenario begin: its faults replace all others',
    body: ScenarioBody,
    maxBodyBytes: mostFaults * mostBytes,
    maxBodyKeys: mostFaults * mostKeys,
    status: 200,
    reply: faults,
    errors: ['unsupported_error', 'not_found'],
  },
})
