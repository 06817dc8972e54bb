/** Opens the storage of an installation: where it is, and which doors lead to it. */
import { join } from 'node:path'
import type { StorageBoxDriver } from '../../families/storage-boxes/driver.ts'
import { createFolder } from '../../kernel/process/private-file.ts'
import type { ListenAddress } from '../../protocols/net/listen-address.ts'
import { ownAddress } from '../load-balancers/data-plane.ts'
import { whyImpossible, whyNotUnconfined } from './doors/jail/possible.ts'
import { makePassingFolder, type PassingFolder, removeLeftFolders } from './passing-folder.ts'
import { type AskedDoors, type OpenDoors, openStorage, type Storage, underOption } from './storage.ts'
import { cannotBeIn } from './store/open.ts'
import type { StoreLog } from './store/store.ts'

/** An address; `off`; or undefined for what this machine can do. */
export type DoorOption = ListenAddress | 'off' | undefined

export interface StoragePlan {
  readonly directory: string
  /** The files go with the process, and are in a folder of their own in the directory. */
  readonly isPassing: boolean
  readonly ssh: DoorOption
  readonly webdav: DoorOption
  /** Whether doors open where programs cannot be confined, as the operator has said. */
  readonly isUnconfined?: boolean | undefined
  /** The networks from which public addresses are given out: where one is this machine's, doors are there. */
  readonly addressPool: readonly string[]
  readonly log: StoreLog
}

/** An operator is told this about it. */
export interface StorageFacts {
  /** Undefined while nothing is kept. */
  readonly store: { readonly kind: string; readonly directory: string; readonly reason: string } | undefined
  readonly doors: OpenDoors
  /** One line says why doors are closed; undefined where all that can be are open. */
  readonly closed: string | undefined
  /** What the operator of open doors has to know; undefined where that is nothing. */
  readonly warning: string | undefined
}

export interface OpenedStorage extends Storage {
  readonly facts: StorageFacts
}

/** The ports of doors that nobody has asked for, at the first address of the pool. */
const usualPorts = { ssh: 23, webdav: 8023 } as const

const noDoors: OpenDoors = { ssh: null, webdav: null }

interface Decided extends AskedDoors {
  readonly closed: string | undefined
}

const unconfinedWarning =
  'the doors of Storage Boxes are not confined (--storage-doors-unconfined): only checks of paths keep whoever has an ' +
  'account from all other files of the user of this server'

/** Which doors are to be opened. Errors: one line for the operator where what he asks for is not possible. */
export async function decideDoors({ ssh, webdav, isUnconfined, addressPool }: StoragePlan): Promise<Decided> {
  const senseless = ssh === 'off' && webdav === 'off' ? 'both doors are switched off' : whyNotUnconfined()
  if (isUnconfined && senseless !== undefined) throw new Error(`--storage-doors-unconfined: ${senseless}`)
  const isGiven = (asked: DoorOption): asked is ListenAddress => asked !== undefined && asked !== 'off'
  const impossible = whyImpossible(isUnconfined)
  if (isGiven(ssh) || isGiven(webdav)) {
    if (impossible !== undefined)
      throw new Error(`${isGiven(ssh) ? '--storage-ssh' : '--storage-webdav'}: ${impossible}`)
  }
  const host = impossible === undefined ? await ownAddress(addressPool) : undefined
  const chosen = (asked: DoorOption, port: number) =>
    asked === undefined ? (host === undefined ? undefined : { host, port }) : asked === 'off' ? undefined : asked
  const doors = { ssh: chosen(ssh, usualPorts.ssh), webdav: chosen(webdav, usualPorts.webdav) }
  return { ...doors, closed: doors.ssh && doors.webdav ? undefined : whyClosed(impossible, [ssh, webdav]) }
}

function whyClosed(impossible: string | undefined, asked: readonly DoorOption[]): string {
  if (asked.every((one) => one === 'off')) return 'they are switched off'
  return (
    impossible ?? 'no address of --address-pool is one of this machine; --storage-ssh and --storage-webdav open them'
  )
}

/**
 * Opens storage with the doors that were decided. Doors that nobody has asked for stay closed where their port is taken. Errors:
 * one line for the operator.
 */
export async function openDecided(
  plan: StoragePlan,
  decided: Decided,
  places: { readonly directory: string; readonly doorsDirectory: string },
): Promise<OpenedStorage> {
  const { ssh, webdav, closed } = decided
  const isOwnChoice = plan.ssh === undefined && plan.webdav === undefined
  const open = async (doors: AskedDoors, why: string | undefined): Promise<OpenedStorage> => {
    const storage = await openStorage({ ...doors, ...places, isUnconfined: plan.isUnconfined, log: plan.log })
    const { kind, reason, doors: opened } = storage
    const warning = plan.isUnconfined && (opened.ssh ?? opened.webdav) !== null ? unconfinedWarning : undefined
    if (warning !== undefined) plan.log.warn({ doors: opened }, warning)
    const store = { kind, directory: places.directory, reason }
    return { ...storage, facts: { store, doors: opened, closed: why, warning } }
  }
  try {
    return await open({ ssh, webdav }, closed)
  } catch (error) {
    if (!isOwnChoice || (!ssh && !webdav)) throw error
    return await open({ ssh: undefined, webdav: undefined }, (error as Error).message)
  }
}

