import type { Attachment } from '../servers/attachment.ts'
import { attaching } from './desired.ts'
import { detachAll, volumesOfServers } from './store.ts'

/** The volumes of a server; they stay, detached, when it goes away. */
export const volumeAttachment: Attachment = {
  async show(query, scope, serverIds) {
    const volumes = Map.groupBy(await volumesOfServers(query, scope, serverIds), ({ serverId }) => serverId)
    return (serverId) => ({ volumes: (volumes.get(serverId) ?? []).map(({ id }) => id) })
  },
  detach: detachAll,
  desired: attaching,
}
