/**
 * Counts what boxes take where the kernel does not. The count of a box is on disk, and so is whether it is exact: whoever is
 * about to write makes it inexact first. Only what is inexact is ever counted anew. What counts are blocks, as for the
 * real ones: holes of sparse files cost nothing. Where copies share blocks, each has them all.
 */
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BoxUsage, SnapshotUsage } from '../../../../families/storage-boxes/driver.ts'
import { isMissing, readJson, unlessMissing, unlinkDurably, writeDurably } from '../durable.ts'
import { Exclusive } from '../exclusive.ts'
import { decodeName, type Places } from '../places.ts'
import { work } from '../programs.ts'
import { boxFull, noSuchBox } from '../refusal.ts'
import type { Quota, StoreLog, StoreOptions } from '../store.ts'
import type { Meter } from './meter.ts'

/** Charges are written down together after so many milliseconds, and those of others are read as often. */
const sharedMs = 1_000
/** A tree that takes longer to count, in milliseconds, and is written to all the time is counted in a part of the time at most. */
const longScanMs = 500
const share = 1 / 20

/** Several locks keep processes from writing the same count at once, which takes a moment. */
export const countLocks = 16

/** The disk knows this about a box, in bytes. */
interface Stored {
  readonly files: number
  readonly snapshots: Readonly<Record<string, number>>
  readonly isExact: boolean
  /** Becomes greater whenever somebody is about to write after a count. */
  readonly turn: number
  /** All bytes that anybody was ever charged for what he wrote, so that a scan knows what came while it ran. */
  readonly charged: number
}

interface Count {
  stored: Stored
  readAt: number
  limit: number
  /**
   * Bytes that were charged here and are on their way to the files. A scan may find them or not, so they count on top of it
   * until they have arrived.
   */
  underWay: number
  /** Bytes that have arrived and were not noted on disk yet. */
  unsaved: number
  /** The room of snapshots that are being made. */
  admitted: number
  scan: Promise<void> | undefined
  /** Another scan is not worth its time before. */
  nextScanAt: number
  timer: NodeJS.Timeout | undefined
}

export class Counts implements Meter {
  readonly #places: Places
  readonly #isOpen: (id: number) => Promise<boolean>
  readonly #hear: (id: number) => Promise<void>
  readonly #log: StoreLog
  readonly #writing: Exclusive<number>
  readonly #counts = new Map<number, Promise<Count>>()
  readonly #loaded = new Map<number, Count>()
  /** One tree is scanned at a time. */
  #scanning: Promise<unknown> = Promise.resolve()

  /** The options are those of the store. */
  constructor(places: Places, { isOpen, hear, log }: Pick<StoreOptions, 'isOpen' | 'hear' | 'log'>) {
    this.#places = places
    this.#isOpen = isOpen ?? (async () => false)
    this.#hear = hear ?? (async () => undefined)
    this.#log = log
    this.#writing = new Exclusive((lock) => places.countLock(lock))
  }

  async quota(id: number): Promise<Quota> {
    const count = await this.#fresh(id)
    return { limit: count.limit, used: usedBy(count) }
  }

  charge(id: number, bytes: number): void | Promise<void> {
    const count = this.#loaded.get(id)
    if (!count) return this.#load(id).then(() => this.charge(id, bytes))
    count.underWay += bytes
    if (count.stored.isExact) return this.changed(id)
  }

