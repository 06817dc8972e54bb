/**
 * Counts what boxes take where the kernel does not. The count of a box is on disk, and so is whether it is exact: whoever is
 * about to write makes it inexact first. Only what is inexact is ever counted anew. What counts are blocks, as for the
 * real ones: holes of sparse files cost nothing. Where copies share blocks, each has them all.
 */
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BoxUsage, SnapshotUsage } from '../../../../families/storage-boxes/driver.ts'
import { isMissing, readJson, unlessMissing, writeDurably } from '../durable.ts'
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
}

interface Count {
  stored: Stored
  readAt: number
  limit: number
  /** Bytes that were charged here and are not written down yet. */
  unsaved: number
  /** Bytes that were charged here since a scan has begun, without what was freed. */
  sinceScan: number
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
  readonly #log: StoreLog
  readonly #writing: Exclusive<number>
  readonly #counts = new Map<number, Promise<Count>>()
  readonly #loaded = new Map<number, Count>()
  /** One tree is scanned at a time. */
  #scanning: Promise<unknown> = Promise.resolve()
  #isClosed = false

  /** `isOpen` is that of `StoreOptions`. */
  constructor(places: Places, { isOpen, log }: Pick<StoreOptions, 'isOpen' | 'log'>) {
    this.#places = places
    this.#isOpen = isOpen ?? (async () => false)
    this.#log = log
    this.#writing = new Exclusive((lock) => places.countLock(lock))
  }

  async quota(id: number): Promise<Quota> {
    const count = await this.#fresh(id)
    return { limit: count.limit, used: usedBy(count) }
  }

  charge(id: number, bytes: number): void | Promise<void> {
    const count = this.#loaded.get(id)
    if (!count || count.stored.isExact) return this.#chargeFirst(id, bytes)
    this.#add(id, count, bytes)
  }

  async #chargeFirst(id: number, bytes: number): Promise<void> {
    await this.changed(id)
    this.#add(id, await this.#load(id), bytes)
  }

  #add(id: number, count: Count, bytes: number): void {
    count.unsaved += bytes
    if (count.scan) count.sinceScan += Math.max(0, bytes)
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
    if (!count.stored.isExact && (count.scan || performance.now() >= count.nextScanAt)) await this.#scan(id, count)
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

  async tidy(): Promise<void> {
    for (const name of await readdir(this.#places.boxes)) {
      if (this.#isClosed) return
      const id = Number(name)
      const stored = await readStored(this.#places.of(id).count)
      if (stored && !stored.isExact) await this.#scan(id, await this.#load(id))
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
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
    const stored = found ?? { files: await blocksOf(places.files), snapshots: {}, isExact: false, turn: 0 }
    const snapshots = await this.#measureSnapshots(id, stored)
    return {
      stored: { ...stored, snapshots },
      readAt: performance.now(),
      limit: state.bytes,
      unsaved: 0,
      sinceScan: 0,
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
    const after = change({ ...current, files: Math.max(0, current.files + saved) })
    // A count that is not exact any more must not come back with the machine after it has lost its power.
    if (before?.isExact && !after.isExact) await writeDurably(places.count, JSON.stringify(after))
    else if (!before || JSON.stringify(after) !== JSON.stringify(before)) await replace(places.count, after)
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
      await this.#write(id, count, (stored) => stored)
      count.sinceScan = 0
      const { turn } = count.stored
      const began = performance.now()
      const wasOpen = await this.#isOpen(id)
      const files = await blocksOf(this.#places.of(id).files)
      const snapshots = await this.#measureSnapshots(id, count.stored)
      const isQuiet = !wasOpen && !(await this.#isOpen(id))
      await this.#write(id, count, (stored) => {
        const isExact = isQuiet && count.sinceScan === 0 && count.unsaved === 0 && stored.turn === turn
        // The scan may have counted what was freed meanwhile or not, so the next one finds it.
        return { ...stored, files: files + count.sinceScan, snapshots, isExact }
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

const filesOf = ({ stored, unsaved }: Count) => Math.max(0, stored.files + unsaved)

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
