/**
 * The private interfaces in the network configuration that a guest finds when it starts. The public part follows the state
 * of the server, the private part that of its interfaces: each is kept when the other one changes. Pure.
 */
import type { Config } from './names.ts'

const whole = 'cloud-init.network-config'
/** The private part, as JSON: definitions by the name of the interface. */
const part = 'user.wolke.private'

/** What a guest has to know of one of its private interfaces. */
export interface PrivateEthernet {
  /** In the guest. */
  readonly name: string
  readonly mac: string
  readonly ip: string
  readonly gateway: string
  /** The range of the network, all of which is behind the gateway. */
  readonly ipRange: string
}

/** The keys of the configuration of an instance with exactly these private interfaces. */
export function withPrivateEthernets(current: Config, ethernets: readonly PrivateEthernet[]): Config {
  const definitions = Object.fromEntries(ethernets.map((one) => [one.name, definitionOf(one)]))
  const next = { [part]: ethernets.length === 0 ? '' : JSON.stringify(definitions) }
  return { ...next, ...composed(current[whole], next[part]!) }
}

/** Configuration that is about to replace the current one, with the private interfaces that this one has. */
export function keepingPrivateEthernets(next: Config, current: Config): Config {
  return { ...next, ...composed(next[whole], current[part] ?? '') }
}

/** The address stands alone, as it does on the public interface: everything else of the network is behind its gateway. */
function definitionOf({ name, mac, ip, gateway, ipRange }: PrivateEthernet) {
  return {
    match: { macaddress: mac },
    'set-name': name,
    dhcp4: false,
    dhcp6: false,
    'accept-ra': false,
    addresses: [`${ip}/32`],
    routes: [
      { to: `${gateway}/32`, scope: 'link' },
      { to: ipRange, via: gateway, 'on-link': true },
    ],
  }
}

const ethernetsLine = /^ethernets: (.*)$/m

/** The line of the interfaces, with other private ones beside the public one. */
function composed(text: string | undefined, definitions: string): Config {
  const line = ethernetsLine.exec(text ?? '')?.[1]
  if (text === undefined || line === undefined) return {}
  const { eth0 } = JSON.parse(line) as Record<string, unknown>
  const all = { eth0, ...(definitions === '' ? {} : (JSON.parse(definitions) as Record<string, unknown>)) }
  return { [whole]: text.replace(ethernetsLine, () => `ethernets: ${JSON.stringify(all)}`) }
}
