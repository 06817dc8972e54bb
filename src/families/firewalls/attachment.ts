/** The firewalls of a server: those that the request for it names, and those whose label selectors match it. */

import type { ActionStart } from '../../kernel/actions/store.ts'
import { keptParts } from '../../kernel/data/kept.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { after } from '../../kernel/process/at-once.ts'
import type { Attachment, CreateBody } from '../servers/attachment.ts'
import { applyFirewall, startFilterChange } from './actions.ts'
import { forgetServer, insertApplication, matchesOfServer } from './applications/store.ts'
import { checkFirewallLimit, rematchServer } from './applications/work.ts'
import { filters } from './desired.ts'
import { firewalls } from './store.ts'
import { type FirewallOfServer, firewallsOfServers } from './view.ts'

const askedIn = ({ firewalls = [] }: CreateBody) => firewalls.map(({ firewall }) => firewall)

const shown = keptParts(
  ({ serverId }: FirewallOfServer) => serverId,
  (own) => ({ public_net: { firewalls: own.map(({ id, status }) => ({ id, status })) } }),
)

export const firewallAttachment: Attachment = {
  show: (query, scope, serverIds) => after(firewallsOfServers(query, scope, serverIds), shown),
  async hold(tx, scope, body) {
    const asked = askedIn(body)
    const held = await firewalls.hold(tx, scope, asked)
    const missing = asked.findIndex((id) => !held.has(id))
    if (missing === -1) return
    throw invalidInput([{ field: `firewalls[${missing}].firewall`, message: 'firewall not found' }])
  },
  async attach(tx, scope, server, body) {
    const ids = [...new Set(askedIn(body))]
    const starts: ActionStart[] = []
    for (const firewallId of ids) {
      await insertApplication(tx, scope, firewallId, { serverId: server.id })
      // A failure does not take this back: a server that was requested with a firewall never runs without it.
      starts.push(startFilterChange(applyFirewall, { firewallId, serverId: server.id }))
    }
    const matched = await rematchServer(tx, scope, server, new Map())
    if (ids.length === 0) return matched
    await filters.renew(tx, scope, [server.id])
    await checkFirewallLimit(tx, scope, [server.id])
    return [...starts, ...matched]
  },
  relabel: async (tx, scope, server) =>
    rematchServer(tx, scope, server, await matchesOfServer(tx.query, scope, server.id)),
  detach: forgetServer,
  desired: filters,
  comesBeforePower: true,
}
