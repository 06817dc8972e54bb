/** The Floating IPs that are assigned to a server; they stay, unassigned, when it goes away. */
import type { Attachment } from '../servers/attachment.ts'
import { routing } from './desired.ts'
import { floatingIps, floatingIpsOfServers, unassignAll } from './store.ts'

export const floatingIpAttachment: Attachment = {
  async show(query, scope, serverIds) {
    const ips = Map.groupBy(await floatingIpsOfServers(query, scope, serverIds), ({ serverId }) => serverId)
    return (serverId) => ({ public_net: { floating_ips: (ips.get(serverId) ?? []).map(({ id }) => id) } })
  },
  async serverOf(query, scope, owner) {
    const [type, id] = owner.split(':')
    if (type !== floatingIps.type) return undefined
    return (await floatingIps.find(query, scope, Number(id)))?.serverId ?? undefined
  },
  detach: unassignAll,
  desired: routing,
}
