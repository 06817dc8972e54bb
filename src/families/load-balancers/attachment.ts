/** The Load Balancers that a server is a target of. */
import { keptParts } from '../../kernel/data/kept.ts'
import { after } from '../../kernel/process/at-once.ts'
import type { Attachment } from '../servers/attachment.ts'
import type { Target } from './targets/domain.ts'
import { matchesOfServer, targetsNaming } from './targets/store.ts'
import { followServer, forgetServer, rematchServer } from './targets/work.ts'

const shown = keptParts(
  ({ serverId }: Target) => serverId!,
  (targets) => ({
    load_balancers: targets.filter(({ status }) => status !== 'removing').map(({ balancerId }) => balancerId),
  }),
)

export const loadBalancerAttachment: Attachment = {
  show: (query, scope, serverIds) => after(targetsNaming(query, scope, serverIds), shown),
  async attach(tx, scope, server) {
    await rematchServer(tx, scope, server, new Map())
    return []
  },
  async relabel(tx, scope, server) {
    await rematchServer(tx, scope, server, await matchesOfServer(tx.query, scope, server.id))
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