  written(id: number, bytes: number): void {
    const count = this.#loaded.get(id)
    // Whoever was charged before the count was known waits for it as well, and has come first.
    if (!count)
      return void this.#counts.get(id)?.then(
        () => this.written(id, bytes),
        () => undefined,
      )
    const arrived = Math.min(bytes, count.underWay)
    if (arrived === 0) return
    count.underWay -= arrived
    count.unsaved += arrived
    count.timer ??= setTimeout(() => {
      count.timer = undefined
      void this.#write(id, count, (stored) => stored).catch((err) =>
        this.#log.warn({ err, storage_box: id }, 'what was written to a Storage Box could not be noted'),
      )
    }, sharedMs).unref()
  }

  async changed(id: number): Promise<void> {
    const count = await this.#load(id)
    await this.#write(id, count, (stored) => ({ ...stored, isExact: false, turn: stored.turn + 1 }))
  }

  async usage(id: number): Promise<BoxUsage> {
    const count = await this.#fresh(id)
    // One that has begun already may have missed what has just changed.
    await count.scan
    if (!count.stored.isExact && performance.now() >= count.nextScanAt) await this.#scan(id, count)
    const bySnapshot = new Map<string, SnapshotUsage>()
    let snapshots = 0
    for (const [encoded, size] of Object.entries(count.stored.snapshots)) {
      bySnapshot.set(decodeName(encoded), { size, filesystem: size })
      snapshots += size
    }
    return { data: filesOf(count), snapshots, bySnapshot }
  }

  async admit(id: number): Promise<Disposable> {
    const count = await this.#fresh(id)
    await count.scan
    if (!count.stored.isExact) await this.#scan(id, count)
    const bytes = filesOf(count)
    if (usedBy(count) + bytes > count.limit) throw boxFull()
    count.admitted += bytes
    return {
      [Symbol.dispose]: () => {
        count.admitted -= bytes
      },
    }
  }

  async snapshotsChanged(id: number, restored?: string): Promise<void> {
    const count = await this.#load(id)
    const snapshots = await this.#measureSnapshots(id, count.stored)
    await this.#write(id, count, (stored) => ({
      ...stored,
      snapshots,
      ...(restored !== undefined && {
        files: snapshots[restored] ?? stored.files,
        isExact: false,
        turn: stored.turn + 1,
      }),
    }))
  }

  limitChanged(id: number): void {
    const count = this.#loaded.get(id)
    if (count) count.readAt = Number.NEGATIVE_INFINITY
  }

  forget(id: number): void {
    const count = this.#loaded.get(id)
    clearTimeout(count?.timer)
    this.#loaded.delete(id)
    this.#counts.delete(id)
  }

  async tidy(isOver: () => boolean): Promise<void> {
    for (const name of await readdir(this.#places.boxes)) {
      if (isOver()) return
      const id = Number(name)
      const stored = await readStored(this.#places.of(id).count)
      if (stored && !stored.isExact) await this.#scan(id, await this.#load(id))
    }
  }

  async close(): Promise<void> {
    for (const [id, count] of this.#loaded) {
      clearTimeout(count.timer)
      if (count.unsaved !== 0) await this.#write(id, count, (stored) => stored)
      await count.scan
    }
  }

  /** The count, no older than others may charge unseen. */
  async #fresh(id: number): Promise<Count> {
    const count = await this.#load(id)
    if (performance.now() - count.readAt <= sharedMs) return count
    if (count.unsaved === 0) await this.#readAgain(id, count)
    else await this.#write(id, count, (stored) => stored)
    return count
  }

  /** Nobody is kept from writing meanwhile, so what was written here since then is newer. */
  async #readAgain(id: number, count: Count): Promise<void> {
    const { readAt } = count
    const places = this.#places.of(id)
    const [state, stored] = [await readJson<{ bytes: number }>(places.state), await readStored(places.count)]
    if (!state) {
      this.forget(id)
      throw noSuchBox()
    }
    if (count.readAt !== readAt) return
    count.limit = state.bytes
    count.stored = stored ?? count.stored
    count.readAt = performance.now()
  }

  #load(id: number): Promise<Count> {
    const known = this.#counts.get(id)
    if (known) return known
    const loading = this.#read(id)
    this.#counts.set(id, loading)
    loading.then(
      (count) => this.#loaded.set(id, count),
      () => this.#counts.delete(id),
    )
    return loading
  }

  async #read(id: number): Promise<Count> {
    const places = this.#places.of(id)
    const state = await readJson<{ bytes: number }>(places.state)
    if (!state) throw noSuchBox()
    const found = await readStored(places.count)
    const stored = found ?? { files: await blocksOf(places.files), snapshots: {}, isExact: false, turn: 0, charged: 0 }
    const snapshots = await this.#measureSnapshots(id, stored)
    return {
      stored: { ...stored, snapshots },
      readAt: performance.now(),
      limit: state.bytes,
      underWay: 0,
      unsaved: 0,
      admitted: 0,
      scan: undefined,
      nextScanAt: 0,
      timer: undefined,
    }
  }

  /** Changes what is on disk about a box, with what others have written there and what was charged here. */
  #write(id: number, count: Count, change: (stored: Stored) => Stored): Promise<void> {
    return this.#writing.run(id % countLocks, () => this.#writeNow(id, count, change))
  }

  async #writeNow(id: number, count: Count, change: (stored: Stored) => Stored): Promise<void> {
    const places = this.#places.of(id)
    const state = await readJson<{ bytes: number }>(places.state)
    if (!state) return this.forget(id)
    count.limit = state.bytes
    const before = await readStored(places.count)
    const current = before ?? count.stored
    const saved = count.unsaved
    const after = change({ ...current, files: current.files + saved, charged: current.charged + saved })
    await note(places.count, before, after)
    // A change may say what the files are, whatever was charged.
    count.unsaved -= saved
    count.stored = after
    count.readAt = performance.now()
  }

  #scan(id: number, count: Count): Promise<void> {
    count.scan ??= this.#scanNow(id, count).finally(() => {
      count.scan = undefined
    })
    return count.scan
  }

  async #scanNow(id: number, count: Count): Promise<void> {
    const mine = this.#scanning.then(async () => {
      await this.#hear(id)
      await this.#write(id, count, (stored) => stored)
      const { turn, charged } = count.stored
      const began = performance.now()
      const wasOpen = await this.#isOpen(id)
      const files = await blocksOf(this.#places.of(id).files)
      const snapshots = await this.#measureSnapshots(id, count.stored)
      const isQuiet = !wasOpen && !(await this.#isOpen(id))
      await this.#write(id, count, (stored) => {
        // The scan has seen what came meanwhile or not, and so it has with what was freed: the next one finds what is true.
        const since = Math.max(0, stored.charged - charged)
        const isDone = since === 0 && count.underWay === 0 && count.unsaved === 0
        return { ...stored, files: files + since, snapshots, isExact: isQuiet && isDone && stored.turn === turn }
      })
      const now = performance.now()
      count.nextScanAt = now - began < longScanMs ? now : now + (now - began) / share
    })
    this.#scanning = mine.catch(() => undefined)
    await mine
  }

  /** Measures each snapshot once, as it never changes. */
  async #measureSnapshots(id: number, stored: Stored): Promise<Record<string, number>> {
    const { snapshots } = this.#places.of(id)
    const sizes: Record<string, number> = {}
    for (const encoded of (await unlessMissing(readdir(snapshots))) ?? []) {
      sizes[encoded] = stored.snapshots[encoded] ?? (await blocksOf(join(snapshots, encoded)))
    }
    return sizes
  }
}

