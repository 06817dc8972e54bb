/** The files of boxes for the API: the same steps, however they are reached. */
import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { posix } from 'node:path'
import type { AccountState, BoxFiles, FileInfo, FilePlace, NamedFile } from '../../../families/storage-boxes/driver.ts'
import type { Account } from '../doors/accounts.ts'
import type { Ledger } from '../doors/ledger.ts'
import { FilesPool } from '../doors/webdav/pool.ts'
import type { Store } from '../store/store.ts'
import { Confined } from './confined.ts'
import { Direct } from './direct.ts'
import { inTheWay, noSuchFile, outOfOrder, type Reach } from './reach.ts'

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

/** Those who write by this process learn here what a box takes. */
class StoreLedger implements Ledger {
  readonly #store: Store
  readonly #id: number
  #left = 0

  constructor(store: Store, id: number) {
    this.#store = store
    this.#id = id
  }

  /** Looks what others have written. */
  async renew(): Promise<void> {
    const { limit, used } = await this.#store.quota(this.#id)
    this.#left = limit - used
  }

  room(): number {
    return this.#left
  }

  charge(bytes: number): void {
    this.#left -= bytes
    // It was counted as changed before, so that it is counted anew if this fails.
    void Promise.resolve(this.#store.charge(this.#id, bytes)).catch(() => undefined)
  }

  changed(): void {
    void this.#store.changed(this.#id).catch(() => undefined)
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
  readonly #pool = new FilesPool()
  /** Open trees are kept by box, and by snapshot. */
  readonly #kept = new Map<string, KeptTree>()

  get kind(): string {
    return this.#store.kind
  }

  constructor(store: Store, isConfined: boolean) {
    this.#store = store
    this.#isConfined = isConfined
  }

  async look(place: FilePlace): Promise<FileInfo> {
    const { reach } = await this.#open(place)
    return reach.look(pathOf(place))
  }

  async list(place: FilePlace): Promise<readonly NamedFile[]> {
    const { reach } = await this.#open(place)
    const { kind } = await reach.look(pathOf(place))
    if (kind !== 'directory') throw inTheWay('It is no directory.')
    return reach.list(pathOf(place))
  }

  async *read(place: FilePlace, start: number, end: number): AsyncGenerator<Buffer> {
    const { reach } = await this.#open(place)
    yield* reach.read(pathOf(place), start, end)
  }

  write(place: FilePlace, source: AsyncIterable<Buffer>): Promise<void> {
    return this.#change(place, async ({ reach, ledger }) => {
      const path = pathOf(place)
      const there = await find(reach, path)
      if (there && there.kind !== 'file') throw inTheWay('There is something else than a file at this path.')
      await ledger?.renew()
      const beside = posix.join(posix.dirname(path), `.upload-${randomBytes(8).toString('hex')}`)
      try {
        await reach.write(beside, source)
        await reach.rename(beside, path)
      } catch (error) {
        await reach.remove(beside).catch(() => undefined)
        throw error
      }
    })
  }

  makeFolder(place: FilePlace): Promise<void> {
    return this.#change(place, async ({ reach }) => {
      if (await find(reach, pathOf(place))) throw inTheWay('There is something at this path already.')
      await reach.makeFolder(pathOf(place))
    })
  }

  rename(place: FilePlace, to: string): Promise<void> {
    return this.#change(place, async ({ reach }) => {
      const [from, target] = [pathOf(place), `/${to}`]
      if (place.path === '' || `${target}/`.startsWith(`${from}/`)) throw inTheWay('It cannot be moved into itself.')
      await reach.look(from)
      if (await find(reach, target)) throw inTheWay('There is something at the new path already.')
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
  async #change(place: FilePlace, work: (opened: OpenTree) => Promise<void>): Promise<void> {
    const { files } = await this.#store.paths(place.box)
    const before = await stat(files)
    // Nobody knows yet how much it will be, so the box is counted anew.
    await this.#store.changed(place.box)
    await work(await this.#open(place))
    const after = await stat(files)
    if (before.ino !== after.ino) throw outOfOrder(new Error('the files were replaced meanwhile'))
  }

  async #open(place: Pick<FilePlace, 'box' | 'snapshot'>): Promise<OpenTree> {
    const { box, snapshot } = place
    const { files, bySnapshot, snapshots, owner } = await this.#store.paths(box)
    const directory = snapshot === undefined ? files : bySnapshot.get(snapshot)
    if (directory === undefined) throw noSuchFile()
    const name = nameOf(place)
    const known = this.#kept.get(name)
    if (known?.directory === directory) return known
    const ledger = this.#store.hasKernelQuota || snapshot !== undefined ? undefined : new StoreLedger(this.#store, box)
    const state = { ...everything, username: name, isReadonly: snapshot !== undefined }
    const account: Account = { place: { id: box, directory, snapshots, ...owner, ledger }, state }
    const reach = this.#isConfined ? new Confined(account, this.#pool) : new Direct(directory, owner, ledger)
    const kept = { reach, ledger, directory }
    this.#kept.set(name, kept)
    return kept
  }
}

const nameOf = ({ box, snapshot }: Pick<FilePlace, 'box' | 'snapshot'>) =>
  snapshot === undefined ? `${box}` : `${box}/${snapshot}`

const pathOf = ({ path }: FilePlace) => `/${path}`

/** Undefined where there is nothing; the directory above it is there. */
async function find(reach: Reach, path: string): Promise<FileInfo | undefined> {
  try {
    return await reach.look(path)
  } catch (error) {
    if ((error as { code?: string }).code === 'not_found') return undefined
    throw error
  }
}
