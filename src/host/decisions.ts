/** What is decided for a host: by options, by what the machine says of itself, and once for all that cannot change. */
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import { cidrRange, parseCidr } from '../protocols/net/ip.ts'
import { type Facts, isEmpty, type Underlay, underlayAt } from './facts.ts'
import type { Shell } from './shell.ts'

/** A mistake that the operator can mend; its message begins with the option, if one does that. */
export class SetupRefused extends Error {}

const gibibyte = 1_024 ** 3
export const releases: readonly string[] = ['bookworm', 'trixie']

/** The port of the API, unless an option or the configuration says another. */
export const usualPort = 443

/** Options of `wolke host setup`. */
export interface HostOptions {
  readonly interface?: string
  readonly addressPool?: readonly string[]
  readonly uplink?: string
  readonly uplinkAddress?: readonly string[]
  readonly uplinkGateway?: readonly string[]
  readonly uplinkRange?: string
  readonly disk?: string
  readonly poolSize?: string
  readonly incusType?: 'container' | 'virtual-machine'
  readonly incusOvercommit?: number
  readonly incusNameServers?: readonly string[]
  readonly publicName?: string
  readonly port?: number
  readonly acmeEmail?: string
  readonly acmeServer?: string
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly images?: readonly string[]
  readonly imageMetadata?: string
  readonly imageRoot?: string
}

/** The disks of servers: a file of some size, or a device. */
export interface Pool {
  readonly key: 'size' | 'source'
  readonly value: string
}

/** The network to the outside. Addresses of the machine and of the router have their prefixes. */
export interface Uplink {
  /** The interface; empty where the machine itself is the router. */
  readonly device: string
  readonly own: readonly string[]
  readonly gateway4: string
  readonly gateway6: string
  /** Addresses that OVN's own router may take. */
  readonly range4: string
  readonly pool4: string
  readonly pool6: string
}

/** All that cannot change once servers rely on it. */
export interface Decided {
  readonly name: string
  readonly underlay: Underlay
  /** The address of the host with the databases of OVN. */
  readonly central: string
  readonly release: string
  readonly pool: Pool
  readonly uplink: Uplink
  /** The addresses of all hosts. */
  readonly members: readonly string[]
  /** What a further host was given by the first one; undefined on the first one. */
  readonly joined?: Joined
}

/** What the first host gives to a further one. */
export interface Joined {
  readonly central: string
  /** Of Incus, for one use. */
  readonly clusterToken: string
  readonly certificate: string
  readonly authority: string
  readonly members: readonly string[]
  readonly uplink: Uplink
  /** The digest of the token that was redeemed. */
  readonly token: string
}

/** Decides for the first host of a cluster. Errors: `SetupRefused`. */
export async function decide(options: HostOptions, facts: Facts, shell: Shell): Promise<Decided> {
  const underlay = await chosenUnderlay(options, facts, shell)
  return {
    name: facts.name,
    underlay,
    central: underlay.address,
    release: facts.release,
    pool: await chosenPool(options, facts, shell),
    uplink: chosenUplink(options, facts),
    members: [underlay.address],
  }
}

export async function chosenUnderlay(options: HostOptions, facts: Facts, shell: Shell): Promise<Underlay> {
  const found = options.interface === undefined ? facts.underlay : await underlayAt(shell, options.interface)
  if (found) return found
  if (options.interface !== undefined) throw new SetupRefused(`--interface: ${options.interface} has no IPv4 address`)
  throw new SetupRefused('--interface: no interface has the default route, so say which one leads to the other hosts')
}

/** The file takes at most this part of what is free, so that the machine itself goes on. */
const partOfFree = 0.6
const leastPool = 5 * gibibyte

export async function chosenPool(options: HostOptions, facts: Facts, shell: Shell): Promise<Pool> {
  const { disk, poolSize } = options
  if (disk !== undefined && poolSize !== undefined) {
    throw new SetupRefused('--disk and --pool-size exclude each other: a pool is a device, or a file of some size')
  }
  if (disk !== undefined) {
    if (!statSync(disk, { throwIfNoEntry: false })?.isBlockDevice()) {
      throw new SetupRefused(`--disk: ${disk} is no device of blocks`)
    }
    if (!(await isEmpty(shell, disk))) {
      throw new SetupRefused(`--disk: ${disk} is no device without data; wipefs --all ${disk} would remove what it has`)
    }
    return { key: 'source', value: disk }
  }
  if (poolSize !== undefined) return { key: 'size', value: sizeOf(poolSize, facts) }
  if (facts.disks[0] !== undefined) return { key: 'source', value: facts.disks[0] }
  const bytes = facts.freeBytes * partOfFree
  if (bytes < leastPool) {
    const free = (facts.freeBytes / gibibyte).toFixed(1)
    throw new SetupRefused(`--pool-size: /var/lib has ${free} GiB free, of which a pool needs 5 and may take 60 %`)
  }
  return { key: 'size', value: `${Math.floor(bytes / gibibyte)}GiB` }
}

