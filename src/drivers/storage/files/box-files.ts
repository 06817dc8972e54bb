/** The files of boxes for the API: the same steps, however they are reached. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type {
  AccountState,
  BoxFiles,
  FileInfo,
  FilePiece,
  FilePlace,
  NamedFile,
} from '../../../families/storage-boxes/driver.ts'
import type { Account } from '../doors/accounts.ts'
import type { Ledger } from '../doors/ledger.ts'
import { FilesPool } from '../doors/webdav/pool.ts'
import { isThere } from '../store/durable.ts'
import { uploadsFolder } from '../store/places.ts'
import type { Store } from '../store/store.ts'
import { Confined } from './confined.ts'
import { Direct } from './direct.ts'
import { inTheWay, noSuchFile, outOfOrder, type Reach } from './reach.ts'
import { clearPieces, dropPieces, isUploads, unlessMissing, WholeUploads, writePiece, writeWhole } from './uploads.ts'

/** The API sees all of a box. */
const everything: Omit<AccountState, 'username' | 'isReadonly'> = {
  home: '',
  passwordHash: '',
  keys: [],
  isReachableExternally: false,
  hasSsh: false,
  hasWebdav: false,
  seesSnapshots: false,
}

/** Says what others have to know of a box that changes. */
type NoteChange = (box: number) => Promise<void>

/** Who writes learns so often what others have written meanwhile, and they of him, in milliseconds. */
const sharedMs = 200

/** Those who write by this process learn here what a box takes. */
class StoreLedger implements Ledger {
  readonly #store: Store
  readonly #id: number
  readonly #noteChange: NoteChange
  #left = 0
  #changes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(store: Store, id: number, noteChange: NoteChange) {
    this.#store = store
    this.#id = id
    this.#noteChange = noteChange
  }

  /** Looks what others have written. */
  async renew(): Promise<void> {
    const { limit, used } = await this.#store.quota(this.#id)
    this.#left = limit - used
  }

  begin(): Promise<void> {
    return this.#store.changed(this.#id)
  }

  room(): number {
    return this.#left
  }

  charge(bytes: number): void {
    this.#left -= bytes
    // It was counted as changed before, so that it is counted anew if this fails.
    void Promise.resolve(this.#store.charge(this.#id, bytes)).catch(() => undefined)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#share()
    }, sharedMs).unref()
  }

  written(bytes: number): void {
    this.#store.written(this.#id, bytes)
  }

  async #share(): Promise<void> {
    await this.#noteChange(this.#id)
    // Nothing more is written to a box that is gone.
    await this.renew().catch(() => undefined)
  }

  changed(): void {
    this.#changes++
    void this.#noteChange(this.#id)
  }

  measured(): number {
    return this.#changes
  }
}

interface OpenTree {
  readonly reach: Reach
  readonly ledger: StoreLedger | undefined
}

interface KeptTree extends OpenTree {
  /** The directory that it was opened for. */
  readonly directory: string
}

export class FilesOfBoxes implements BoxFiles {
  readonly #store: Store
  readonly #isConfined: boolean
  readonly #noteChange: NoteChange
  readonly #pool = new FilesPool()
  /** Open trees are kept by box, and by snapshot. */
  readonly #kept = new Map<string, KeptTree>()

  get kind(): string {
    return this.#store.kind
  }

  constructor(store: Store, isConfined: boolean, noteChange: NoteChange) {
    this.#store = store
    this.#isConfined = isConfined
    this.#noteChange = noteChange
  }

  async look(place: FilePlace): Promise<FileInfo> {
    const { reach } = await this.#open(place)
    return reach.look(pathOf(place))
  }

  async list(place: FilePlace): Promise<readonly NamedFile[]> {
    const { reach } = await this.#open(place)
    const { kind } = await reach.look(pathOf(place))
    if (kind !== 'directory') throw inTheWay('It is no directory.')
    const all = await reach.list(pathOf(place))
    return place.path === '' ? all.filter(({ name }) => name !== uploadsFolder) : all
  }

  async *read(place: FilePlace, start: number, end: number): AsyncGenerator<Buffer> {
    const { reach } = await this.#open(place)
    yield* reach.read(pathOf(place), start, end)
  }

