/** The documents that a server can read about itself, byte for byte (spec: Server metadata service). */

import type { OwnInterface } from '../families/networks/reads.ts'
import { metadataBase } from '../kernel/contract/bases.ts'

export interface ServerFacts {
  readonly id: number
  readonly hostname: string
  readonly publicIpv4: string | null
  readonly availabilityZone: string
  readonly region: string
  readonly userData: string | null
  readonly interfaces: readonly OwnInterface[]
}

const leaves: Readonly<Record<string, (facts: ServerFacts) => string>> = {
  hostname: (facts) => facts.hostname,
  'instance-id': (facts) => String(facts.id),
  'public-ipv4': (facts) => facts.publicIpv4 ?? '',
  'availability-zone': (facts) => facts.availabilityZone,
  region: (facts) => facts.region,
}

const list = `${metadataBase}/metadata`

/** The document at a path below the service's root; undefined when it does not exist. */
export function documentAt(path: string, facts: ServerFacts): string | undefined {
  if (path === `${metadataBase}/userdata`) return facts.userData ?? ''
  if (path === list || path === `${list}/`) return summary(facts)
  if (!path.startsWith(`${list}/`)) return undefined
  const key = path.slice(list.length + 1)
  if (key === 'private-networks') return privateNetworks(facts)
  return Object.hasOwn(leaves, key) ? leaves[key]!(facts) : undefined
}

/**
 * YAML in block style. Clients look for `network_id: ID` with the end of a line behind it, so that no other key is on its
 * line and it is not the last one.
 */
function privateNetworks({ interfaces }: ServerFacts): string {
  if (interfaces.length === 0) return '[]'
  return interfaces
    .map(({ ip, aliasIps, mac, network, subnet, gateway }, index) =>
      [
        `- ip: ${ip}`,
        `  alias_ips: [${aliasIps.join(', ')}]`,
        `  interface_num: ${index + 1}`,
        `  mac_address: ${mac}`,
        `  network_id: ${network.id}`,
        `  network_name: ${scalar(network.name)}`,
        `  network: ${network.ipRange}`,
        `  subnet: ${subnet}`,
        `  gateway: ${gateway}\n`,
      ].join('\n'),
    )
    .join('')
}

/** Text that YAML could take for something else is quoted; a JSON string is one of YAML too. */
const scalar = (text: string) =>
  /^[A-Za-z][\w.-]*$/.test(text) && !/^(true|false|yes|no|on|off|null|y|n)$/i.test(text) ? text : JSON.stringify(text)

/** The name of a server may be a number in the eyes of YAML; what else there is may not. */
function summary(facts: ServerFacts): string {
  return Object.entries(leaves)
    .map(([key, value]) => `${key}: ${key === 'hostname' ? scalar(value(facts)) : value(facts)}\n`)
    .join('')
}

const ec2Leaves: Readonly<Record<string, (facts: ServerFacts) => string>> = {
  hostname: (facts) => facts.hostname,
  'local-hostname': (facts) => facts.hostname,
  'instance-id': (facts) => String(facts.id),
  'public-ipv4': (facts) => facts.publicIpv4 ?? '',
  'placement/availability-zone': (facts) => facts.availabilityZone,
}

/** The document at an EC2-compatible path, which were removed in Aug 2026; undefined when it does not exist. */
export function ec2DocumentAt(path: string, facts: ServerFacts): string | undefined {
  const match = /^\/(?:2009-04-04|latest)\/(meta-data|user-data)(?:\/(.*))?$/.exec(path)
  if (!match) return undefined
  const [, kind, key = ''] = match
  if (kind === 'user-data') return key === '' ? (facts.userData ?? '') : undefined
  if (key === '') return Object.keys(ec2Leaves).join('\n')
  return Object.hasOwn(ec2Leaves, key) ? ec2Leaves[key]!(facts) : undefined
}
