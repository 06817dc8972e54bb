/** The rows of OVN that Incus makes of one of its networks. */
import { DriverError } from '../../../kernel/actions/define.ts'
import { addressAt, cidrSize, familyOf, parseCidr } from '../../../protocols/net/ip.ts'
import { atomsOf, called, entriesOf, identified, idsOf, uuid } from '../../../protocols/ovsdb/rows.ts'
import { without } from './filters/matches.ts'
import { type Northbound, type NorthboundChange, select } from './northbound.ts'

/** The names in OVN of a network of Incus. */
export interface LogicalNetwork {
  readonly logicalSwitch: string
  readonly logicalRouter: string
}

/** A network with what is needed to add to it. */
export interface Logical {
  readonly switch: string
  readonly router: string
  /** Id of the port of the switch that leads to the router: it is there before all others, and stays. */
  readonly gatewayPort: string
  /** Name of the port of the router that leads to the switch. */
  readonly routerPort: string
  readonly routerMac: string
  /** Addresses of that port with their networks, such as `172.31.1.1/16`. */
  readonly routerNetworks: readonly string[]
}

/** Looks a network up; undefined when OVN does not have all of it. */
export async function lookUp(
  database: Northbound,
  { logicalSwitch, logicalRouter }: LogicalNetwork,
): Promise<Logical | undefined> {
  const [found] = await database.select('Logical_Switch', [called(logicalSwitch)], ['ports'])
  if (!found) return undefined
  const ports = await database.transact(
    idsOf(found.ports).map((id) =>
      select('Logical_Switch_Port', [identified(id), ['type', '==', 'router']], ['_uuid', 'options']),
    ),
  )
  const [gateway] = ports.flatMap(({ rows = [] }) => rows)
  const routerPort = entriesOf(gateway?.options)['router-port']
  if (!gateway || routerPort === undefined) return undefined
  const [port] = await database.select('Logical_Router_Port', [called(routerPort)], ['mac', 'networks'])
  if (!port) return undefined
  return {
    switch: logicalSwitch,
    router: logicalRouter,
    gatewayPort: idsOf(gateway._uuid)[0]!,
    routerPort,
    routerMac: port.mac,
    routerNetworks: [...atomsOf(port.networks)],
  }
}

/** Incus derives all its names from the number of the network. */
const prefixOf = ({ switch: name }: Pick<Logical, 'switch'>) => name.replace(/-ls-int$/, '')

/** The port that Incus makes for a device when its instance starts. */
export const instancePort = (logical: Logical, instance: string, device: string) =>
  `${prefixOf(logical)}-instance-${instance}-${device}`

/**
 * Takes the port of a device away that nobody wants any more. Incus does so when an instance stops, but not when it dies with
 * its host: the addresses of such a port would lead to nobody, and to whoever has them next.
 */
export async function releasePort(
  database: Northbound,
  change: NorthboundChange,
  logical: Logical,
  name: string,
): Promise<void> {
  const [port] = await database.select('Logical_Switch_Port', [called(name)], ['_uuid'])
  const left = idsOf(port?._uuid).map(uuid)
  change.amend('Logical_Switch', logical.switch, 'ports', 'delete', left)
}

/** The set of sources that Incus lets pass a router, of one family. */
export const sourceSet = (router: string, address: string) =>
  `${router.replace(/-lr$/, '').replaceAll('-', '_')}_routes_ip${familyOf(address.split('/')[0]!)}`

/** The address that a router derives from the MAC address of its port for the link itself. */
export function linkLocalOf(mac: string): string {
  const bytes = mac.split(':').map((byte) => Number.parseInt(byte, 16))
  const [first = 0, second = 0, third = 0, ...rest] = bytes
  const id = [first ^ 2, second, third, 0xff, 0xfe, ...rest].reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  return addressAt('fe80::/64', id)
}

/** The first part of the IPv4 network is never given to servers: the router is there, and what the operator adds. */
const reservedBits = 4

/** The range of the internal addresses of servers: as many as there are in both networks of the switch. */
export class InternalRange {
  readonly #ipv4: string
  readonly #ipv6: string

  /** Errors: a permanent `DriverError` for a public network without addresses of both families. */
  constructor({ routerNetworks, switch: name }: Logical) {
    const find = (family: 4 | 6) =>
      routerNetworks.find((one) => familyOf(one.split('/')[0]!) === family && !one.startsWith('fe80:'))
    const [ipv4, ipv6] = [find(4), find(6)]
    if (!ipv4 || !ipv6) {
      throw new DriverError(`the public network ${name} needs an IPv4 and an IPv6 address`, { transient: false })
    }
    this.#ipv4 = networkOf(ipv4)
    this.#ipv6 = networkOf(ipv6)
  }

  /** Networks with all addresses that servers may have. */
  get networks(): string[] {
    const [base, length] = this.#ipv4.split('/')
    return [...without(this.#ipv4, [`${base}/${Number(length) + reservedBits}`]), this.#ipv6]
  }

  /** Addresses to try for a server, one after the other, until one is free. */
  *candidates(server: number): Generator<{ ipv4: string; ipv6: string }> {
    const size = cidrSize(this.#ipv4)
    const [first, last] = [size >> BigInt(reservedBits), size - 2n]
    const count = last - first + 1n
    for (let tried = 0n; tried < count; tried++) {
      const offset = first + ((BigInt(server) + tried) % count)
      yield { ipv4: addressAt(this.#ipv4, offset), ipv6: addressAt(this.#ipv6, offset) }
    }
  }
}

function networkOf(addressWithMask: string): string {
  const parsed = parseCidr(addressWithMask, 'drop')
  if (!parsed.ok) throw new DriverError(parsed.message, { transient: false })
  return parsed.cidr
}
