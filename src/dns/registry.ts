/**
 * The zones of the installation, and the content of those that are queried. All zone names are always in memory; the
 * content of a zone is loaded on the first query, then updated incrementally, and evicted when memory is needed.
 *
 * A change committed by this process is visible before its request is answered: it marks the zone as changed, and
 * queries wait until the marked zones have been refreshed. Changes of other processes are found by polling.
 */

import { announcedSince, announcementsKeptMs, announcementTime } from '../families/zones/announcements/store.ts'
import type { ServedRrset, ServedZone } from '../families/zones/host.ts'
import {
  changedSince,
  isWhole,
  servedRrsets,
  servedRrsetsOf,
  servedZones,
  servedZonesAfter,
  soaKey,
} from '../families/zones/host.ts'
import type { Database } from '../kernel/data/db.ts'
import { nextTurn, turn } from '../kernel/process/turns.ts'
import { type NameKey, nameOf, selfAndParents } from '../protocols/net/dns/names.ts'
import { without } from './journal.ts'
import type { ZoneKeys } from './signing/zone-signer.ts'
import { ZoneImage } from './zone-image.ts'

/** A zone of the registry with its cached content. */
export interface RegisteredZone {
  readonly key: NameKey
  zone: ServedZone
  /** The content as of some version; undefined until the zone is first queried. */
  image: ZoneImage | undefined
  loading: Promise<ZoneImage> | undefined
  /** The value of a counter at the last use of the zone, for eviction of the least recently used. */
  usedAt: number
}

export interface RegistryOptions {
  readonly db: Database
  /** The maximum number of records of all zones together that are kept in memory. */
  readonly maxRecords?: number
  /** True when somebody may ask for what has changed in zones; it is not kept otherwise. */
  readonly keepsChanges?: boolean
  /** The keys of a zone that Wolke signs; undefined when it has none any more. */
  readonly keysOf: (zone: ServedZone) => Promise<ZoneKeys | undefined>
  /** The time by which signatures last, in milliseconds. */
  readonly nowMs: () => number
  /** Called for every zone that is new or may have changed. */
  readonly onChange?: (zone: ServedZone) => void
  /** Called when a zone was created or deleted. */
  readonly onMembership?: () => void
  /** Called for every address whose reverse name may have changed. */
  readonly onAddress?: (address: string) => void
}

const namesAtOnce = 2_000
const loadTries = 3

export class Registry {
  readonly #options: RegistryOptions
  readonly #byName = new Map<NameKey, RegisteredZone>()
  readonly #byId = new Map<number, RegisteredZone>()
  /** Ids of the zones that were announced as changed; `#lookingAt` has those that are being refreshed now. */
  readonly #marked = new Set<number>()
  #lookingAt: readonly number[] = []
  #stopListening: (() => void) | undefined
  #soon: NodeJS.Immediate | undefined
  #refreshing: Promise<void> | undefined
  #looking: Promise<void> | undefined
  #seen = new Map<string, number>()
  #since = 0
  #uses = 0
  #comings = 0
  #records = 0

  constructor(options: RegistryOptions) {
    this.#options = options
  }

  /** Loads the zone names and subscribes to changes of this process. */
  async start(): Promise<void> {
    const { db } = this.#options
    this.#stopListening = db.listen('dns', (subject) => this.#mark(subject))
    // Take the time of announcements before reading the names, so that no change falls between the two.
    this.#since = await announcementTime(db.query, db.dialect)
    await this.#readNames()
  }

  /** Unsubscribes from changes. */
  stop(): void {
    this.#stopListening?.()
    clearImmediate(this.#soon)
  }

  /** True once all marked zones have been refreshed. */
  get isFresh(): boolean {
    return this.#marked.size === 0 && this.#lookingAt.length === 0
  }

  /** A number that grows with each zone that comes. */
  get comings(): number {
    return this.#comings
  }

  /** Iterates over all zones. */
  *zones(): Generator<ServedZone> {
    for (const { zone } of this.#byId.values()) yield zone
  }

  /** Finds the zone that contains a name. */
  find(name: NameKey): RegisteredZone | undefined {
    for (const at of selfAndParents(name)) {
      const entry = this.#byName.get(at)
      if (entry) {
        entry.usedAt = ++this.#uses
        return entry
      }
    }
    return undefined
  }

  /** Refreshes the marked zones. */
  async refresh(): Promise<void> {
    while (!this.isFresh) {
      this.#refreshing ??= this.#lookAtMarked().finally(() => {
        this.#refreshing = undefined
      })
      await this.#refreshing
    }
  }

