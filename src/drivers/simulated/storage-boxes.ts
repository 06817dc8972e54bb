/** Simulated Storage Boxes: they have accounts and snapshots, and directories that nobody fills. */
import type { BoxState, BoxUsage, StorageBoxDriver } from '../../families/storage-boxes/driver.ts'
import { DriverError } from '../../kernel/actions/define.ts'
import { simulateMemory } from './memory.ts'
import { keptMap, type Share, type Site } from './simulation.ts'

export interface SimulatedBox {
  readonly state: BoxState
  /** Paths of all directories, without those above them. */
  readonly folders: readonly string[]
  /** By name; each has the directories of its time. */
  readonly snapshots: Readonly<Record<string, readonly string[]>>
  /** The names of snapshots that were removed. */
  readonly removed: readonly string[]
  /** The number of the last rollback. */
  readonly rolledBack: number
}

const nothing: BoxUsage = { data: 0, snapshots: 0, bySnapshot: new Map() }
const empty = { snapshots: {}, removed: [], rolledBack: 0 }
/** What a directory takes, in bytes. */
const folderBytes = 4_096

const sizeOf = (folders: readonly string[]) => folders.length * folderBytes

/** Creates the driver of Storage Boxes. */
export function simulateStorageBoxes(site: Site) {
  const boxes = keptMap<number, SimulatedBox>(site, 'storageBoxes')
  const generations = site.part(simulateMemory).generations('storageBoxes')

  const put = (state: BoxState, share: Share) => {
    const { id, generation } = state
    const known = boxes.get(id)
    if (!generations.admits(id, generation, known !== undefined)) return
    if (share === 'all') generations.see(id, generation)
    const wanted = share === 'all' ? state : { ...state, accounts: state.accounts.slice(0, 1) }
    const homes = wanted.accounts.map(({ home }) => home).filter((home) => home !== '')
    const folders = [...new Set([...(known?.folders ?? []), ...homes])]
    boxes.set(id, { ...empty, ...known, state: wanted, folders })
  }

  const remove = (id: number, generation: number, share: Share) => {
    if (generations.isStale(id, generation) || share === 'half') return
    generations.see(id, generation)
    boxes.delete(id)
  }

  /** Changes a box that is there; whole or not at all, as the interface has it. */
  const change = (id: number, share: Share, work: (box: SimulatedBox) => SimulatedBox) => {
    const box = boxes.get(id)
    if (box && share === 'all') boxes.set(id, work(box))
  }

  const call = (method: keyof StorageBoxDriver, subject: number, effect: (share: Share) => void) =>
    site.perform({ driver: 'storageBoxes', method, subject }, effect)

  const driver: StorageBoxDriver = {
    apply: (state) => call('apply', state.id, (share) => put(state, share)),
    remove: (id, generation) => call('remove', id, (share) => remove(id, generation, share)),
    createSnapshot: (id, name) =>
      call('createSnapshot', id, (share) =>
        change(id, share, (box) =>
          box.removed.includes(name) ? box : { ...box, snapshots: { [name]: box.folders, ...box.snapshots } },
        ),
      ),
    deleteSnapshot: (id, name) =>
      call('deleteSnapshot', id, (share) => change(id, share, (box) => without(box, [name]))),
    rollback: (id, name, newer, number) =>
      call('rollback', id, (share) =>
        change(id, share, (box) => {
          if (number <= box.rolledBack) return box
          // Another process has made it, or an infrastructure that was lost: it is as empty as the box was then.
          return { ...without(box, newer), folders: box.snapshots[name] ?? [], rolledBack: number }
        }),
      ),
    async usage(id) {
      await call('usage', id, () => undefined)
      return usageOf(boxes.get(id))
    },
    async folders(id, path) {
      await call('folders', id, () => undefined)
      return foldersIn(boxes.get(id)?.folders ?? [], path)
    },
  }
  return {
    drivers: { storageBoxes: driver },
    world: { storageBoxes: boxes as ReadonlyMap<number, SimulatedBox> },
    direct: ['storageBoxes.folders'],
  }
}

/** A box without some snapshots. */
function without(box: SimulatedBox, names: readonly string[]): SimulatedBox {
  const kept = Object.entries(box.snapshots).filter(([name]) => !names.includes(name))
  return { ...box, snapshots: Object.fromEntries(kept), removed: [...new Set([...box.removed, ...names])] }
}

function usageOf(box: SimulatedBox | undefined): BoxUsage {
  if (!box) return nothing
  const { folders, snapshots } = box
  const bySnapshot = new Map(
    Object.entries(snapshots).map(([name, those]) => {
      const size = sizeOf(those.filter((folder) => !folders.includes(folder)))
      return [name, { size, filesystem: sizeOf(those) }]
    }),
  )
  const kept = [...bySnapshot.values()].reduce((sum, { size }) => sum + size, 0)
  return { data: sizeOf(folders), snapshots: kept, bySnapshot }
}

/** The names of the directories in one of them. */
function foldersIn(folders: readonly string[], path: string): string[] {
  const before = path === '' ? '' : `${path}/`
  if (path !== '' && !folders.some((folder) => `${folder}/`.startsWith(before))) {
    throw new DriverError('there is no such directory', { transient: false, code: 'not_found' })
  }
  const below = folders.filter((folder) => folder.startsWith(before) && folder !== path)
  return [...new Set(below.map((folder) => folder.slice(before.length).split('/')[0]!))].sort()
}
