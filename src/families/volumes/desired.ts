/** What the infrastructure is to do about volumes: that each is there in its size, and which of them each server has. */
import { defineDesired } from '../../kernel/resource/desired.ts'
import { locationOfServer } from '../servers/reads.ts'
import { volumes, volumesOfServers } from './store.ts'

/** By volume. One that the database does not have is removed. */
export const states = defineDesired({
  table: 'volume_state',
  title: 'volumes',
  target: 'volume',
  async handOver({ query, scope, drivers }, id, generation) {
    const volume = await volumes.find(query, scope, id)
    if (volume) {
      const { locationId: location, size: sizeGb, format } = volume
      await drivers.volumes.apply({ id, generation, location, sizeGb, format })
    } else await drivers.volumes.remove(id, generation)
    return { isGone: volume === undefined }
  },
})

/** By server: all its volumes are handed to the driver as one set. */
export const attaching = defineDesired({
  table: 'volume_attachment',
  title: 'sets of volumes',
  target: 'server',
  seenAs: 'attachments',
  async handOver({ query, scope, drivers }, serverId, generation) {
    const [location, all] = await Promise.all([
      locationOfServer(query, scope, serverId),
      volumesOfServers(query, scope, [serverId]),
    ])
    if (location === undefined) return undefined
    const made = all.filter(({ status }) => status === 'available')
    await drivers.volumes.attach({
      serverId,
      location,
      generation,
      volumes: made.map(({ id, automount }) => ({ id, automount })),
    })
    return undefined
  },
})
