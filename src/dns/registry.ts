/**
 * Which zones there are, and what is in those that are asked for. All names are known at every time; the content of a
 * zone is read when it is first asked for, follows its changes one by one, and is forgotten when others need the room.
 *
 * A change that was committed by this process is known before its request is answered: it marks what it concerns, and
 * no query is answered before what is marked was looked at. Changes of other processes are found by looking.
 */

import { announcedSince, announcementsKeptMs, announcementTime } from '../families/zones/announce.ts'
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
import { nextTurn, pacing } from '../kernel/process/turns.ts'
import { type NameKey, nameOf, selfAndParents } from '../net/dns/names.ts'
import { ZoneImage } from './zone-image.ts'

/** A zone that is served. */
export interface Entry {
  readonly key: NameKey
  zone: ServedZone
  /** What is in it as of some version; undefined until it is asked for. */
  image: ZoneImage | undefined
  loading: Promise<ZoneImage> | undefined
  /** Grows with each use of any zone. */
  usedAt: number
}

export interface RegistryOptions {
  readonly db: Database
  /** Most records of all zones together that are kept in memory. */
  readonly maxRecords?: number
  /** Told of every zone that may be different, and of new ones. */
  readonly onChange?: (zone: ServedZone) => void
  /** Told that a zone came or went. */
  readonly onMembership?: () => void
  /** Told of every address whose name may be different. */
  readonly onAddress?: (address: string) => void
}

const namesAtOnce = 2_000
const loadTries = 3

export class Registry {
  readonly #options: RegistryOptions
  readonly #byName = new Map<NameKey, Entry>()
  readonly #byId = new Map<number, Entry>()
  /** Zones of which somebody said that they are different now, and those of them that are being looked at. */
  readonly #marked = new Set<number>()
  #lookingAt: readonly number[] = []
  #stopListening: (() => void) | undefined
  #soon: NodeJS.Immediate | undefined
  #refreshing: Promise<void> | undefined
  #looking: Promise<void> | undefined
  #seen = new Map<string, number>()
  #since = 0
  #uses = 0
  #records = 0

  constructor(options: RegistryOptions) {
    this.#options = options
  }

  /** Reads which zones there are, and listens to what this process changes. */
  async start(): Promise<void> {
    const { db } = this.#options
    this.#stopListening = db.listen('dns', (subject) => this.#mark(subject))
    // What changes from here on is told: nothing lies between the names and the announcements.
    this.#since = await announcementTime(db.query, db.dialect)
    await this.#readNames()
  }

  /** Hears of no more changes. */
  stop(): void {
    this.#stopListening?.()
    clearImmediate(this.#soon)
  }

  /** Whether everything that was marked has been looked at. */
  get isFresh(): boolean {
    return this.#marked.size === 0 && this.#lookingAt.length === 0
  }

  /** All zones that there are. */
  *zones(): Generator<ServedZone> {
    for (const { zone } of this.#byId.values()) yield zone
  }

  /** The zone that a name lies in. */
  find(name: NameKey): Entry | undefined {
    for (const at of selfAndParents(name)) {
      const entry = this.#byName.get(at)
      if (entry) {
        entry.usedAt = ++this.#uses
        return entry
      }
    }
    return undefined
  }

  /** Looks at what was marked. */
  async refresh(): Promise<void> {
    while (!this.isFresh) {
      this.#refreshing ??= this.#lookAtMarked().finally(() => {
        this.#refreshing = undefined
      })
      await this.#refreshing
    }
  }

  /** Looks for what other processes have changed. */
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

  /** What is in a zone, as of the version that is known. */
  async load(entry: Entry): Promise<ZoneImage> {
    for (;;) {
      if (entry.image?.version === entry.zone.version) return entry.image
      entry.loading ??= this.#load(entry).finally(() => {
        entry.loading = undefined
      })
      const image = await entry.loading
      // One that was deleted meanwhile has an image for this answer only.
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
    // Others want to hear of it although nobody may ask for long.
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined
      // What fails stays marked: the next query or look tries again.
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
    // What is marked once more from now on has to be looked at once more.
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
      // Another look may be ahead of this one.
      if (known.zone.version <= zone.version) known.zone = zone
      return
    }
    const key = nameOf(zone.name)
    const entry: Entry = { key, zone, image: undefined, loading: undefined, usedAt: 0 }
    this.#byId.set(zone.id, entry)
    this.#byName.set(key, entry)
    this.#options.onMembership?.()
  }

  #remove(id: number): void {
    const entry = this.#byId.get(id)
    if (!entry) return
    this.#byId.delete(id)
    this.#options.onMembership?.()
    // Its name may be another zone's by now.
    if (this.#byName.get(entry.key) === entry) this.#byName.delete(entry.key)
    this.#records -= entry.image?.size ?? 0
    entry.image = undefined
  }

  async #load(entry: Entry): Promise<ZoneImage> {
    const before = entry.image?.size ?? 0
    let image = await this.#read(entry, entry.zone)
    // What was read in several steps may have some changes of a newer version and not others. That is caught up with at
    // the next query; what lacks anything, because the zone was replaced more than once meanwhile, is never used.
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

  async #read(entry: Entry, zone: ServedZone): Promise<ZoneImage> {
    const { query } = this.#options.db
    const known = entry.image
    if (known && known.ttl === zone.ttl && known.version >= zone.wholeVersion) {
      const keys = [soaKey, ...(await changedSince(query, zone.id, known.version))]
      const found = await readAll(known, await servedRrsetsOf(query, zone, [...new Set(keys)]))
      // It is answered from: what changes does so at once.
      for (const key of keys) known.remove(key)
      for (const [rrset, data] of found) known.set(rrset, data, zone.serial)
      known.version = zone.version
      return known
    }
    const image = new ZoneImage(zone.name, zone.ttl)
    for await (const some of servedRrsets(query, zone)) {
      for (const [rrset, data] of await readAll(image, some)) image.set(rrset, data, zone.serial)
      await nextTurn()
    }
    image.version = zone.version
    return image
  }

  /** Forgets the content of zones that were not asked for the longest. */
  #makeRoom(latest: Entry): void {
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

/** Reads the values of RRsets, with turns for others in between: there may be many, and many in one. */
async function readAll(
  image: ZoneImage,
  rrsets: readonly ServedRrset[],
): Promise<(readonly [rrset: ServedRrset, data: readonly Buffer[]])[]> {
  const pace = pacing()
  const all: (readonly [ServedRrset, readonly Buffer[]])[] = []
  for (const rrset of rrsets) {
    const data: Buffer[] = []
    for (const value of rrset.values) {
      data.push(...image.read(rrset.type, value))
      await pace()
    }
    all.push([rrset, data])
  }
  return all
}
