/**
 * The files of simulated Storage Boxes. A copy of the infrastructure begins without any: its boxes get their directories and
 * snapshots when somebody first does something with them.
 */
import type { BoxFiles, BoxState, StorageBoxDriver } from '../../../families/storage-boxes/driver.ts'
import { DriverError } from '../../../kernel/actions/define.ts'

/** Files of an infrastructure in memory, which are on disk meanwhile. */
export interface Files {
  /** Those that are open already: doors are before the first box. */
  readonly opened: StorageBoxDriver | undefined
  /** Opens them with the first call. */
  driver(): Promise<StorageBoxDriver>
  /** Loses all of them. */
  end(): void
}

declare module '../simulation.ts' {
  interface Beside {
    readonly files: Files
  }
}

type Changing = 'apply' | 'remove' | 'createSnapshot' | 'deleteSnapshot' | 'rollback'

export class KeptFiles implements BoxFiles {
  readonly #files: Files
  readonly #stateOf: (id: number) => BoxState | undefined
  readonly #snapshotsOf: (id: number) => readonly string[]
  readonly #made = new Map<number, Promise<void>>()
  #opened: StorageBoxDriver | undefined

  /** `stateOf` and `snapshotsOf` tell what is in memory of a box. */
  constructor(
    files: Files,
    stateOf: (id: number) => BoxState | undefined,
    snapshotsOf: (id: number) => readonly string[],
  ) {
    this.#files = files
    this.#stateOf = stateOf
    this.#snapshotsOf = snapshotsOf
  }

  get kind(): string | undefined {
    return this.#opened?.files?.kind
  }

  get doors(): StorageBoxDriver['doors'] {
    return this.#files.opened?.doors
  }

  /** The driver of the files of a box, which are there; undefined for a box that there is not. */
  async of(id: number): Promise<StorageBoxDriver | undefined> {
    if (!this.#stateOf(id)) return undefined
    await this.prepare(id)
    return this.#open()
  }

  /** Makes the files of a box, if there is one, as they are before something is done with them. */
  async prepare(id: number): Promise<void> {
    const state = this.#stateOf(id)
    if (!state) return
    const making = this.#made.get(id) ?? this.#make(state)
    this.#made.set(id, making)
    try {
      await making
    } catch (error) {
      if (this.#made.get(id) === making) this.#made.delete(id)
      throw error
    }
  }

  async #make(state: BoxState): Promise<void> {
    const names = this.#snapshotsOf(state.id)
    const driver = await this.#open()
    await driver.apply(state)
    for (const name of names) await driver.createSnapshot(state.id, name)
  }

  /** Does with the files what was done with the box. */
  async change<M extends Changing>(method: M, ...given: Parameters<StorageBoxDriver[M]>): Promise<void> {
    const driver = await this.#open()
    await (driver[method] as (...all: typeof given) => Promise<void>)(...given)
  }

  /** Removes the files of a box that nothing is known of any more; no other one ever has its id. */
  async lose(id: number): Promise<void> {
    this.#made.delete(id)
    try {
      await this.#opened?.remove(id, Number.MAX_SAFE_INTEGER)
    } catch {
      // The rest is in nobody's way, and goes with the folder.
    }
  }

  async look(...asked: Parameters<BoxFiles['look']>) {
    return (await this.#filesOf(asked[0])).look(...asked)
  }

  async list(...asked: Parameters<BoxFiles['list']>) {
    return (await this.#filesOf(asked[0])).list(...asked)
  }

  async *read(...asked: Parameters<BoxFiles['read']>) {
    yield* (await this.#filesOf(asked[0])).read(...asked)
  }

  async write(...asked: Parameters<BoxFiles['write']>) {
    return (await this.#filesOf(asked[0])).write(...asked)
  }

  async writePiece(...asked: Parameters<BoxFiles['writePiece']>) {
    return (await this.#filesOf(asked[0])).writePiece(...asked)
  }

  async dropPieces(...asked: Parameters<BoxFiles['dropPieces']>) {
    return (await this.#filesOf({ box: asked[0] })).dropPieces(...asked)
  }

  /** An infrastructure that was lost has nothing to be cleared. */
  async clearPieces(box: number): Promise<void> {
    await (await this.of(box))?.files?.clearPieces(box)
  }

  async makeFolder(...asked: Parameters<BoxFiles['makeFolder']>) {
    return (await this.#filesOf(asked[0])).makeFolder(...asked)
  }

  async rename(...asked: Parameters<BoxFiles['rename']>) {
    return (await this.#filesOf(asked[0])).rename(...asked)
  }

  async remove(...asked: Parameters<BoxFiles['remove']>) {
    return (await this.#filesOf(asked[0])).remove(...asked)
  }

  async #filesOf({ box }: { readonly box: number }): Promise<BoxFiles> {
    const files = (await this.of(box))?.files
    if (!files) throw new DriverError('There is no such Storage Box.', { transient: false, code: 'not_found' })
    return files
  }

  async #open(): Promise<StorageBoxDriver> {
    this.#opened ??= await this.#files.driver()
    return this.#opened
  }
}
