/** Simulated volumes, and the volumes of each server. */
import type { AttachmentState, VolumeDriver, VolumeState } from '../../families/volumes/driver.ts'
import { simulateMemory } from './memory.ts'
import { simulateServers } from './servers.ts'
import { keptMap, type Share, type Site } from './simulation.ts'

/** Creates the driver of volumes. */
export function simulateVolumes(site: Site) {
  const volumes = keptMap<number, VolumeState>(site, 'volumes')
  const attachments = keptMap<number, AttachmentState>(site, 'attachments')
  const generations = site.part(simulateMemory).generations('volumes')
  const sets = site.part(simulateMemory).generations('attachments')
  site.part(simulateServers).onRemoval((id) => attachments.delete(id))

  const put = (state: VolumeState, share: Share) => {
    const { id, generation } = state
    const known = volumes.get(id)
    if (!generations.admits(id, generation, known !== undefined)) return
    if (share === 'all') generations.see(id, generation)
    volumes.set(id, share === 'all' ? state : { ...state, sizeGb: known?.sizeGb ?? 0 })
  }

  const remove = (id: number, generation: number, share: Share) => {
    if (generations.isStale(id, generation) || share === 'half') return
    generations.see(id, generation)
    volumes.delete(id)
  }

  const attach = (state: AttachmentState, share: Share) => {
    const { serverId, generation } = state
    if (!sets.admits(serverId, generation, attachments.has(serverId))) return
    if (share === 'all') sets.see(serverId, generation)
    attachments.set(serverId, share === 'all' ? state : { ...state, volumes: state.volumes.slice(0, 1) })
  }

  const driver: VolumeDriver = {
    apply: (state) =>
      site.perform({ driver: 'volumes', method: 'apply', subject: state.id }, (share) => put(state, share)),
    remove: (id, generation) =>
      site.perform({ driver: 'volumes', method: 'remove', subject: id }, (share) => remove(id, generation, share)),
    attach: (state) =>
      site.perform({ driver: 'volumes', method: 'attach', subject: state.serverId }, (share) => attach(state, share)),
  }
  return {
    drivers: { volumes: driver },
    world: {
      volumes: volumes as ReadonlyMap<number, VolumeState>,
      attachments: attachments as ReadonlyMap<number, AttachmentState>,
    },
  }
}
