/** The firewalls of a server: those that it was asked for behind, and those whose label selectors match it. */
import type { ActionStart } from '../../kernel/actions/store.ts'
import { invalidInput } from '../../kernel/errors.ts'
import type { Attachment, CreateBody } from '../servers/attachment.ts'
import { applyFirewall, startFilterChange } from './actions.ts'
import { filters } from './desired.ts'
import { checkFirewallLimit, forgetServer, insertApplication } from './membership.ts'
import { holdFirewalls } from './store.ts'
import { rematchServer } from './targets.ts'
import { firewallsOfServers } from './view.ts'

const askedIn = ({ firewalls = [] }: CreateBody) => firewalls.map(({ firewall }) => firewall)

export const firewallAttachment: Attachment = {
  async show(query, scope, serverIds) {
    const firewalls = await firewallsOfServers(query, scope, serverIds)
    return (serverId) => ({ public_net: { firewalls: firewalls.get(serverId) ?? [] } })
  },
  async hold(tx, scope, body) {
    const asked = askedIn(body)
    const held = await holdFirewalls(tx, scope, asked)
    const missing = asked.findIndex((id) => !held.has(id))
    if (missing === -1) return
    throw invalidInput([{ field: `firewalls[${missing}].firewall`, message: 'firewall not found' }])
  },
  async attach(tx, scope, server, body) {
    const ids = [...new Set(askedIn(body))]
    const starts: ActionStart[] = []
    for (const firewallId of ids) {
      await insertApplication(tx, scope, firewallId, { serverId: server.id })
      // A failure does not take it back: a server that was asked for behind a firewall never runs without it.
      starts.push(startFilterChange(applyFirewall, { firewallId, serverId: server.id }))
    }
    const matched = await rematchServer(tx, scope, server)
    if (ids.length > 0) await filters.renew(tx, scope, [server.id])
    await checkFirewallLimit(tx, scope, [server.id])
    return [...starts, ...matched]
  },
  relabel: rematchServer,
  detach: forgetServer,
  desired: filters,
  comesBeforePower: true,
}
