/** The power of servers: how it can be changed now, and changing it. */

import { allows, isPassing } from '../../../src/families/servers/domain.ts'
import type { Action } from '../../api/actions.ts'
import type { Skip } from './each.ts'
import type { Server } from './server.ts'
import type { PowerVerb, ServerActs } from './server-acts.ts'
import { servers as w } from './words.ts'

type Acts = Omit<ServerActs, 'menu'>

/** Returns why a server in its present state cannot be told this; the rule is that of the API. */
function stateReason(verb: PowerVerb, { status }: Server, action?: Action): string | undefined {
  if (action || isPassing(status)) return w.isBusy
  if (allows(status, verb)) return undefined
  return status === 'off' ? w.isOff : w.isOn
}

/** Returns why the power of a server cannot be changed like this now. */
export function powerReason({ reasons }: Acts, verb: PowerVerb, server: Server, action?: Action): string | undefined {
  return reasons.power ?? stateReason(verb, server, action)
}

/** Leaves out those of many servers that cannot be told this; of a single one, the API says why. */
export function skipOf(verb: PowerVerb, { length }: readonly Server[]): Skip {
  return length > 1 ? (server) => stateReason(verb, server) : undefined
}

/** Powers servers on, or asks whether to interrupt them. */
export function power({ api, each, ask }: Acts, verb: PowerVerb, servers: readonly Server[]): void {
  if (verb !== 'powerOn') ask({ kind: verb, servers, done: () => {} })
  else void each(servers, ({ id }) => api.call('servers_powerOn', { params: { id } }), skipOf(verb, servers))
}
