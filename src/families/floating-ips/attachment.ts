import type { Attachment } from '../servers/attachment.ts'
import { routing } from './desired.ts'
import { floatingIpsOfServers, unassignAll } from './store.ts'

/** The Floating IPs that are assigned to a server; they stay, unassigned, when it goes away. */
export const floatingIpAttachment: Attachment = {
  async show(query, scope, serverIds) {
    const ips = Map.groupBy(await floatingIpsOfServers(query, scope, serverIds), ({ serverId }) => serverId)
    return (serverId) => ({ public_net: { floating_ips: (ips.get(serverId) ?? []).map(({ id }) => id) } })
  },
  detach: unassignAll,
  desired: routing,
}
