/** Faults through the API. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { ApiError } from '../../kernel/errors.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import type { faultEndpoints } from './contract.ts'
import type { Active, Hit } from './rule.ts'
import type { Rules } from './rules.ts'

/** One handler for each endpoint. Errors of all: `unsupported_error` on a server without a lab. */
export function faultRoutes(rules: Rules | undefined): Handlers<typeof faultEndpoints> {
  const opened = () => {
    if (rules) return rules
    throw new ApiError('unsupported_error', 'this server has no lab: start it with --lab, or with --database memory')
  }
  return {
    listFaults: async () => ({ faults: opened().list().map(faultToWire) }),
    createFault: async ({ body }) => ({ fault: faultToWire(opened().add(body)) }),
    deleteFaults: async () => opened().clear(),
    deleteFault: async ({ params: { name } }) => opened().remove(name),
  }
}

export function faultToWire({ rule, counts }: Active) {
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
  }
}

function hitToWire({ atMs, operation, projectId, requestId, actionId }: Hit) {
  return {
    time: timestamp(atMs),
    operation,
    project: projectId ?? null,
    request_id: requestId ?? null,
    action_id: actionId ?? null,
  }
}
