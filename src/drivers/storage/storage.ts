/**
 * Storage Boxes with files: a store that keeps them, and doors that lead to them where there can be some. Several processes
 * may have the same directory, each with doors of its own.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { BoxDoors, BoxState, BoxUsage, NoteKey, StorageBoxDriver } from '../../families/storage-boxes/driver.ts'
import { hostAndPort, type ListenAddress } from '../../protocols/net/listen-address.ts'
import { makePrivate } from '../private-folder.ts'
import { whyImpossible } from './doors/jail/possible.ts'
import { type DoorsDriver, openDoors } from './doors/process/doors.ts'
import { FilesOfBoxes } from './files/box-files.ts'
import { continueAll, endAll, hasProcesses, pauseAll } from './processes.ts'
import { openStore } from './store/open.ts'
import { noSuchBox } from './store/refusal.ts'
import type { Store, StoreKind, StoreLog } from './store/store.ts'

/** Doors are to be here; one that is undefined stays closed. */
export interface AskedDoors {
  readonly ssh: ListenAddress | undefined
  readonly webdav: ListenAddress | undefined
}

export interface StorageOptions extends AskedDoors {
  /** Made when it is not there. */
  readonly directory: string
  /** The doors keep here what stays the same, such as their keys. */
  readonly doorsDirectory: string
  /** Whether doors open where programs cannot be confined. */
  readonly isUnconfined?: boolean | undefined
  readonly log: StoreLog
}

/** Addresses as HOST:PORT; null for a door that is closed. */
export interface OpenDoors {
  readonly ssh: string | null
  readonly webdav: string | null
}

export interface Storage {
  readonly driver: StorageBoxDriver
  readonly kind: StoreKind
  /** One line for the operator: why it is of this kind. */
  readonly reason: string
  readonly doors: OpenDoors
  close(): Promise<void>
  /** Closes it, and removes its directory with all files. */
  discard(): Promise<void>
}

/** Says which option names the directory that an error is about. */
export const underOption = (error: Error) => new Error(`--storage: ${error.message}`, { cause: error })

/** Opens what is asked for. Errors: one line for the operator. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const boxes = await Boxes.open(options)
  const { kind, reason } = boxes.store
  const ends = { close: () => boxes.close(), discard: () => boxes.discard() }
  return { driver: boxes, kind, reason, doors: boxes.opened, ...ends }
}

/** The part of its room from which on a box counts as full. */
const nearlyFull = 0.9
/** How long such a box is not measured again while it changes, in milliseconds. */
const calmMs = 500

/** Copies and removals of many files take hours on most file systems, and what is asked for after them waits. */
const longCalls: ReadonlySet<keyof StorageBoxDriver> = new Set([
  'apply',
  'remove',
  'createSnapshot',
  'deleteSnapshot',
  'rollback',
  'snapshots',
] as const)

/** Only here do boxes have users of their own, so that it is known which programs work on one. */
const hasUsers = process.platform === 'linux' && process.getuid?.() === 0

class Boxes implements StorageBoxDriver, BoxDoors {
  readonly isLasting = true
  readonly longCalls = longCalls
  readonly store: Store
  readonly files: FilesOfBoxes
  readonly doors: BoxDoors | undefined
  readonly #log: StoreLog
  readonly #isUnconfined: boolean
  readonly #known = new Map<number, number>()
  /** Boxes that are being measured, and whether they have changed since that began. */
  readonly #measuring = new Map<number, boolean>()
  /** Long calls that are under way, by what they do. */
  readonly #underWay = new Map<string, Promise<unknown>>()
  #doors: DoorsDriver | undefined
  #opened: OpenDoors = { ssh: null, webdav: null }
  #noteKey: NoteKey = async () => 'keys cannot be noted yet'

  private constructor(store: Store, options: StorageOptions) {
    this.store = store
    this.#log = options.log
    this.#isUnconfined = options.isUnconfined ?? false
    const noteChange = (id: number) => this.#noteChange(id).catch(this.#complain(id))
    this.files = new FilesOfBoxes(store, whyImpossible() === undefined, noteChange)
    this.doors = options.ssh || options.webdav ? this : undefined
  }