function sizeOf(text: string, { freeBytes }: Facts): string {
  const [, count, unit] = /^([1-9]\d{0,5})(GiB|TiB)$/.exec(text) ?? []
  if (count === undefined) throw new SetupRefused(`--pool-size: ${text} is no size such as 500GiB`)
  const bytes = Number(count) * gibibyte * (unit === 'TiB' ? 1_024 : 1)
  if (bytes < leastPool) throw new SetupRefused(`--pool-size: ${text} is too small, as a pool needs 5GiB`)
  if (bytes > freeBytes) {
    throw new SetupRefused(`--pool-size: /var/lib has ${(freeBytes / gibibyte).toFixed(1)} GiB free, and not ${text}`)
  }
  return text
}

/** Without a router elsewhere the machine is the router, on a network of its own. */
function chosenUplink(options: HostOptions, facts: Facts): Uplink {
  const { uplink, uplinkAddress, uplinkGateway, uplinkRange } = options
  checkInternal(facts)
  const [pool4, pool6] = poolsOf(options, facts)
  if (uplink === undefined) {
    const all = { address: uplinkAddress, gateway: uplinkGateway, range: uplinkRange }
    for (const [name, value] of Object.entries(all)) {
      if (value !== undefined) throw new SetupRefused(`--uplink-${name}: it needs --uplink, the interface`)
    }
    const net = freeOf(['172.30.0.0/24', '172.29.255.0/24', '192.168.213.0/24'], facts).replace('.0/24', '')
    const own = [`${net}.1/24`, 'fd00:172:30::1/64']
    return { device: '', own, gateway4: own[0]!, gateway6: own[1]!, range4: `${net}.100-${net}.200`, pool4, pool6 }
  }
  if (options.addressPool === undefined) throw new SetupRefused('--address-pool: it is missing, as --uplink is there')
  const [gateway4, gateway6] = bothOf('--uplink-gateway', uplinkGateway)
  const own = bothOf('--uplink-address', uplinkAddress)
  if (!isRange(uplinkRange, gateway4)) {
    throw new SetupRefused(
      '--uplink-range: expected addresses for the router of servers, such as 198.51.100.100-198.51.100.200, in the network of --uplink-gateway',
    )
  }
  return { device: uplink, own, gateway4, gateway6, range4: uplinkRange, pool4, pool6 }
}

/** True for a first and a last IPv4 address of the network of a gateway. */
function isRange(text: string | undefined, gateway: string): text is string {
  const [first, last, ...more] = (text ?? '').split('-')
  if (first === undefined || last === undefined || more.length > 0 || !isIPv4(first) || !isIPv4(last)) return false
  const isThere = [first, last].every((address) => overlap(address, gateway))
  return isThere && cidrRange(`${first}/32`).first <= cidrRange(`${last}/32`).first
}

/** Networks within OVN and between it and the machine, which are the same everywhere. */
export const ownNetworks: readonly string[] = ['172.31.0.0/16', 'fd00:172:30::/64', 'fd00:172:31::/64']

/** The networks within OVN are fixed; a machine that has routes to them cannot be a host. */
function checkInternal({ networks }: Facts): void {
  const clash = networks.find((network) => overlap(network, '172.31.0.0/16'))
  if (clash !== undefined) {
    throw new SetupRefused(
      `172.31.0.0/16 is used within the network of servers, and this machine has a route to ${clash}`,
    )
  }
}

function bothOf(option: string, given: readonly string[] | undefined): [string, string] {
  const four = given?.find((one) => !one.includes(':'))
  const six = given?.find((one) => one.includes(':'))
  if (four === undefined || six === undefined) {
    throw new SetupRefused(
      `${option}: expected an IPv4 and an IPv6 address with prefixes, such as 198.51.100.1/24,2001:db8:ff::1/64`,
    )
  }
  return [four, six]
}

function poolsOf({ addressPool }: HostOptions, facts: Facts): [string, string] {
  const candidates = [128, 64, 192, 96, 224, 32].map((second) => `10.${second}.0.0/16`)
  const four = addressPool?.find((pool) => !pool.includes(':')) ?? freeOf(candidates, facts)
  return [four, addressPool?.find((pool) => pool.includes(':')) ?? localPool()]
}

/** A network that is the machine's alone (RFC 4193), and the same whenever it is asked for. */
function localPool(): string {
  const digest = createHash('sha256').update(readFileSync('/etc/machine-id')).digest('hex')
  return `fd${digest.slice(0, 2)}:${digest.slice(2, 6)}:${digest.slice(6, 10)}::/48`
}

function freeOf(candidates: readonly string[], { networks }: Facts): string {
  const free = candidates.find((one) => !networks.some((network) => overlap(one, network)))
  if (free === undefined) throw new SetupRefused('--address-pool: this machine has routes to all that would be taken')
  return free
}

/** True for networks that have an address in common; one without a prefix is an address. */
export function overlap(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => parseCidr(text.includes('/') ? text : `${text}/32`, 'drop'))
  if (!a?.ok || !b?.ok || a.family !== b.family) return false
  const [left, right] = [cidrRange(a.cidr), cidrRange(b.cidr)]
  return left.first <= right.last && right.first <= left.last
}

/** True for a network that is known to nobody else, so that the machine stands for its servers outside. */
export function isPrivate(cidr: string): boolean {
  const privates = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']
  const { family, first } = cidrRange(cidr)
  return privates.some((one) => {
    const range = cidrRange(one)
    return range.family === family && range.first <= first && first <= range.last
  })
}
