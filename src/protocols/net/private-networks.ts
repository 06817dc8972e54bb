/** Private addresses: requests that tenants or strangers can trigger must not reach this host or its neighbours. */
import { cidrContains, embeddedIpv4 } from './ip.ts'

/** The ranges for private networks (RFC 1918). */
export const privateUse = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']

/**
 * The special-purpose networks of the IANA registries (RFC 6890) and everything that is not global unicast.
 * Documentation ranges are missing on purpose: they are not routed, and trial installations assign addresses from them.
 */
export const privateNetworks = [
  '0.0.0.0/8', // this host, this network
  ...privateUse,
  '100.64.0.0/10', // shared between a provider and its customers
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local
  '192.0.0.0/24', // protocol assignments
  '192.31.196.0/24', // AS112, anycast
  '192.52.193.0/24', // AMT multicast tunnels, anycast
  '192.88.99.0/24', // 6to4 relays, anycast
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks of network devices
  '224.0.0.0/3', // multicast, reserved, broadcast
  '::/3', // loopback; IPv4 mapped, compatible, translated; discarded
  '2001::/23', // protocol assignments, Teredo among them, which wraps any IPv4 address
  '2002::/16', // 6to4, which wraps any IPv4 address
  '2620:4f:8000::/48', // AS112
  '4000::/2', // not global unicast
  '8000::/1', // unique local, link-local, site-local, multicast
]

/** NAT64 (RFC 6052, 2.1): such an address is as private as the IPv4 address in its last four bytes. */
const translated = '64:ff9b::/96'

/** Tells whether an address in canonical form is not publicly routable. */
export function isPrivateAddress(address: string): boolean {
  if (cidrContains(translated, address)) return isPrivateAddress(embeddedIpv4(address))
  return privateNetworks.some((network) => cidrContains(network, address))
}