  static async open(options: StorageOptions): Promise<Boxes> {
    let boxes: Boxes | undefined
    const during = (work: (boxes: Boxes, id: number) => Promise<AsyncDisposable>) => (id: number) => work(boxes!, id)
    const store = await openStore({
      directory: options.directory,
      log: options.log,
      hear: async (id) => {
        if (boxes) await boxes.#doors?.hear(id)
      },
      // Where all boxes have the user of this process, it is not known who is inside of them but for those who came by its doors.
      ...(hasUsers && {
        pause: during((boxes, id) => boxes.#pause(id)),
        isOpen: async (id) => hasProcesses((await boxes!.store.ownerOf(id)).uid),
      }),
      ...((hasUsers || options.isUnconfined) && { vacate: during((boxes, id) => boxes.#vacate(id)) }),
    }).catch((error) => {
      throw underOption(error)
    })
    boxes = new Boxes(store, options)
    try {
      if (options.ssh || options.webdav) await boxes.#openDoors(options)
    } catch (error) {
      await boxes.close()
      throw error
    }
    return boxes
  }

  get isConfined(): boolean {
    return !this.#isUnconfined
  }

  get opened(): OpenDoors {
    return this.#opened
  }

  apply(box: BoxState): Promise<void> {
    return this.#join(`apply ${box.id} ${box.generation}`, () => this.#apply(box))
  }

  async #apply(box: BoxState): Promise<void> {
    const { store } = this
    await store.apply(box)
    if (!this.#doors) return
    const { files: directory, snapshots, owner, figures } = await store.paths(box.id)
    const quota = store.hasKernelQuota ? null : await store.quota(box.id)
    const place = { id: box.id, directory, snapshots, ...owner, quota, figures, isUnconfined: this.#isUnconfined }
    await this.#doors.setAccounts(place, box.generation, box.accounts)
    await this.#tellQuota(box.id)
    this.#known.set(box.id, Math.max(box.generation, this.#known.get(box.id) ?? 0))
  }

  remove(id: number, generation: number): Promise<void> {
    return this.#join(`remove ${id} ${generation}`, async () => {
      await this.#doors?.removeBox(id, generation)
      this.#known.delete(id)
      await this.store.remove(id, generation)
    })
  }

  createSnapshot(id: number, name: string): Promise<void> {
    return this.#join(`create ${id} ${name}`, async () => {
      try {
        await this.store.createSnapshot(id, name)
      } finally {
        // A process that was cut off while everybody stood still for a snapshot leaves them so.
        if (hasUsers && this.store.hasKernelQuota) await this.#letGoOn(id)
      }
      await this.#tellQuota(id)
    })
  }

  deleteSnapshot(id: number, name: string): Promise<void> {
    return this.#join(`delete ${id} ${name}`, async () => {
      // Whoever has it as a root keeps its room.
      this.files.forget(id)
      await this.store.deleteSnapshot(id, name)
      // The box may be gone as well.
      await this.#tellQuota(id).catch(this.#complain(id))
    })
  }

  rollback(id: number, name: string, newer: readonly string[], number: number): Promise<void> {
    return this.#join(`roll back ${id} ${number}`, async () => {
      this.files.forget(id)
      await this.store.rollback(id, name, newer, number)
      await this.#tellQuota(id)
    })
  }

  snapshots(id: number): Promise<readonly string[]> {
    return this.#join(`snapshots ${id}`, () => this.store.snapshots(id))
  }

  async usage(id: number): Promise<BoxUsage> {
    const usage = await this.store.usage(id)
    await this.#tellQuota(id)
    return usage
  }

  folders(id: number, path: string): Promise<string[]> {
    return this.store.folders(id, path)
  }

  known(): ReadonlyMap<number, number> {
    return this.#known
  }

  async forget(id: number): Promise<void> {
    const generation = this.#known.get(id)
    this.#known.delete(id)
    if (generation !== undefined) await this.#doors?.removeBox(id, generation)
  }

  noteKeys(note: NoteKey): void {
    this.#noteKey = note
  }

  async close(): Promise<void> {
    await this.#shut()
    await this.store.close()
  }

  async discard(): Promise<void> {
    await this.#shut()
    await this.store.discard()
  }

  /** Nobody comes in any more. */
  async #shut(): Promise<void> {
    this.files.close()
    await this.#doors?.close()
  }

  /** Whoever asks for the same again while it is under way gets its end, so that a call of hours can be asked for in turns. */
  async #join<T>(what: string, work: () => Promise<T>): Promise<T> {
    const known = this.#underWay.get(what) as Promise<T> | undefined
    if (known) return known
    const mine = work()
    this.#underWay.set(what, mine)
    try {
      return await mine
    } finally {
      this.#underWay.delete(what)
    }
  }

  async #openDoors({ doorsDirectory, ssh, webdav }: StorageOptions): Promise<void> {
    makePrivate(doorsDirectory)
    const doors = openDoors({
      directory: doorsDirectory,
      ssh,
      webdav,
      isUnconfined: this.#isUnconfined,
      charged: (box, bytes) => void (async () => this.store.charge(box, bytes))().catch(this.#complain(box)),
      written: (box, bytes) => this.store.written(box, bytes),
      changed: (box) => void this.#noteChange(box).catch(this.#complain(box)),
      begin: (box) => this.store.changed(box),
      installKey: (box, username, key) => this.#noteKey(box, username, key),
      report: (message, fields) => this.#log.warn(fields, message),
    })
    this.#doors = await doors.catch((error: Error) => {
      throw new Error(`the doors of Storage Boxes do not open: ${error.message}`, { cause: error })
    })
    const { opened } = this.#doors
    const at = (asked: ListenAddress | undefined, port: number | null) =>
      asked && port !== null ? hostAndPort({ host: asked.host, port }) : null
    this.#opened = { ssh: at(ssh, opened.ssh), webdav: at(webdav, opened.webdav) }
  }

  #complain(box: number): (err: unknown) => void {
    return (err) => {
      const isGone = (err as { code?: string }).code === noSuchBox().code
      if (!isGone) this.#log.warn({ err, storage_box: box }, 'what was written to a Storage Box could not be noted')
    }
  }

  /** Who has made room in a box that is full waits for it, so it is measured soon. */
  async #noteChange(id: number): Promise<void> {
    await this.store.changed(id)
    const { limit, used } = await this.store.quota(id)
    if (used < limit * nearlyFull) return this.#tellQuota(id)
    const isUnderWay = this.#measuring.has(id)
    this.#measuring.set(id, true)
    if (isUnderWay) return
    try {
      while (this.#measuring.get(id)) {
        this.#measuring.set(id, false)
        await this.usage(id)
        await delay(calmMs, undefined, { ref: false })
      }
    } finally {
      this.#measuring.delete(id)
    }
  }

  async #tellQuota(id: number): Promise<void> {
    if (!this.store.hasKernelQuota) await this.#doors?.setQuota(id, () => this.store.quota(id))
  }

  async #pause(id: number): Promise<AsyncDisposable> {
    return pauseAll((await this.store.ownerOf(id)).uid)
  }

  async #letGoOn(id: number): Promise<void> {
    const owner = await this.store.ownerOf(id).catch(() => undefined)
    if (owner) await continueAll(owner.uid)
  }

  /**
   * Whoever comes in while the files are replaced has the former ones or the new ones as his root. He is sent away again
   * afterwards, so that nobody fills the former ones.
   */
  async #vacate(id: number): Promise<AsyncDisposable> {
    // Afterwards the box may be gone.
    const { uid } = await this.store.ownerOf(id)
    const empty = async () => {
      await this.#doors?.endSessions(id)
      this.files.forget(id)
      if (hasUsers) await endAll(uid)
    }
    await empty()
    return { [Symbol.asyncDispose]: empty }
  }
}
