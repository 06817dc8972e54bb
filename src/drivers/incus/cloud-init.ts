/**
 * What a guest is told by cloud-init. User data is passed on byte for byte; what Wolke itself wants of the guest is in meta
 * data and vendor data, so that it holds beside any user data. JSON is YAML too, and needs no quoting of its own.
 */
import type { ServerState } from '../../families/servers/driver.ts'
import type { Config } from './names.ts'

export interface GuestOptions {
  /** Addresses of name servers. */
  readonly nameServers: readonly string[]
}

/** The gateway of every public address. It is in no network with it, and answers on the link. */
const gateway = '172.31.1.1'
const gateway6 = 'fe80::1'

/** The key of an instance's configuration with what its guest is told of its interfaces, as JSON. */
export const networkKey = 'cloud-init.network-config'

/** The keys of an instance's configuration from which its image, or its drive for cloud-init, gets the documents. `current` is what it has. */
export function cloudInit(state: ServerState, mac: string, options: GuestOptions, current: Config): Config {
  return {
    'cloud-init.user-data': state.userData ?? '',
    'cloud-init.vendor-data': vendorData(state),
    [networkKey]: networkConfig(state, mac, options, current),
    'user.meta-data': metaData(state),
  }
}

/** A disk that is written anew is another instance for cloud-init, which then does all of its work again. */
function metaData({ id, installation, name, sshKeys }: ServerState): string {
  return lines({
    'instance-id': installation === null ? `${id}` : `${id}-${installation}`,
    'local-hostname': name,
    'public-keys': sshKeys,
  })
}

/** Root is the only user that Wolke promises, and the network follows the addresses at every boot. */
function vendorData({ name, rootPasswordHash, sshKeys }: ServerState): string {
  const password =
    rootPasswordHash === null
      ? {}
      : {
          chpasswd: { expire: false, users: [{ name: 'root', password: rootPasswordHash, type: 'hash' }] },
          ssh_pwauth: true,
        }
  const document = lines({
    hostname: name,
    preserve_hostname: false,
    disable_root: false,
    users: [],
    // Not every image passes further meta data on, where the keys hold beside keys in the user data.
    ssh_authorized_keys: sshKeys,
    updates: { network: { when: ['boot', 'boot-new-instance'] } },
    ...password,
  })
  return `#cloud-config\n${document}`
}

/** What a guest is told of its interfaces, in version 2 of cloud-init's form. */
interface NetworkConfig {
  readonly version: 2
  readonly ethernets: Readonly<Record<string, unknown>>
}

/** The public interface has its addresses fixed. What is said of others stays (see interfaces.ts). */
function networkConfig(state: ServerState, mac: string, options: GuestOptions, current: Config): string {
  const before = current[networkKey]
  const { ethernets = {} } = before ? (JSON.parse(before) as Partial<NetworkConfig>) : {}
  const config: NetworkConfig = { version: 2, ethernets: { ...ethernets, eth0: publicEthernet(state, mac, options) } }
  return JSON.stringify(config)
}

function publicEthernet({ ipv4, ipv6 }: ServerState, mac: string, { nameServers }: GuestOptions) {
  const routes4 = [
    { to: `${gateway}/32`, scope: 'link' },
    { to: '0.0.0.0/0', via: gateway, 'on-link': true },
  ]
  return {
    match: { macaddress: mac },
    'set-name': 'eth0',
    addresses: [...(ipv4 === null ? [] : [`${ipv4}/32`]), ...(ipv6 === null ? [] : [firstOf(ipv6)])],
    routes: [
      ...(ipv4 === null ? [] : routes4),
      ...(ipv6 === null ? [] : [{ to: '::/0', via: gateway6, 'on-link': true }]),
    ],
    nameservers: { addresses: nameServers },
  }
}

/** The address that a server has of its /64 network. */
const firstOf = (network: string) => `${network.replace(/\/\d+$/, '')}1/64`

/** A document of YAML whose top-level keys are lines of their own. */
const lines = (document: Readonly<Record<string, unknown>>) =>
  Object.entries(document)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('')
