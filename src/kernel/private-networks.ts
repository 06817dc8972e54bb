/** Addresses that lead back to this host or into its neighbourhood: requests that tenants or strangers cause avoid them. */
import { cidrContains } from './networks.ts'

// This host, private and shared networks, link-local addresses, multicast and what is reserved. Documentation is public.
const privateNetworks = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  ...['224.0.0.0/3', '::/96', '::ffff:0:0/96', '64:ff9b::/96', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
]

/** Whether an address, in canonical form, is not a public one. */
export function isPrivateAddress(address: string): boolean {
  return privateNetworks.some((network) => cidrContains(network, address))
}
