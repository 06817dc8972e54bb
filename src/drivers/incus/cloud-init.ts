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

/** The keys of an instance's configuration from which its image, or its drive for cloud-init, gets the documents. */
export function cloudInit(state: ServerState, mac: string, options: GuestOptions): Config {
  return {
    'cloud-init.user-data': state.userData ?? '',
    'cloud-init.vendor-data': vendorData(state),
    'cloud-init.network-config': networkConfig(state, mac, options),
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
function vendorData({ name, rootPasswordHash }: ServerState): string {
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
    updates: { network: { when: ['boot', 'boot-new-instance'] } },
    ...password,
  })
  return `#cloud-config\n${document}`
}

/** The public interface has its addresses fixed; private ones ask for theirs whenever they come. */
function networkConfig({ ipv4, ipv6 }: ServerState, mac: string, { nameServers }: GuestOptions): string {
  const addresses = [...(ipv4 === null ? [] : [`${ipv4}/32`]), ...(ipv6 === null ? [] : [firstOf(ipv6)])]
  const routes = [
    ...(ipv4 === null
      ? []
      : [
          { to: `${gateway}/32`, scope: 'link' },
          { to: '0.0.0.0/0', via: gateway, 'on-link': true },
        ]),
    ...(ipv6 === null ? [] : [{ to: '::/0', via: gateway6, 'on-link': true }]),
  ]
  return lines({
    version: 2,
    ethernets: {
      eth0: {
        match: { macaddress: mac },
        'set-name': 'eth0',
        dhcp4: false,
        dhcp6: false,
        'accept-ra': false,
        addresses,
        routes,
        nameservers: { addresses: nameServers },
      },
    },
  })
}

/** The address that a server has of its /64 network. */
const firstOf = (network: string) => `${network.replace(/\/\d+$/, '')}1/64`

/** A document of YAML whose top-level keys are lines of their own. */
const lines = (document: Readonly<Record<string, unknown>>) =>
  Object.entries(document)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('')
