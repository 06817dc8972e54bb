/**
 * Simulated Storage Boxes: they have accounts and snapshots, and directories. Where files are kept, what takes effect here does
 * there as well, and what boxes take and have is asked there. A copy of the infrastructure begins without any files: its boxes
 * get their directories and snapshots again when somebody first does something with them.
 */
import type { BoxState, BoxUsage, StorageBoxDriver } from '../../families/storage-boxes/driver.ts'
import { DriverError } from '../../kernel/actions/define.ts'
import { simulateMemory } from './memory.ts'
import { type Generations, pairsIn, type Share, type Site } from './simulation.ts'
import { KeptFiles } from './storage-boxes/kept-files.ts'

export interface SimulatedBox {
  readonly state: BoxState
  /** Paths of all directories, without those above them. */
  readonly folders: readonly string[]
  /** Each snapshot has, by its name, the directories of its time. */
  readonly snapshots: Readonly<Record<string, readonly string[]>>
  /** The names of snapshots that were removed. */
  readonly removed: readonly string[]
  /** The number of the last rollback. */
  readonly rolledBack: number
}

const nothing: BoxUsage = { data: 0, snapshots: 0, bySnapshot: new Map() }
const empty = { snapshots: {}, removed: [], rolledBack: 0 }
/** A directory takes so many bytes. */
const folderBytes = 4_096

const sizeOf = (folders: readonly string[]) => folders.length * folderBytes

type Boxes = Map<number, SimulatedBox>
/** A call does this, or half of it. */
type Effect = (share: Share) => void

/** Returns what calls do with the boxes in memory. */
function effectsOn(boxes: Boxes, generations: Generations) {
  /** Changes a box that is there; whole or not at all, as the interface has it. */
  const change =
    (id: number, work: (box: SimulatedBox) => SimulatedBox): Effect =>
    (share) => {
      const box = boxes.get(id)
      if (box && share === 'all') boxes.set(id, work(box))
    }
  return {
    apply:
      (state: BoxState): Effect =>
      (share) => {
        const { id, generation } = state
        const known = boxes.get(id)
        if (!generations.admits(id, generation, known !== undefined)) return
        if (share === 'all') generations.see(id, generation)
        const wanted = share === 'all' ? state : { ...state, accounts: state.accounts.slice(0, 1) }
        const homes = wanted.accounts.map(({ home }) => home).filter((home) => home !== '')
        const folders = [...new Set([...(known?.folders ?? []), ...homes])]
        boxes.set(id, { ...empty, ...known, state: wanted, folders })
      },
    remove:
      (id: number, generation: number): Effect =>
      (share) => {
        if (generations.isStale(id, generation) || share === 'half') return
        generations.see(id, generation)
        boxes.delete(id)
      },
    createSnapshot: (id: number, name: string) =>
      change(id, (box) =>
        box.removed.includes(name) ? box : { ...box, snapshots: { [name]: box.folders, ...box.snapshots } },
      ),
    deleteSnapshot: (id: number, name: string) => change(id, (box) => without(box, [name])),
    rollback: (id: number, name: string, newer: readonly string[], number: number) =>
      change(id, (box) => {
        if (number <= box.rolledBack) return box
        // Another process has made it, or an infrastructure that was lost: it is as empty as the box was then.
        return { ...without(box, newer), folders: box.snapshots[name] ?? [], rolledBack: number }
      }),
  }
}

/** The boxes in memory; `lose` hears of those of which nothing is known any more. */
const keepBoxes = (site: Site, lose: (id: number) => void): Boxes =>
  site.keep('storageBoxes', {
    fresh: () => new Map<number, SimulatedBox>(),
    copy: (known) => new Map(known),
    forget(known, ids) {
      for (const id of [...known.keys()].filter((one) => ids.has(one))) {
        known.delete(id)
        lose(id)
      }
    },
    save: (known) => [...known],
    load: (saved) => new Map(pairsIn<number, SimulatedBox>(saved)),
  })

/** Creates the driver of Storage Boxes. */
export function simulateStorageBoxes(site: Site) {
  const boxes = keepBoxes(site, (id) => void kept?.lose(id))
  const { files } = site.beside
  const kept = files && new KeptFiles(files, (id) => boxes.get(id)?.state, snapshotsOf(boxes))
  const effects = effectsOn(boxes, site.part(simulateMemory).generations('storageBoxes'))

  const perform = (method: string, subject: number, effect: Effect) =>
    site.perform({ driver: 'storageBoxes', method, subject }, effect)

  /** Whatever becomes of the answer, what takes effect does so with the files. */
  async function change<M extends keyof typeof effects>(
    method: M,
    id: number,
    ...given: Parameters<StorageBoxDriver[M]>
  ) {
    let isDone = false
    const wasThere = boxes.has(id)
    const effect = (effects[method] as (...all: typeof given) => Effect)(...given)
    await kept?.prepare(id)
    try {
      await perform(method, id, (share) => {
        effect(share)
        isDone = share === 'all'
      })
    } finally {
      // A box that never was has no files.
      if (isDone && (wasThere || boxes.has(id))) await kept?.change(method, ...given)
    }
  }

  const driver: StorageBoxDriver = {
    files: kept,
    get doors() {
      return kept?.doors
    },
    apply: (state) => change('apply', state.id, state),
    remove: (id, generation) => change('remove', id, id, generation),
    createSnapshot: (id, name) => change('createSnapshot', id, id, name),
    deleteSnapshot: (id, name) => change('deleteSnapshot', id, id, name),
    rollback: (id, name, newer, number) => change('rollback', id, id, name, newer, number),
    async snapshots(id) {
      await perform('snapshots', id, () => undefined)
      return snapshotsOf(boxes)(id)
    },
    async usage(id) {
      await perform('usage', id, () => undefined)
      return (await kept?.of(id))?.usage(id) ?? usageOf(boxes.get(id))
    },
    async folders(id, path) {
      await perform('folders', id, () => undefined)
      return (await kept?.of(id))?.folders(id, path) ?? foldersIn(boxes.get(id)?.folders ?? [], path)
    },
  }
  return {
    drivers: { storageBoxes: driver },
    world: { storageBoxes: boxes as ReadonlyMap<number, SimulatedBox> },
    direct: ['storageBoxes.folders'],
    harmless: ['storageBoxes.usage'],
  }
}

const snapshotsOf = (boxes: Boxes) => (id: number) => Object.keys(boxes.get(id)?.snapshots ?? {})

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