const filesOf = ({ stored, underWay, unsaved }: Count) => stored.files + underWay + unsaved

function usedBy(count: Count): number {
  return Object.values(count.stored.snapshots).reduce((sum, size) => sum + size, filesOf(count) + count.admitted)
}

/** Undefined when there is none, or it was cut off by the end of the machine. */
async function readStored(path: string): Promise<Stored | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Stored
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined
    throw error
  }
}

async function note(path: string, before: Stored | undefined, after: Stored): Promise<void> {
  try {
    // A count that is not exact any more must not come back with the machine after it has lost its power.
    if (before?.isExact && !after.isExact) await writeDurably(path, JSON.stringify(after))
    else if (!before || JSON.stringify(after) !== JSON.stringify(before)) await replace(path, after)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    // Whoever comes to make room on a full disk must not fail for it. Without a note the next process counts anew.
    await unlinkDurably(path)
  }
}

/** A count that is lost with the machine is made anew, so nobody waits for the disk. */
async function replace(path: string, stored: Stored): Promise<void> {
  const beside = `${path}.new`
  await writeFile(beside, JSON.stringify(stored), { mode: 0o600 })
  await rename(beside, path)
}

/** The program `du` says this of files that were removed while it ran. */
const passing = /^du: cannot .*: (No such file or directory|Not a directory|Stale file handle)$/

/** The program `du` gives up, by a signal of its own, where folders take the places of others while it walks over them. */
const mostTries = 5

/** The bytes of the blocks of a tree, in which each file counts once; 0 when there is none. */
async function blocksOf(path: string): Promise<number> {
  const args = ['-s', '-x', '--block-size=1', '--', path]
  for (let tries = 1; ; tries++) {
    try {
      const printed = await work('du', args, { isHarmless: (line) => passing.test(line) })
      return Number.parseInt(printed, 10) || 0
    } catch (error) {
      const { cause } = error as { cause?: { signal?: string } }
      if (cause?.signal !== 'SIGABRT' || tries === mostTries) throw error
    }
  }
}
