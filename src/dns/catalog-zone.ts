/**
 * The zone that lists all zones (RFC 9432), so that a name server in front of us finds new ones by itself. Only who may
 * have every zone is told of it.
 */
import type { ServedZone } from '../families/zones/host.ts'
import type { ZoneSettings } from '../families/zones/settings.ts'
import { isWithin, type NameKey, nameOf } from '../net/dns/names.ts'
import { ZoneImage } from './zone-image.ts'

export interface CatalogZoneOptions {
  readonly reverseDomain: string
  readonly settings: ZoneSettings
  readonly now: () => number
  /** All zones that there are. */
  readonly zones: () => Iterable<ServedZone>
}

/** Seconds: how long whoever has a copy waits before it looks by itself, and remembers in vain. */
const times = [3_600, 600, 2_147_483_646, 60]
const ttl = 60

export class CatalogZone {
  readonly name: string
  readonly #options: CatalogZoneOptions
  readonly #origin: NameKey
  #serial = 0
  #image: ZoneImage | undefined

  constructor(options: CatalogZoneOptions) {
    this.#options = options
    this.name = `catalog.${options.reverseDomain}`
    this.#origin = nameOf(this.name)
  }

  /** Takes note that a zone came or went. */
  change(): void {
    this.#image = undefined
  }

  /** What is in it, if a name is its own or below it. */
  find(name: NameKey): ZoneImage | undefined {
    if (!isWithin(name, this.#origin)) return undefined
    this.#image ??= this.#build()
    return this.#image
  }

  /** What was told once has a number that is left behind, and not far ahead of the clock: the next life begins there. */
  #build(): ZoneImage {
    this.#serial = Math.max(this.#serial + 1, Math.floor(this.#options.now() / 1_000))
    const image = new ZoneImage(this.name, ttl)
    const { hostmaster } = this.#options.settings
    const put = (name: string, type: string, value: string) =>
      image.put({ key: `${name}/${type}`, name, type, ttl, values: [value] }, this.#serial)
    put('@', 'SOA', `invalid. ${hostmaster} 0 ${times.join(' ')}`)
    put('@', 'NS', 'invalid.')
    put('version', 'TXT', '"2"')
    for (const { id, name } of this.#options.zones()) put(`z${id}.zones`, 'PTR', `${name}.`)
    return image
  }
}
