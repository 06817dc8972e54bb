/**
 * Sources that a port may send from, as rows that allow its own and drop the rest below them. They are checked in a
 * stage of their own, after the packet filter, so that neither overrules the other.
 */
import { type Acl, all, atPort, oneOf } from '../filters/matches.ts'

/** The sources that the port of a server may claim. */
export interface Guarded {
  readonly port: string
  readonly mac: string
  /** IPv4 addresses and networks. */
  readonly ipv4: readonly string[]
  /** IPv6 addresses and networks; null where IPv6 is not spoken. */
  readonly ipv6: readonly string[] | null
  /** Addresses of the router, which no server is. */
  readonly router: readonly string[]
  /** The hardware address of the router where a port reaches nobody but by it; null where neighbours reach each other. */
  readonly only: string | null
  /** Networks in which nobody is reached. */
  readonly hidden: readonly string[]
}

const priority = { never: 3_000, own: 2_000, otherwise: 1_000 }

/** Servers read of themselves at this address. */
export const metadataAddress = '169.254.169.254'

/** Addresses that a server chooses itself for its end of a link. */
export const linkLocal = 'fe80::/64'

/** The rows that a port is guarded with. */
export function guardAcls({ port, mac, ipv4, ipv6, router, only, hidden }: Guarded): Acl[] {
  const at = atPort('inport', port)
  const from = all(at, `eth.src == ${macOf(mac)}`)
  const acl = (level: keyof typeof priority, action: Acl['action'], match: string): Acl => {
    return { direction: 'from-lport', priority: priority[level], match, action, isSecond: true }
  }
  const allow = (...parts: readonly (string | null)[]) => acl('own', 'allow', all(from, ...parts))
  const by = only === null ? null : `eth.dst == ${macOf(only)}`
  // OVN lets neighbour discovery pass every row of a switch that tracks connections, as one with packet filters does: there,
  // port security is in the way of a lie.
  const version6 = ipv6 && [
    acl('never', 'drop', all(at, 'nd_ra')),
    acl('never', 'drop', all(at, oneOf('ip6.src', router))),
    acl('never', 'drop', all(at, 'nd_na', oneOf('nd.target', router))),
    allow('ip6', by, oneOf('ip6.src', [...ipv6, linkLocal])),
    allow('nd_ns', oneOf('ip6.src', ['::'])),
    // Reports of the groups in which a server looks for others that have its address.
    allow('icmp6.type == 143', oneOf('ip6.src', ['::'])),
    allow('udp.src == 546 && udp.dst == 547', oneOf('ip6.src', [linkLocal])),
  ]
  const version4 = ipv4.length > 0 && [allow('arp', oneOf('arp.spa', ipv4)), allow('ip4', by, oneOf('ip4.src', ipv4))]
  const never = hidden.map((network) =>
    acl('never', 'drop', all(at, oneOf(network.includes(':') ? 'ip6.dst' : 'ip4.dst', [network]))),
  )
  return [
    ...never,
    ...(version6 || []),
    ...(version4 || []),
    // A server that looks for its address, by DHCP or at its neighbours, has none yet.
    allow('arp', oneOf('arp.spa', ['0.0.0.0'])),
    allow('udp.src == 68 && udp.dst == 67', oneOf('ip4.src', ['0.0.0.0', ...ipv4])),
    acl('otherwise', 'drop', at),
  ]
}

/**
 * The rows that come before every packet filter: a server reads of itself whatever its filter says, and its internal
 * address is good for nothing else.
 */
export function internalAcls(port: string, internal: string): Acl[] {
  const at = atPort('inport', port)
  const acl = (level: number, action: Acl['action'], ...parts: readonly (string | null)[]): Acl => {
    return { direction: 'from-lport', priority: level, match: all(at, ...parts), action }
  }
  return [
    acl(5_000, 'allow-related', oneOf('ip4.dst', [metadataAddress]), 'tcp.dst == 80'),
    acl(5_000, 'allow', 'udp.src == 68 && udp.dst == 67'),
    acl(4_000, 'drop', oneOf('ip4.src', [internal])),
  ]
}

/** Errors: a RangeError for a text that OVN would read as something else. */
export function macOf(mac: string): string {
  if (!/^([\da-f]{2}:){5}[\da-f]{2}$/i.test(mac)) throw new RangeError(`${JSON.stringify(mac)} is no MAC address`)
  return mac.toLowerCase()
}
