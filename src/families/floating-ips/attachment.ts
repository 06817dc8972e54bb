/** The Floating IPs that are assigned to a server; they stay, unassigned, when it goes away. */
import { keptParts } from '../../kernel/data/kept.ts'
import { after } from '../../kernel/process/at-once.ts'
import type { Attachment } from '../servers/attachment.ts'
import { routing } from './desired.ts'
import { floatingIps, floatingIpsOfServers, unassignAll } from './store.ts'

const shown = keptParts(
  ({ serverId }: { readonly id: number; readonly serverId: number }) => serverId,
  (ips) => ({ public_net: { floating_ips: ips.map(({ id }) => id) } }),
)

export const floatingIpAttachment: Attachment = {
  show: (query, scope, serverIds) => after(floatingIpsOfServers(query, scope, serverIds), shown),
  async serverOf(query, scope, owner) {
    const [type, id] = owner.split(':')
    if (type !== floatingIps.type) return undefined
    return (await floatingIps.find(query, scope, Number(id)))?.serverId ?? undefined
  },
  detach: unassignAll,
  desired: routing,
}
