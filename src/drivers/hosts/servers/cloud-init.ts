/**
 * Cloud-init tells the guest of itself. User data is passed on byte for byte; what Wolke itself wants of the guest is in meta
 * data and vendor data, so that it holds beside any user data. JSON is YAML too, and needs no quoting of its own.
 */
import type { ServerState } from '../../../families/servers/driver.ts'
import type { Config, Instance } from '../../../protocols/incus/edit.ts'
import { volumeLinks } from '../volumes/links.ts'
import { type Ethernet, withPublicEthernet } from './network-config.ts'

export interface GuestOptions {
  readonly instanceType: Instance['type']
  /** Addresses of name servers. */
  readonly nameServers: readonly string[]
}

/** The gateway of every public address. It is in no network with it, and answers on the link. */
const gateway = '172.31.1.1'
const gateway6 = 'fe80::1'

/**
 * The keys of an instance's configuration from which its image, or its drive for cloud-init, gets the documents. `current`
 * is what it has.
 */
export function cloudInit(state: ServerState, mac: string, options: GuestOptions, current: Config): Config {
  const system = systemOf(state)
  return {
    'cloud-init.user-data': system.userData ?? '',
    'cloud-init.vendor-data': vendorData(system, options),
    ...withPublicEthernet(current, options.instanceType, publicEthernet(state, mac, options)),
    'user.meta-data': metaData(system),
  }
}

/** A system is told this of itself. */
interface System extends Pick<ServerState, 'name' | 'userData' | 'sshKeys' | 'rootPasswordHash'> {
  /** Another one is a first boot. */
  readonly instanceId: string
}

/** The system that is on the disk, or the rescue system, which has its own ways in and is nothing to the user data. */
function systemOf(state: ServerState): System {
  const { id, installation, rescue } = state
  if (rescue) return { ...rescue, name: 'rescue', userData: null, instanceId: `${id}-rescue` }
  return { ...state, instanceId: installation === null ? `${id}` : `${id}-${installation}` }
}

/** A disk that is written anew is another instance for cloud-init, which then does all of its work again. */
function metaData({ instanceId, name, sshKeys }: System): string {
  return lines({
    'instance-id': instanceId,
    'local-hostname': name,
    'public-keys': sshKeys,
  })
}

/** The network follows the addresses at every boot. */
const updates = { network: { when: ['boot', 'boot-new-instance'] } }

/** The same as a part of a system's own configuration of cloud-init, which holds from its first boot on. */
export const systemConfig = lines({ updates })

/** Root is the only user that Wolke promises. */
function vendorData({ name, rootPasswordHash, sshKeys }: System, { instanceType }: GuestOptions): string {
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
    updates,
    ...password,
  })
  const config = `#cloud-config\n${document}`
  return instanceType === 'container' ? config : archiveOf([config, volumeLinks])
}

/** The public address stands alone: everything else is behind its gateway. */
function publicEthernet({ ipv4, ipv6 }: ServerState, mac: string, options: GuestOptions): Ethernet {
  const routes4 = [
    { to: `${gateway}/32`, scope: 'link' },
    { to: '0.0.0.0/0', via: gateway, 'on-link': true },
  ]
  return {
    name: 'eth0',
    mac,
    addresses: [
      ...(ipv4 === null ? [] : [`${ipv4}/32`]),
      ...(ipv6 === null ? [] : [firstOf(ipv6)]),
      ...(options.instanceType === 'container' ? [linkLocalOf(mac)] : []),
    ],
    routes: [
      ...(ipv4 === null ? [] : routes4),
      ...(ipv6 === null ? [] : [{ to: '::/0', via: gateway6, 'on-link': true }]),
    ],
    nameServers: options.nameServers,
  }
}

/** An address of the link that the kernel does not choose by itself, and that nobody else has. */
const linkLocalOf = (mac: string) => `fe80::${mac.replaceAll(':', '').match(/.{4}/g)!.join(':')}/64`

/** The address that a server has of its /64 network. */
const firstOf = (network: string) => `${network.replace(/\/\d+$/, '')}1/64`

/** Several documents as one, none of which user data can replace by what it has of the same kind. */
const archiveOf = (documents: readonly string[]) =>
  `#cloud-config-archive\n${JSON.stringify(documents.map((content) => ({ content })))}`

/** A document of YAML whose top-level keys are lines of their own. */
function lines(document: Readonly<Record<string, unknown>>): string {
  return Object.entries(document)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('')
}
