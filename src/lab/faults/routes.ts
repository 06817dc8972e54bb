/** Faults through the API. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { parseInstant } from '../../kernel/contract/instants.ts'
import { ApiError, invalidInput } from '../../kernel/errors.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import type { Time } from '../time.ts'
import type { faultEndpoints, ScenarioBody } from './contract.ts'
import type { Active, Hit } from './rule.ts'
import type { Rules } from './rules.ts'

/** The parts of a server with a lab. */
export interface FaultLab {
  readonly rules: Rules
  readonly time: Time
  /** True where processes share a database: nobody can move its time, and rules act in one process alone. */
  readonly isShared: boolean
}

/** One handler for each endpoint. Errors of all: `unsupported_error` on a server without a lab. */
export function faultRoutes(lab: FaultLab | undefined): Handlers<typeof faultEndpoints> {
  const openedLab = () => {
    if (lab) return lab
    throw new ApiError('unsupported_error', 'this server has no lab: start it with --lab, or with --database memory')
  }
  const opened = () => openedLab().rules
  const toWire = (active: Active) => faultToWire(active, openedLab())
  return {
    listFaults: async () => ({ faults: opened().list().map(toWire) }),
    createFault: async ({ body }) => ({ fault: toWire(opened().add(body)) }),
    deleteFaults: async () => opened().clear(),
    async listScenarios() {
      openedLab()
      const { shipped } = await import('./scenarios.ts')
      return { scenarios: [...shipped().values()].map(scenarioToWire) }
    },
    async setScenario({ body }) {
      await begin(openedLab(), await scenarioIn(body))
      return { faults: opened().list().map(toWire) }
    },
    deleteFault: async ({ params: { name } }) => opened().remove(name),
  }
}

/** The scenario of a body, which may be the name of one that ships. Errors: `not_found`. */
async function scenarioIn(body: ScenarioBody): Promise<ScenarioBody> {
  if (body.faults || body.clock || body.name === undefined) return body
  const { shipped } = await import('./scenarios.ts')
  const found = shipped().get(body.name)
  if (!found)
    throw new ApiError('not_found', `no scenario '${body.name}' ships: ${[...shipped().keys()].join(', ')} do`)
  return found
}

/** Errors: `invalid_input`, `unsupported_error` where time cannot be moved; nothing is changed then. */
async function begin({ rules, time, isShared }: FaultLab, { faults = [], clock = {} }: ScenarioBody): Promise<void> {
  rules.check(faults)
  const toMs = clock.not_before === undefined ? undefined : parseInstant(clock.not_before)
  if (toMs === undefined && clock.not_before !== undefined)
    throw invalidInput([{ field: 'clock.not_before', message: 'must be a time such as 2030-01-31T00:00:00Z' }])
  if (isShared && (toMs !== undefined || clock.mode !== undefined))
    throw new ApiError('unsupported_error', 'on PostgreSQL time can be read and not be moved: use SQLite or memory')
  if (toMs !== undefined) await time.advance(toMs)
  if (clock.mode !== undefined) await time.switch(clock.mode)
  rules.replace(faults)
}

function scenarioToWire({ name = '', summary = '', teaches = '' }: ScenarioBody) {
  return { name, summary, teaches }
}

function faultToWire({ rule, counts }: Active, { isShared }: Pick<FaultLab, 'isShared'>) {
  const { name, untilMs, body } = rule
  return {
    name,
    match: body.match ?? {},
    when: body.when ?? {},
    fault: body.fault,
    until: untilMs === undefined ? null : timestamp(untilMs),
    fitting: counts.fitting,
    hits: counts.hits,
    last_hits: counts.lastHits.map(hitToWire),
    scope: isShared ? ('process' as const) : ('cloud' as const),
  }
}

function hitToWire({ atMs, operation, projectId, requestId, actionId, subject }: Hit) {
  return {
    time: timestamp(atMs),
    operation,
    project: projectId ?? null,
    request_id: requestId ?? null,
    action_id: actionId ?? null,
    subject: subject ?? null,
  }
}
