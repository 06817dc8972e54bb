/**
 * Copies of disks as images of Incus. A snapshot is taken, and made into an image by the member that has it. Once an image
 * has its alias, it is complete.
 */

import type { Capture, ImageDriver, ImageRef } from '../../../families/images/driver.ts'
import type { ServerState } from '../../../families/servers/driver.ts'
import { DriverError, type Report } from '../../../kernel/actions/define.ts'
import type { Incus } from '../../../protocols/incus/client.ts'
import type { Config, Instance } from '../../../protocols/incus/edit.ts'
import { settleOperations } from '../../../protocols/incus/operations.ts'
import { membersOf, onMember } from '../members.ts'
import { imageAlias, serverName, snapshotName } from '../names.ts'
import { instanceOf } from '../servers/guest.ts'
import type { Tombstones } from '../tombstones.ts'

export interface ImageParts {
  readonly incus: Incus
  readonly tombstones: Tombstones
  /** Makes a server again that the hosts have lost. */
  restore(server: ServerState): Promise<void>
}

/** An image as Incus tells it. */
interface StoredImage {
  readonly fingerprint: string
  /** In bytes. */
  readonly size: number
  readonly aliases: readonly { readonly name: string }[]
  readonly properties: Config | null
}

/** The property of an image that names its id in Wolke. */
export const imageMark = 'wolke.image'

/** Creates the driver of images. */
export function incusImages(parts: ImageParts): ImageDriver {
  const images = new Images(parts)
  return {
    capture: (capture, report) =>
      onMember(parts.incus, serverName(capture.server.id), () => images.capture(capture, report)),
    remove: (image) => images.remove(image),
  }
}

class Images {
  readonly #parts: ImageParts

  constructor(parts: ImageParts) {
    this.#parts = parts
  }

  async capture({ imageId, server }: Capture, report?: Report): Promise<number> {
    const { incus, tombstones } = this.#parts
    if (await tombstones.cover(tombOf(imageId), 0)) {
      throw new DriverError(`image ${imageId} is removed`, { transient: false })
    }
    await settleOperations(incus, serverName(server.id))
    const complete = await this.#complete(imageId)
    const image = complete ?? (await this.#make(imageId, server, report))
    await this.#removeSnapshot(server.id, imageId)
    // It may have been removed while it was being made.
    if (await tombstones.cover(tombOf(imageId), 0)) await this.#removeAll(imageId)
    return Math.max(1, Math.ceil(image.size / 1_000_000))
  }

  async #make(imageId: number, server: ServerState, report: Report | undefined): Promise<StoredImage> {
    const { incus, restore } = this.#parts
    // Images without their alias are of calls that were cut off.
    await this.#removeAll(imageId)
    if (!(await instanceOf(incus, server.id))) await restore(server)
    const instance = await instanceOf(incus, server.id)
    if (!instance) throw new DriverError('there is nothing to copy', { transient: false })
    await this.#removeSnapshot(server.id, imageId)
    const name = snapshotName(imageId)
    await incus.change('POST', `/1.0/instances/${instance.name}/snapshots`, { name, stateful: false })
    await this.#publish(imageId, instance, report)
    const made = await this.#complete(imageId)
    if (made) return made
    throw new DriverError(`image ${imageId} is not there after it was made`, { transient: true })
  }

  async #publish(imageId: number, instance: Instance, report: Report | undefined): Promise<void> {
    const image = {
      source: { type: 'snapshot', name: `${instance.name}/${snapshotName(imageId)}` },
      properties: { [imageMark]: String(imageId) },
      aliases: [{ name: imageAlias(imageId), description: '' }],
      compression_algorithm: 'none',
      public: false,
    }
    const near = await this.#near(instance)
    try {
      await (near ?? this.#parts.incus).change('POST', '/1.0/images', image, { report })
    } finally {
      near?.close()
    }
  }

  /** The member that has the instance, asked without a way over others; undefined when it is not reached like that. */
  async #near({ location }: Instance): Promise<Incus | undefined> {
    const { incus } = this.#parts
    const member = (await membersOf(incus)).find(({ server_name }) => server_name === location)
    const near = member && incus.atMember(member.url)
    if (!near) return undefined
    try {
      await near.get('/1.0')
      return near
    } catch (error) {
      near.close()
      if (!(error instanceof DriverError)) throw error
      return undefined
    }
  }

  async remove({ imageId, serverId }: ImageRef): Promise<void> {
    await this.#parts.tombstones.put(tombOf(imageId), 0)
    await this.#removeAll(imageId)
    await this.#removeSnapshot(serverId, imageId)
  }

  async #complete(imageId: number): Promise<StoredImage | undefined> {
    const alias = imageAlias(imageId)
    return (await this.#of(imageId)).find(({ aliases }) => aliases.some(({ name }) => name === alias))
  }

  async #of(imageId: number): Promise<readonly StoredImage[]> {
    const images = await this.#parts.incus.list<StoredImage>('/1.0/images?recursion=1')
    return images.filter(({ properties }) => properties?.[imageMark] === String(imageId))
  }

  async #removeAll(imageId: number): Promise<void> {
    for (const { fingerprint } of await this.#of(imageId)) {
      await this.#parts.incus.change('DELETE', `/1.0/images/${fingerprint}`)
    }
  }

  async #removeSnapshot(server: number, imageId: number): Promise<void> {
    const path = `/1.0/instances/${serverName(server)}/snapshots/${snapshotName(imageId)}`
    if (await this.#parts.incus.get(path)) await this.#parts.incus.change('DELETE', path)
  }
}

/** Names a removed image in what is remembered. Its id is never used again. */
const tombOf = (id: number) => `image.${id}`