  write(place: FilePlace, source: AsyncIterable<Buffer>): Promise<void> {
    return this.#change(place, async ({ reach, ledger }) => {
      await ledger?.renew()
      await writeWhole(reach, pathOf(place), source)
    })
  }

  writePiece(place: FilePlace, piece: FilePiece, source: AsyncIterable<Buffer>): Promise<number> {
    return this.#change(place, async ({ reach, ledger }) => {
      await ledger?.renew()
      const whole = await this.#wholeUploads(place.box)
      return writePiece({ reach, whole }, pathOf(place), piece, source)
    })
  }

  dropPieces(box: number, upload: string): Promise<void> {
    return this.#change({ box }, ({ reach }) => dropPieces(reach, upload))
  }

  /** Looks first, because few boxes have any, and a file server would be started for each. */
  async clearPieces(box: number): Promise<void> {
    await (await this.#wholeUploads(box)).clear()
    const { files } = await this.#store.paths(box)
    if (await isThere(join(files, uploadsFolder))) await this.#change({ box }, ({ reach }) => clearPieces(reach))
  }

  async #wholeUploads(box: number): Promise<WholeUploads> {
    return new WholeUploads((await this.#store.paths(box)).wholeUploads)
  }

  makeFolder(place: FilePlace): Promise<void> {
    return this.#change(place, async ({ reach }) => {
      if (await unlessMissing(reach.look(pathOf(place)))) throw inTheWay('There is something at this path already.')
      await reach.makeFolder(pathOf(place))
    })
  }

  rename(place: FilePlace, to: string): Promise<void> {
    return this.#change(place, async ({ reach }) => {
      const [from, target] = [pathOf(place), pathOf({ path: to })]
      if (place.path === '' || `${target}/`.startsWith(`${from}/`)) throw inTheWay('It cannot be moved into itself.')
      await reach.look(from)
      if (await unlessMissing(reach.look(target))) throw inTheWay('There is something at the new path already.')
      await reach.rename(from, target)
    })
  }

  remove(place: FilePlace): Promise<void> {
    return this.#change(place, async ({ reach }) => {
      if (place.path === '') throw inTheWay('The Storage Box itself cannot be deleted here.')
      await reach.look(pathOf(place))
      await reach.remove(pathOf(place))
    })
  }

  /** Lets go of the files of a box: they are about to be replaced. */
  forget(box: number): void {
    for (const name of [...this.#kept.keys()]) {
      if (name !== nameOf({ box }) && !name.startsWith(`${nameOf({ box })}/`)) continue
      this.#kept.delete(name)
      this.#pool.forget(name)
    }
  }

  close(): void {
    this.#pool.close()
  }

  /** Changes files; what was written to those that a rollback has replaced meanwhile is not there. */
  async #change<T>(place: Omit<FilePlace, 'path'>, work: (opened: OpenTree) => Promise<T>): Promise<T> {
    const { files } = await this.#store.paths(place.box)
    const before = await stat(files)
    // Nobody knows yet how much it will be, so the box is counted anew.
    await this.#store.changed(place.box)
    let done: T
    try {
      done = await work(await this.#open(place))
    } finally {
      // Whoever has counted meanwhile has seen a part of it.
      void this.#noteChange(place.box)
    }
    const after = await stat(files)
    if (before.ino !== after.ino) throw outOfOrder(new Error('the files were replaced meanwhile'))
    return done
  }

  async #open(place: Omit<FilePlace, 'path'>): Promise<OpenTree> {
    const { box, snapshot } = place
    const { files, bySnapshot, snapshots, owner } = await this.#store.paths(box)
    const directory = snapshot === undefined ? files : bySnapshot.get(snapshot)
    if (directory === undefined) throw noSuchFile()
    const name = nameOf(place)
    const known = this.#kept.get(name)
    if (known?.directory === directory) return known
    const ledger =
      this.#store.hasKernelQuota || snapshot !== undefined
        ? undefined
        : new StoreLedger(this.#store, box, this.#noteChange)
    const state = { ...everything, username: name, isReadonly: snapshot !== undefined }
    const account: Account = { place: { id: box, directory, snapshots, ...owner, ledger }, state }
    const reach = this.#isConfined ? new Confined(account, this.#pool) : new Direct(directory, owner, ledger)
    const kept = { reach, ledger, directory }
    this.#kept.set(name, kept)
    return kept
  }
}

const nameOf = ({ box, snapshot }: Omit<FilePlace, 'path'>) =>
  snapshot === undefined ? `${box}` : `${box}/${snapshot}`

/** Errors: `not_found` for what has not come as a whole, which nobody sees. */
function pathOf({ path }: Pick<FilePlace, 'path'>): string {
  if (isUploads(`/${path}`)) throw noSuchFile()
  return `/${path}`
}