  /** Polls for changes of other processes. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #look(): Promise<void> {
    const { db } = this.#options
    const { rows, nowMs } = await announcedSince(db.query, db.dialect, this.#since)
    if (nowMs - this.#since > announcementsKeptMs / 2) await this.#readNames()
    for (const { subject, touched } of rows) if (this.#seen.get(subject) !== touched) this.#mark(subject)
    this.#seen = new Map(rows.map(({ subject, touched }) => [subject, touched]))
    this.#since = nowMs
    await this.refresh()
  }

  /** Returns the content of a zone at its latest known version, and loads it if necessary. */
  async load(entry: RegisteredZone): Promise<ZoneImage> {
    for (;;) {
      if (entry.image?.version === entry.zone.version) return entry.image
      entry.loading ??= this.#load(entry).finally(() => {
        entry.loading = undefined
      })
      const image = await entry.loading
      // The image of a zone that was deleted meanwhile is used for this answer only.
      if (image.version >= entry.zone.version) return image
    }
  }

  #mark(subject: string): void {
    const [kind, ...rest] = subject.split(':')
    if (kind !== 'zone') {
      this.#options.onAddress?.(rest.join(':'))
      return
    }
    this.#marked.add(Number(rest[0]))
    // Secondaries have to be notified soon, even if no query triggers the refresh.
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined
      // A failed refresh leaves the zones marked: the next query or poll tries again.
      this.refresh().catch(() => undefined)
    })
  }

  async #readNames(): Promise<void> {
    const { db } = this.#options
    const known = new Set(this.#byId.keys())
    for (let after = 0; ; ) {
      const zones = await servedZonesAfter(db.query, after, namesAtOnce)
      for (const zone of zones) {
        this.#set(zone)
        known.delete(zone.id)
      }
      if (zones.length < namesAtOnce) break
      after = zones.at(-1)!.id
    }
    for (const id of known) this.#remove(id)
  }

  async #lookAtMarked(): Promise<void> {
    const ids = [...this.#marked].slice(0, 500)
    this.#lookingAt = ids
    // A zone that is marked again from here on needs another refresh.
    for (const id of ids) this.#marked.delete(id)
    try {
      const zones = await servedZones(this.#options.db.query, ids)
      for (const zone of zones) {
        this.#set(zone)
        this.#options.onChange?.(zone)
      }
      const found = new Set(zones.map(({ id }) => id))
      for (const id of ids) if (!found.has(id)) this.#remove(id)
    } catch (error) {
      for (const id of ids) this.#marked.add(id)
      throw error
    } finally {
      this.#lookingAt = []
    }
  }

  #set(zone: ServedZone): void {
    const known = this.#byId.get(zone.id)
    if (known) {
      // A concurrent poll may already have stored a newer version.
      if (known.zone.version <= zone.version) known.zone = zone
      return
    }
    const key = nameOf(zone.name)
    const entry: RegisteredZone = { key, zone, image: undefined, loading: undefined, usedAt: 0 }
    this.#byId.set(zone.id, entry)
    this.#byName.set(key, entry)
    this.#comings++
    this.#options.onMembership?.()
  }

  #remove(id: number): void {
    const entry = this.#byId.get(id)
    if (!entry) return
    this.#byId.delete(id)
    this.#options.onMembership?.()
    // The name may belong to another zone by now.
    if (this.#byName.get(entry.key) === entry) this.#byName.delete(entry.key)
    this.#records -= entry.image?.size ?? 0
    entry.image = undefined
  }

  async #load(entry: RegisteredZone): Promise<ZoneImage> {
    const before = entry.image?.size ?? 0
    let image = await this.#read(entry, entry.zone)
    // Reading in several steps may see some changes of a newer version and not others. The next query catches up with
    // those; an image that lacks records, because the zone was replaced more than once meanwhile, is never used.
    for (let tries = 1; ; tries++) {
      const { query } = this.#options.db
      const [now] = await servedZones(query, [entry.zone.id])
      if (!now || now.version === image.version) break
      if (tries >= loadTries && (await isWhole(query, entry.zone.contentId))) break
      entry.zone = now
      entry.image = image
      image = await this.#read(entry, now)
    }
    if (this.#byId.get(entry.zone.id) !== entry) return image
    entry.image = image
    this.#records += image.size - before
    this.#makeRoom(entry)
    return image
  }

  async #read(entry: RegisteredZone, zone: ServedZone): Promise<ZoneImage> {
    const { query } = this.#options.db
    const keys = zone.isSigned ? await this.#options.keysOf(zone) : undefined
    const known = entry.image
    if (known && known.ttl === zone.ttl && known.version >= zone.wholeVersion) {
      const changed = [soaKey, ...(await changedSince(query, zone.id, known.version))]
      const found = await readAll(known, await servedRrsetsOf(query, zone, [...new Set(changed)]))
      const apply = () => {
        applyAll(known, changed, found, zone)
        known.signWith(keys, this.#options.nowMs)
      }
      if (this.#options.keepsChanges) noteChange(known, changed, apply)
      else apply()
      return known
    }
    const image = new ZoneImage(zone.name, zone.ttl)
    for await (const some of servedRrsets(query, zone)) {
      for (const [rrset, data] of await readAll(image, some)) image.set(rrset, data, zone.serial)
      await nextTurn()
    }
    image.version = zone.version
    image.signWith(keys, this.#options.nowMs)
    return image
  }

  /** Evicts the content of the least recently queried zones. */
  #makeRoom(latest: RegisteredZone): void {
    const most = this.#options.maxRecords ?? 1_000_000
    if (this.#records <= most) return
    const loaded = [...this.#byId.values()].filter((entry) => entry.image && entry !== latest)
    for (const entry of loaded.sort((a, b) => a.usedAt - b.usedAt)) {
      if (this.#records <= most * 0.8) return
      this.#records -= entry.image!.size
      entry.image = undefined
    }
  }
}

/**
 * Changes the RRsets with some keys to what was found. Queries are answered from the image meanwhile, so all changes are
 * applied in one turn of the event loop.
 */
function applyAll(image: ZoneImage, keys: readonly string[], found: FoundRrsets, zone: ServedZone): void {
  for (const key of keys) image.remove(key)
  for (const [rrset, data] of found) image.set(rrset, data, zone.serial)
  image.version = zone.version
}

/** Applies a change of the RRsets with some keys, and notes what went and came with it. */
function noteChange(image: ZoneImage, keys: readonly string[], apply: () => void): void {
  const changed = [...new Set(keys)].filter((key) => key !== soaKey)
  const state = () => ({
    serial: image.serial,
    soa: image.recordsAt(soaKey),
    records: changed.flatMap((key) => image.recordsAt(key)),
  })
  const before = state()
  apply()
  const after = state()
  if (before.serial === undefined || after.serial === undefined) return
  const deleted = [...before.soa, ...without(before.records, after.records)]
  const added = [...after.soa, ...without(after.records, before.records)]
  image.journal.note({ from: before.serial, to: after.serial, deleted, added }, image.size)
}

/** RRsets with their data. */
type FoundRrsets = readonly (readonly [rrset: ServedRrset, data: readonly Buffer[]])[]

/** Parses the values of RRsets; yields to the event loop in between, because there may be many. */
async function readAll(image: ZoneImage, rrsets: readonly ServedRrset[]): Promise<FoundRrsets> {
  const all: (readonly [ServedRrset, readonly Buffer[]])[] = []
  for (const rrset of rrsets) {
    const data: Buffer[] = []
    for (const value of rrset.values) {
      data.push(...image.read(rrset.type, value))
      await turn()
    }
    all.push([rrset, data])
  }
  return all
}
