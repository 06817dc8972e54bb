/** What a server has in networks. */
import { keptParts } from '../../kernel/data/kept.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { after } from '../../kernel/process/at-once.ts'
import type { Attachment } from '../servers/attachment.ts'
import { state } from './desired.ts'
import { attachToNetwork, startMember } from './members/actions.ts'
import { interfaces } from './members/desired.ts'
import { macOf, type ServerPlace } from './members/domain.ts'
import { leaveNetworks, placesOf } from './members/store.ts'
import { join } from './members/work.ts'
import { networks } from './store.ts'

/** The networks that a server is in; its addresses there are free again when it goes away. */
const shown = keptParts(
  ({ serverId }: ServerPlace) => serverId,
  (places) => ({
    private_net: places.map(({ networkId, ip, aliasIps }) => {
      return { network: networkId, ip, alias_ips: [...aliasIps], mac_address: macOf(ip) }
    }),
  }),
)

export const networkAttachment: Attachment = {
  show: (query, scope, serverIds) => after(placesOf(query, scope, serverIds), shown),
  async hold(tx, scope, { networks: asked = [] }) {
    const known = await networks.hold(tx, scope, [...new Set(asked)], 'update')
    const missing = asked.find((id) => !known.has(id))
    if (missing === undefined) return
    throw invalidInput([{ field: 'networks', message: `network with ID ${missing} not found` }])
  },
  async attach(tx, scope, server, { networks: asked = [] }, platform) {
    const ids = [...new Set(asked)]
    for (const id of ids) await join(tx, scope, platform, await networks.get(tx.query, scope, id), server, {})
    if (ids.length > 0) await interfaces.renew(tx, scope, [server.id])
    return ids.map((network) => startMember(attachToNetwork, { server: server.id, network }, false))
  },
  connects: async (query, scope, serverId) => (await placesOf(query, scope, [serverId])).length > 0,
  detach: leaveNetworks,
  desired: interfaces,
  async restsOn(query, scope, serverIds) {
    const places = Map.groupBy(await placesOf(query, scope, serverIds), ({ serverId }) => serverId)
    return (serverId) => [state, (places.get(serverId) ?? []).map(({ networkId }) => networkId)]
  },
}