/** Opens storage in a folder that stays. Errors: one line for the operator. */
export async function openLasting(plan: StoragePlan): Promise<OpenedStorage> {
  const { directory } = plan
  return openDecided(plan, await decideDoors(plan), { directory, doorsDirectory: join(directory, 'doors') })
}

function makeDirectory(directory: string): () => void {
  try {
    return createFolder(directory)
  } catch (error) {
    throw underOption(cannotBeIn(directory, error))
  }
}

/** The files of one cloud in memory. They begin with the first box. */
export interface Passing {
  driver(): Promise<StorageBoxDriver>
  /** Undefined before somebody has asked for it. */
  readonly opened: StorageBoxDriver | undefined
  /** Lets go of all files; whoever comes next may have the doors. */
  end(): void
}

/**
 * Storage of clouds in memory, in a folder that goes with the process. Each cloud has its own files: a fork, or the cloud that
 * begins after a reset, has none of another's. The doors lead to one of them: the first one, and after its end the next one
 * that has a box.
 */
export class PassingStorage {
  readonly #plan: StoragePlan
  readonly #decided: Decided
  #folder: PassingFolder | undefined
  #clouds = 0
  readonly #open = new Set<OpenedStorage>()
  /** The cloud with the doors. */
  #holder: Passing | undefined
  #ending: Promise<unknown> = Promise.resolve()
  #isClosing = false
  /** Removes the directory where this has made it, and others have nothing in it. */
  readonly #removeDirectory: () => void
  /** Resolves when what killed servers have left is gone. */
  readonly #swept: Promise<void>
  #facts: StorageFacts

  private constructor(plan: StoragePlan, decided: Decided, removeDirectory: () => void) {
    this.#removeDirectory = removeDirectory
    this.#plan = plan
    this.#decided = decided
    this.#facts = { store: undefined, doors: noDoors, closed: decided.closed, warning: undefined }
    this.#swept = removeLeftFolders(plan.directory, plan.log, () => this.#isClosing).catch(this.#complain)
  }

  /** Errors: one line for the operator. */
  static async open(plan: StoragePlan): Promise<PassingStorage> {
    return new PassingStorage(plan, await decideDoors(plan), makeDirectory(plan.directory))
  }

  get facts(): StorageFacts {
    return this.#facts
  }

  get hasDoors(): boolean {
    return this.#decided.ssh !== undefined || this.#decided.webdav !== undefined
  }

  cloud(): Passing {
    let opened: Promise<OpenedStorage> | undefined
    let driver: StorageBoxDriver | undefined
    const passing: Passing = {
      get opened() {
        return driver
      },
      driver: async () => {
        opened ??= this.#openFor(passing)
        driver = (await opened).driver
        return driver
      },
      end: () => {
        if (this.#holder === passing) this.#holder = undefined
        const ended = opened
        if (ended) this.#ending = this.#ending.then(() => this.#discardOnce(ended)).catch(this.#complain)
      },
    }
    return passing
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#ending
    for (const storage of [...this.#open]) await this.#discard(storage).catch(this.#complain)
    await this.#folder?.remove().catch(this.#complain)
    await this.#swept
    this.#removeDirectory()
  }

  async #openFor(passing: Passing): Promise<OpenedStorage> {
    this.#folder ??= makePassingFolder(this.#plan.directory, this.#plan.log)
    const places = {
      directory: join(this.#folder.path, `${++this.#clouds}`),
      doorsDirectory: join(this.#folder.path, 'doors'),
    }
    const isHolder = this.#holder === undefined
    if (isHolder) this.#holder = passing
    // The ports may still be those of the cloud before.
    await this.#ending
    const decided = isHolder ? this.#asBefore() : { ssh: undefined, webdav: undefined, closed: undefined }
    const storage = await openDecided(this.#plan, decided, places)
    this.#open.add(storage)
    if (isHolder) this.#facts = storage.facts
    return storage
  }

  /** Doors at free ports stay where they were. */
  #asBefore(): Decided {
    const { ssh, webdav } = this.#facts.doors
    const at = (asked: ListenAddress | undefined, opened: string | null) =>
      asked && opened !== null ? { ...asked, port: Number(opened.slice(opened.lastIndexOf(':') + 1)) } : asked
    return { ...this.#decided, ssh: at(this.#decided.ssh, ssh), webdav: at(this.#decided.webdav, webdav) }
  }

  async #discardOnce(opening: Promise<OpenedStorage>): Promise<void> {
    // Whoever asked for one that did not open was told why.
    const storage = await opening.catch(() => undefined)
    if (storage) await this.#discard(storage)
  }

  async #discard(storage: OpenedStorage): Promise<void> {
    this.#open.delete(storage)
    await storage.discard()
  }

  readonly #complain = (err: unknown) => {
    this.#plan.log.warn({ err }, 'files of Storage Boxes that go with their cloud could not be removed')
  }
}
