/**
 * The network configuration that a guest finds when it starts, in version 2 of cloud-init's form, as JSON. The public
 * interface follows the state of the server, the private ones follow the set of its interfaces: each part is kept when the
 * other one changes. Pure.
 */
import type { Config, Instance } from '../../../protocols/incus/edit.ts'

/** The key of an instance's configuration that has it. */
const key = 'cloud-init.network-config'

/** A guest has to know this of an interface. */
export interface Ethernet {
  /** In the guest. */
  readonly name: string
  readonly mac: string
  readonly addresses: readonly string[]
  readonly routes: readonly Readonly<Record<string, unknown>>[]
  /** Addresses of name servers. */
  readonly nameServers?: readonly string[]
}

type Ethernets = Readonly<Record<string, unknown>>

/** The configuration with this public interface, whose name is `eth0`. */
export function withPublicEthernet(current: Config, type: Instance['type'], ethernet: Ethernet): Config {
  const { eth0: _, ...others } = ethernetsIn(current)
  return configOf({ eth0: definitionOf(type, ethernet), ...others })
}

/** The configuration with exactly these private interfaces. */
export function withPrivateEthernets(current: Config, type: Instance['type'], ethernets: readonly Ethernet[]): Config {
  const { eth0 } = ethernetsIn(current)
  const others = Object.fromEntries(ethernets.map((one) => [one.name, definitionOf(type, one)]))
  return configOf({ ...(eth0 === undefined ? {} : { eth0 }), ...others })
}

function ethernetsIn(current: Config): Ethernets {
  const text = current[key]
  return text ? ((JSON.parse(text) as { ethernets?: Ethernets }).ethernets ?? {}) : {}
}

const configOf = (ethernets: Ethernets): Config => ({ [key]: JSON.stringify({ version: 2, ethernets }) })

/**
 * A container has its interfaces under their names. The kernel of a virtual machine names them itself, so that it knows them
 * by their hardware addresses; those of containers are not permanent ones, which some systems ask for. A container has no
 * address of the link but what is told here: its interface is up before it begins to boot, so that the kernel already asks
 * for one of its own, and the boot would wait for that.
 */
function definitionOf(type: Instance['type'], { name, mac, addresses, routes, nameServers }: Ethernet) {
  return {
    ...(type === 'container' ? { 'link-local': [] } : { match: { macaddress: mac }, 'set-name': name }),
    dhcp4: false,
    dhcp6: false,
    'accept-ra': false,
    addresses,
    routes,
    ...(nameServers && nameServers.length > 0 ? { nameservers: { addresses: nameServers } } : {}),
  }
}
