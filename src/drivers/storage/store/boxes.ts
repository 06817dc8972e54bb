/**
 * A store: the same steps for every kind. What is made or removed is in a directory of its own meanwhile, so that whoever
 * comes after a process that was cut off knows what it has left.
 */
import { mkdir, opendir, readdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { BoxUsage } from '../../../families/storage-boxes/driver.ts'
import type { AtOnce } from '../../../kernel/process/at-once.ts'
import { isNoDirectory, makeBeneath, openBeneath } from './beneath.ts'
import { discard } from './discard.ts'
import { isThere, moveDurably, readJson, syncDirectory, unlessMissing, unlinkDurably, writeDurably } from './durable.ts'
import { Exclusive } from './exclusive.ts'
import type { Meter } from './meters/meter.ts'
import { lastRollback, noteRemoved, noteRollback, wasRemoved } from './past.ts'
import { type BoxPlaces, decodeName, type Places, uploadsFolder } from './places.ts'
import { noSuchBox, noSuchFolder, noSuchSnapshot, Refusal, refusalOf } from './refusal.ts'
import type { BoxPaths, Owner, Quota, Store, StoreKind, StoreLog, StoreOptions } from './store.ts'
import type { Trees } from './trees/trees.ts'
import type { Users } from './users.ts'

interface BoxRecord {
  readonly generation: number
  readonly bytes: number
  /** The user and group of the files; missing where they are those of the process that made the box. */
  readonly owner?: number
}

/** A rollback whose copy is whole. */
interface Journal {
  readonly name: string
  readonly newer: readonly string[]
  readonly number: number
}

export interface StoreParts {
  readonly kind: StoreKind
  readonly reason: string
  readonly hasKernelQuota: boolean
  readonly places: Places
  readonly trees: Trees
  readonly meter: Meter
  /** Undefined where all files are this process's. */
  readonly users: Users | undefined
  /** Undefined where a copy takes too long for that. */
  readonly pause: StoreOptions['pause']
  readonly vacate: StoreOptions['vacate']
  readonly log: StoreLog
}

export class Boxes implements Store {
  readonly kind: StoreKind
  readonly reason: string
  readonly hasKernelQuota: boolean
  readonly tidied: Promise<void>
  readonly #parts: StoreParts
  readonly #exclusive: Exclusive<number>
  #isClosing = false

  constructor(parts: StoreParts) {
    this.kind = parts.kind
    this.reason = parts.reason
    this.hasKernelQuota = parts.hasKernelQuota
    this.#parts = parts
    this.#exclusive = new Exclusive((id) => parts.places.of(id).lock)
    this.tidied = this.#tidy()
  }

  apply(box: Parameters<Store['apply']>[0]): Promise<void> {
    const { trees, meter, log } = this.#parts
    return this.#changing(box.id, async (places) => {
      const state = await readJson<BoxRecord>(places.state)
      const removed = await readJson<Pick<BoxRecord, 'generation'>>(places.tombstone)
      if ((state?.generation ?? -1) > box.generation || (removed?.generation ?? -1) >= box.generation) return
      const { id, generation, bytes } = box
      if (!state) await this.#create(id, { generation, bytes, ...(await this.#newOwner()) }, places)
      else if (state.generation !== generation || state.bytes !== bytes) {
        if (state.bytes !== bytes) await trees.limit(id, bytes)
        await writeDurably(places.state, JSON.stringify({ ...state, generation, bytes } satisfies BoxRecord))
        meter.limitChanged(id)
      }
      const owner = await this.ownerOf(id)
      for (const { home } of box.accounts) {
        try {
          await makeBeneath(places.files, home, owner)
        } catch (err) {
          // The owner may have put a file there, or filled the box or the disk: whoever comes to make room must not fail
          // for it. The account finds no directory until it can be made.
          log.warn({ err, storage_box: id }, 'the home directory of an account of a Storage Box could not be made')
        }
      }
    })
  }

  async #create(id: number, state: BoxRecord, { made, making, tombstone, box }: BoxPlaces): Promise<void> {
    const { trees } = this.#parts
    await mkdir(making)
    await mkdir(made.box, { mode: 0o700 })
    await trees.limit(id, state.bytes)
    await trees.create(id, made.files, this.#userOf(state))
    await mkdir(made.snapshots, { mode: 0o755 })
    await mkdir(made.gone, { mode: 0o700 })
    await writeDurably(made.state, JSON.stringify(state))
    await moveDurably(made.box, box)
    await rmdir(making)
    await unlinkDurably(tombstone)
  }

  remove(id: number, generation: number): Promise<void> {
    const { trees, meter, vacate } = this.#parts
    return this.#changing(id, async (places) => {
      const state = await readJson<BoxRecord>(places.state)
      if (state && state.generation > generation) return
      await mkdir(places.making)
      if (state) {
        {
          await using _vacant = await vacate?.(id)
          await moveDurably(places.box, places.doomed)
        }
        meter.forget(id)
        await trees.remove(places.doomed)
        await trees.forget(id)
      }
      const removed = await readJson<Pick<BoxRecord, 'generation'>>(places.tombstone)
      // There is room for it by now even on a full disk. Whoever is cut off before it is asked to remove the box again.
      if ((removed?.generation ?? -1) < generation) await writeDurably(places.tombstone, JSON.stringify({ generation }))
      await rmdir(places.making)
    })
  }

  createSnapshot(id: number, name: string): Promise<void> {
    const { trees, meter, pause } = this.#parts
    return this.#changing(id, async (places) => {
      await needBox(places)
      if ((await wasRemoved(places, name)) || (await isThere(places.snapshot(name)))) return
      using _room = await meter.admit(id)
      await mkdir(places.making)
      {
        await using _paused = await pause?.(id)
        await trees.freeze(id, places.files, places.snapshot(name), places.fresh)
      }
      await meter.snapshotsChanged(id)
      await rmdir(places.making)
    })
  }

  deleteSnapshot(id: number, name: string): Promise<void> {
    const { trees, meter } = this.#parts
    return this.#changing(id, async (places) => {
      if (!(await isThere(places.box))) return
      if (await isThere(places.snapshot(name))) {
        await mkdir(places.making)
        await trees.discard([places.snapshot(name)], places.doomed)
        await meter.snapshotsChanged(id)
        await rmdir(places.making)
      }
      // Somebody may still be about to make one that is not there.
      await noteRemoved(places, [name])
    })
  }

  rollback(id: number, name: string, newer: readonly string[], number: number): Promise<void> {
    const { trees } = this.#parts
    return this.#changing(id, async (places) => {
      await needBox(places)
      if (number <= (await lastRollback(places))) return
      if (!(await isThere(places.snapshot(name)))) throw noSuchSnapshot()
      await mkdir(places.making)
      await trees.thaw(id, places.snapshot(name), places.fresh)
      await syncDirectory(places.making)
      const journal: Journal = { name, newer: newer.filter((other) => other !== name), number }
      await writeDurably(places.journal, JSON.stringify(journal))
      await this.#finishRollback(id, journal, places)
      await trees.remove(places.making)
    })
  }

  /** Goes on with a rollback from wherever it was cut off. */
  async #finishRollback(id: number, { name, newer, number }: Journal, places: BoxPlaces): Promise<void> {
    const { trees, meter, vacate } = this.#parts
    {
      await using _vacant = await vacate?.(id)
      if (!(await isThere(places.former))) await moveDurably(places.files, places.former)
      if (!(await isThere(places.files))) await moveDurably(places.fresh, places.files)
    }
    await trees.discard(newer.map(places.snapshot), places.doomed)
    await meter.snapshotsChanged(id, name)
    await noteRemoved(places, newer)
    await noteRollback(places, number)
    // The former files are what tells that the others are in their place, so they go after the journal.
    await unlinkDurably(places.journal)
  }

  snapshots(id: number): Promise<readonly string[]> {
    return this.#changing(id, async (places) => {
      return ((await unlessMissing(readdir(places.snapshots))) ?? []).map(decodeName)
    })
  }

  async usage(id: number): Promise<BoxUsage> {
    await this.#whole(id)
    try {
      return await this.#parts.meter.usage(id)
    } catch (error) {
      throw refusalOf(error)
    }
  }

  async folders(id: number, path: string): Promise<string[]> {
    const places = await this.#whole(id)
    try {
      await using opened = await openBeneath(places.files, path)
      const names: string[] = []
      for await (const entry of await opendir(opened.path)) {
        if (entry.isDirectory() && entry.name !== uploadsFolder) names.push(entry.name)
      }
      return names.sort()
    } catch (error) {
      if (isNoDirectory(error)) throw noSuchFolder()
      throw refusalOf(error)
    }
  }

  async paths(id: number): Promise<BoxPaths> {
    const places = await this.#whole(id)
    const bySnapshot = new Map<string, string>()
    for (const encoded of await readdir(places.snapshots)) {
      bySnapshot.set(decodeName(encoded), join(places.snapshots, encoded))
    }
    const { files, snapshots, wholeUploads } = places
    const figures = this.#parts.meter.figuresOf?.(id)
    return { files, snapshots, wholeUploads, bySnapshot, owner: await this.ownerOf(id), figures }
  }

  async quota(id: number): Promise<Quota> {
    const { meter } = this.#parts
    return meter.quota(id)
  }

  charge(id: number, bytes: number): AtOnce<void> {
    return this.#parts.meter.charge(id, bytes)
  }

  written(id: number, bytes: number): void {
    this.#parts.meter.written(id, bytes)
  }

  changed(id: number): Promise<void> {
    return this.#parts.meter.changed(id)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#exclusive.close()
    this.#parts.trees.stop()
    await this.tidied
    await this.#exclusive.idle()
    await this.#parts.meter.close()
  }

  async discard(): Promise<void> {
    await this.close()
    await discard(this.#parts)
  }

  /** The places of a box whose files are in theirs. Errors: `not_found`. */
  async #whole(id: number): Promise<BoxPlaces> {
    const places = this.#parts.places.of(id)
    if (await isThere(places.journal)) await this.#changing(id, async () => undefined)
    await needBox(places)
    return places
  }

  async ownerOf(id: number): Promise<Owner> {
    const state = await readJson<BoxRecord>(this.#parts.places.of(id).state)
    if (!state) throw noSuchBox()
    return this.#userOf(state)
  }

  #userOf({ owner }: BoxRecord): Owner {
    if (owner !== undefined) return { uid: owner, gid: owner }
    // Nothing that works on a box may do so as root.
    if (this.#parts.users !== undefined) {
      throw new Refusal('The Storage Box was made by another user than root.', { transient: false })
    }
    return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  }

  /** A user that no box has or had: ids of boxes are greater than those of users can be. */
  async #newOwner(): Promise<Pick<BoxRecord, 'owner'>> {
    const owner = await this.#parts.users?.next()
    return owner ? { owner: owner.uid } : {}
  }

  /** Does what changes a box, after what was left by somebody who ended meanwhile. Errors: `Refusal`. */
  async #changing<T>(id: number, work: (places: BoxPlaces) => Promise<T>): Promise<T> {
    const places = this.#parts.places.of(id)
    const change = async () => {
      try {
        await this.#recover(id, places)
        return await work(places)
      } catch (error) {
        // The remains take room that may be what was missing.
        await this.#recover(id, places).catch((err) => this.#complain(id, err))
        throw error
      }
    }
    try {
      return await this.#exclusive.run(id, change)
    } catch (error) {
      throw refusalOf(error)
    }
  }

  async #recover(id: number, places: BoxPlaces): Promise<void> {
    if (!(await isThere(places.making))) return
    const { trees, meter } = this.#parts
    const journal = await readJson<Journal>(places.journal)
    if (journal) await this.#finishRollback(id, journal, places)
    await trees.remove(places.making)
    if (await isThere(places.box)) await meter.snapshotsChanged(id)
    else await trees.forget(id)
  }

  async #tidy(): Promise<void> {
    const { places, meter } = this.#parts
    for (const name of await readdir(places.making)) {
      if (this.#isClosing) return
      const id = Number(name)
      await this.#changing(id, async () => undefined).catch((err) => this.#complain(id, err))
    }
    await meter
      .tidy(() => this.#isClosing)
      .catch((err) => this.#parts.log.warn({ err }, 'Storage Boxes could not be counted'))
  }

  #complain(id: number, err: unknown): void {
    this.#parts.log.warn({ err, storage_box: id }, 'what was left of a change of a Storage Box could not be removed')
  }
}

async function needBox({ state }: BoxPlaces): Promise<void> {
  if (!(await isThere(state))) throw noSuchBox()
}
