/** The Load Balancers that a server is a target of. */
import type { Attachment } from '../servers/attachment.ts'
import { targetsNaming } from './targets/store.ts'
import { followServer, forgetServer, rematchServer } from './targets/work.ts'

export const loadBalancerAttachment: Attachment = {
  async show(query, scope, serverIds) {
    const named = await targetsNaming(query, scope, serverIds)
    const kept = named.filter(({ status }) => status !== 'removing')
    const byServer = Map.groupBy(kept, ({ serverId }) => serverId)
    return (serverId) => ({ load_balancers: (byServer.get(serverId) ?? []).map(({ balancerId }) => balancerId) })
  },
  async attach(tx, scope, server) {
    await rematchServer(tx, scope, server)
    return []
  },
  async relabel(tx, scope, server) {
    await rematchServer(tx, scope, server)
    return []
  },
  readdress: followServer,
  async needsIpv4(query, scope, serverId) {
    const named = await targetsNaming(query, scope, [serverId])
    // Also one that is being removed: it comes back when that fails.
    return named.some(({ usesPrivateIp }) => !usesPrivateIp)
  },
  detach: forgetServer,
}
