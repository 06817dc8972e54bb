/**
 * The zones that follow from the installation's addresses: reverse zones for its address pools (RFC 1035, 3.5; RFC
 * 3596) with PTR records for every assigned address, and forward zones with the default names of addresses.
 */

import type { ReverseName } from '../families/addresses/domain.ts'
import { floatingIpNames } from '../families/floating-ips/host.ts'
import { loadBalancerNames } from '../families/load-balancers/host.ts'
import { primaryIpNames } from '../families/primary-ips/host.ts'
import { soaTimes } from '../families/zones/limits.ts'
import { defaultTtl, type ZoneSettings } from '../families/zones/settings.ts'
import type { Database, Queries } from '../kernel/data/db.ts'
import type { DefaultNames } from '../protocols/net/default-names.ts'
import { addressBytes, addressText } from '../protocols/net/dns/addresses.ts'
import { type NameKey, nameOf, selfAndParents } from '../protocols/net/dns/names.ts'
import { parseRdata, recordTypes } from '../protocols/net/dns/rdata.ts'
import { cidrContains, parseCidr, subnetAt } from '../protocols/net/ip.ts'
import { lookUp } from './lookup.ts'
import { type Answer, bareAnswer, rcodes, type WireRrset } from './message.ts'
import { ZoneImage } from './zone-image.ts'

export interface AddressNamesOptions {
  readonly db: Database
  readonly settings: ZoneSettings
  readonly defaultNames: DefaultNames
  readonly now: () => number
}

/** The maximum number of addresses whose names are cached. */
const mostRemembered = 50_000
const { PTR } = recordTypes

export class AddressNames {
  readonly #options: AddressNamesOptions
  /**
   * Zones with their SOA and NS records only; PTR, A and AAAA records are generated per query. Pools have hundreds of zones,
   * each of which is made when it is first asked for.
   */
  readonly #zones = new Map<NameKey, () => ZoneImage>()
  /** Those of the zones that have the default names of addresses. */
  readonly #forward: readonly ZoneImage[]
  #pools: readonly string[] = []
  /** Names by IPv4 address and by IPv6 network; null for an address that is not assigned. */
  readonly #known = new Map<string, readonly ReverseName[] | null>()
  #serial: number

  constructor(options: AddressNamesOptions) {
    this.#options = options
    this.#serial = serialAt(options.now())
    this.#forward = options.defaultNames.zones.map((name) => this.#zone(name))
  }

  /** Serves the reverse zones of the given networks and of no others. */
  serve(pools: readonly string[]): void {
    this.#pools = pools
    this.#zones.clear()
    for (const name of new Set(pools.flatMap(reverseZones))) {
      let made: ZoneImage | undefined
      this.#zones.set(nameOf(name), () => (made ??= this.#zone(name)))
    }
    for (const zone of this.#forward) this.#zones.set(zone.origin, () => zone)
  }

  /** Drops the cached names of an IPv4 address or an IPv6 network. */
  forget(address: string): void {
    this.#known.delete(address)
    // Resolvers may have cached records of the zone, so a change has to raise the serial.
    this.#serial = Math.max((this.#serial + 1) >>> 0, serialAt(this.#options.now()))
  }

  /** Finds the zone that contains a name. */
  find(name: NameKey): ZoneImage | undefined {
    for (const at of selfAndParents(name)) {
      const zone = this.#zones.get(at)
      if (zone) return zone()
    }
    return undefined
  }

  /** Answers a question about a name in `zone`. */
  async answer(zone: ZoneImage, name: NameKey, type: number): Promise<Answer> {
    zone.put(this.#soa(), this.#serial)
    if (name === zone.origin) return lookUp(zone, { name, type }, () => undefined)
    const found = this.#forward.includes(zone) ? this.#forwardAnswer(name, zone) : await this.#reverseAnswer(name)
    if (found === undefined) return lookUp(zone, { name, type }, () => undefined)
    // The name exists without records of this type: the answer is NODATA with the SOA record of the zone.
    if (!found || found.type !== type) return lookUp(zone, { name: zone.origin, type: 0 }, () => undefined)
    return { ...bareAnswer(rcodes.noError, true, `${name}${type}`), answer: [{ owner: name, rrset: found }] }
  }

  #zone(name: string): ZoneImage {
    const zone = new ZoneImage(name, defaultTtl)
    const { nameservers } = this.#options.settings
    zone.put({ key: '@/NS', name: '@', type: 'NS', ttl: null, values: nameservers }, 0)
    zone.put(this.#soa(), this.#serial)
    return zone
  }

  #soa() {
    const { nameservers, hostmaster } = this.#options.settings
    const value = `${nameservers[0]} ${hostmaster} 0 ${soaTimes.join(' ')}`
    return { key: '@/SOA', name: '@', type: 'SOA', ttl: null, values: [value] }
  }

  /** PTR records of a name; null for a name that exists without records, undefined for a name that does not exist. */
  async #reverseAnswer(name: NameKey): Promise<WireRrset | null | undefined> {
    const address = addressOf(name)
    // Names between the zone's origin and a full address exist, but have no records.
    if (typeof address !== 'string') return address
    if (!this.#isOurs(address)) return undefined
    const holder = address.includes(':') ? networkOf(address) : address
    const given = await this.#namesOf(holder)
    const names = given?.filter(({ ip }) => ip === address).map(({ name }) => name) ?? []
    const usual = given && names.length === 0 ? this.#options.defaultNames.nameOf(address) : undefined
    const data = (usual === undefined ? names : [usual]).flatMap((target) => {
      const read = parseRdata('PTR', `${target}.`, '\0')
      return read.ok ? [read.bytes] : []
    })
    return data.length > 0 ? { type: PTR.code, ttl: defaultTtl, data } : undefined
  }

  /** The address of a default name such as `static.7.2.0.192.clients.wolke.example`. */
  #forwardAnswer(name: NameKey, { origin }: ZoneImage): WireRrset | null | undefined {
    const [labels, zone] = [labelsOf(name.slice(0, -origin.length)), labelsOf(origin).join('.')]
    const address = this.#options.defaultNames.addressOf(labels, zone)
    if (address == null) return address
    if (!this.#isOurs(address)) return undefined
    const { code } = recordTypes[address.includes(':') ? 'AAAA' : 'A']
    return { type: code, ttl: defaultTtl, data: [addressBytes(address)] }
  }

  #isOurs(address: string): boolean {
    return this.#pools.some((pool) => cidrContains(pool, address))
  }

