/**
 * The catalog zone (RFC 9432): it lists all zones, so that secondary name servers find new zones by themselves. Only
 * name servers that may transfer every zone can query it.
 */
import type { ServedZone } from '../families/zones/host.ts'
import type { ZoneSettings } from '../families/zones/settings.ts'
import { isWithin, type NameKey, nameOf } from '../protocols/net/dns/names.ts'
import { ZoneImage } from './zone-image.ts'

export interface CatalogZoneOptions {
  readonly reverseDomain: string
  readonly settings: ZoneSettings
  readonly now: () => number
  /** Iterates over all zones of the installation. */
  readonly zones: () => Iterable<ServedZone>
}

/** Refresh, retry, expire and minimum of the SOA record, in seconds. */
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

  /** Discards the built zone after a zone was created or deleted. */
  change(): void {
    this.#image = undefined
  }

  /** The catalog zone, if `name` is its origin or below it. */
  find(name: NameKey): ZoneImage | undefined {
    if (!isWithin(name, this.#origin)) return undefined
    this.#image ??= this.#build()
    return this.#image
  }

  /**
   * Every build gets a higher serial. The serial follows the clock in seconds, so that it also rises over a restart of
   * the process.
   */
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
