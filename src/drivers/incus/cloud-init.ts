/**
 * What a guest is told by cloud-init. User data is passed on byte for byte; what Wolke itself wants of the guest is in meta
 * data and vendor data, so that it holds beside any user data. JSON is YAML too, and needs no quoting of its own.
 */
import type { ServerState } from '../../families/servers/driver.ts'
import type { Instance } from './edit.ts'
import type { Config } from './names.ts'
import { type Ethernet, withPublicEthernet } from './network-config.ts'

export interface GuestOptions {
  readonly instanceType: Instance['type']
  /** Addresses of name servers. */
  readonly nameServers: readonly string[]
}

/** The gateway of every public address. It is in no network with it, and answers on the link. */
const gateway = '172.31.1.1'
const gateway6 = 'fe80::1'

/** The keys of an instance's configuration from which its image, or its drive for cloud-init, gets the documents. `current` is what it has. */
export function cloudInit(state: ServerState, mac: string, options: GuestOptions, current: Config): Config {
  return {
    'cloud-init.user-data': state.userData ?? '',
    'cloud-init.vendor-data': vendorData(state),
    ...withPublicEthernet(current, options.instanceType, publicEthernet(state, mac, options)),
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

/** The public address stands alone: everything else is behind its gateway. */
function publicEthernet({ ipv4, ipv6 }: ServerState, mac: string, { nameServers }: GuestOptions): Ethernet {
  const routes4 = [
    { to: `${gateway}/32`, scope: 'link' },
    { to: '0.0.0.0/0', via: gateway, 'on-link': true },
  ]
  return {
    name: 'eth0',
    mac,
    addresses: [...(ipv4 === null ? [] : [`${ipv4}/32`]), ...(ipv6 === null ? [] : [firstOf(ipv6)])],
    routes: [
      ...(ipv4 === null ? [] : routes4),
      ...(ipv6 === null ? [] : [{ to: '::/0', via: gateway6, 'on-link': true }]),
    ],
    nameServers,
  }
}

/** The address that a server has of its /64 network. */
const firstOf = (network: string) => `${network.replace(/\/\d+$/, '')}1/64`

/** A document of YAML whose top-level keys are lines of their own. */
const lines = (document: Readonly<Record<string, unknown>>) =>
  Object.entries(document)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('')
