/** Simulated disk images. */
import type { Capture, ImageDriver } from '../../families/images/driver.ts'
import { DriverError } from '../../kernel/actions/define.ts'
import { simulateServers } from './servers.ts'
import { forgetKeys, keptMap, pairsIn, type Share, type Site } from './simulation.ts'

export interface SimulatedImage {
  readonly serverId: number
  readonly sizeMb: number
}

/** Creates the driver of images. */
export function simulateImages(site: Site) {
  const images = keptMap<number, SimulatedImage>(site, 'images')
  const removed = site.keep<Set<number>>('images.removed', {
    fresh: () => new Set(),
    copy: (known) => new Set(known),
    forget: forgetKeys,
    save: (known) => [...known].map((id) => [id, null]),
    load: (saved) => new Set(pairsIn(saved).map(([id]) => id)),
  })
  const { world, put } = site.part(simulateServers)

  const capture = ({ imageId, server }: Capture, share: Share) => {
    if (!world.servers.has(server.id)) put(server, share)
    const source = world.servers.get(server.id)
    if (share === 'half' || removed.has(imageId) || images.has(imageId) || !source) return
    images.set(imageId, { serverId: server.id, sizeMb: source.state.diskGb * 60 })
  }

  const remove = (imageId: number, share: Share) => {
    if (share === 'half') return
    removed.add(imageId)
    images.delete(imageId)
  }

  const driver: ImageDriver = {
    async capture(wanted) {
      await site.perform({ driver: 'images', method: 'capture', subject: wanted.server.id }, (share) =>
        capture(wanted, share),
      )
      const made = images.get(wanted.imageId)
      if (!made) throw new DriverError('there is nothing to copy', { transient: false })
      return made.sizeMb
    },
    remove: ({ imageId, serverId }) =>
      site.perform({ driver: 'images', method: 'remove', subject: serverId }, (share) => remove(imageId, share)),
  }
  return { drivers: { images: driver }, world: { images: images as ReadonlyMap<number, SimulatedImage> } }
}