  async #namesOf(holder: string): Promise<readonly ReverseName[] | null> {
    const known = this.#known.get(holder)
    if (known !== undefined) return known
    const { query } = this.#options.db
    const serial = this.#serial
    const names = (await namesOf(query, holder)) ?? null
    // Names that changed during the query may have been read before the change: do not cache them.
    if (serial !== this.#serial) return names
    if (this.#known.size >= mostRemembered) this.#known.delete(this.#known.keys().next().value as string)
    this.#known.set(holder, names)
    return names
  }
}

const isOctet = (label: string) => /^(0|[1-9]\d{0,2})$/.test(label) && Number(label) < 256

function labelsOf(wire: string): string[] {
  const labels: string[] = []
  for (let at = 0; at < wire.length && wire.charCodeAt(at) > 0; at += wire.charCodeAt(at) + 1) {
    labels.push(wire.slice(at + 1, at + 1 + wire.charCodeAt(at)))
  }
  return labels
}

const networkOf = (address: string) => {
  const parsed = parseCidr(`${address}/64`, 'drop')
  return parsed.ok ? parsed.cidr : address
}

/** The address of a reverse name; null for a prefix of an address, undefined for a name outside the reverse tree. */
function addressOf(name: NameKey): string | null | undefined {
  const labels = labelsOf(name)
  const digits = labels.slice(0, -2).reverse()
  if (labels.at(-2) === 'in-addr') {
    if (!digits.every(isOctet) || digits.length > 4) return undefined
    return digits.length === 4 ? digits.join('.') : null
  }
  if (!digits.every((digit) => /^[0-9a-f]$/.test(digit)) || digits.length > 32) return undefined
  return digits.length === 32 ? addressText(Buffer.from(digits.join(''), 'hex')) : null
}

/** The serial of a zone that begins at a time: seconds, which begin again in the year 2106, as serials do (RFC 1982). */
const serialAt = (ms: number) => Math.floor(ms / 1_000) >>> 0

/** The names of a network's reverse zones. DNS delegates at octets (IPv4) or hexadecimal digits (IPv6) only. */
function reverseZones(cidr: string): string[] {
  const parsed = parseCidr(cidr)
  if (!parsed.ok) return []
  const { family, prefixLength } = parsed
  const [step, longest] = family === 4 ? [8, 24] : [4, 64]
  const length = Math.min(Math.max(Math.ceil(prefixLength / step), 1) * step, longest)
  if (length <= prefixLength) return [reverseName(cidr.split('/')[0]!, length)]
  const count = 2 ** (length - prefixLength)
  return Array.from({ length: count }, (_, index) =>
    reverseName(subnetAt(cidr, length, BigInt(index)).split('/')[0]!, length),
  )
}

function reverseName(address: string, prefixLength: number): string {
  const bytes = addressBytes(address)
  const isIpv4 = bytes.length === 4
  const digits = isIpv4 ? [...bytes].map(String) : [...bytes.toString('hex')]
  const kept = digits.slice(0, prefixLength / (isIpv4 ? 8 : 4)).reverse()
  return [...kept, isIpv4 ? 'in-addr' : 'ip6', 'arpa'].join('.')
}

/** The reverse names of an address or a network, whoever has it; undefined when nobody has. */
async function namesOf(query: Queries, holder: string): Promise<readonly ReverseName[] | undefined> {
  for (const find of [primaryIpNames, floatingIpNames, loadBalancerNames]) {
    const names = await find(query, holder)
    if (names) return names
  }
  return undefined
}
