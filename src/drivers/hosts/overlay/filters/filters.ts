/** The packet filter of a server as rows that name its port, and so are in force before the port is there. */
import type { FilterDirection, FilterRule, FilterState } from '../../../../families/firewalls/driver.ts'
import { type Acl, all, atPort, oneOf, portsOf } from './matches.ts'

type Filter = Pick<FilterState, 'inbound' | 'outbound'>

/** The higher one decides. Incus has rules of its own, up to 500. */
const priority = { always: 3_000, rule: 2_000, otherwise: 1_000 }

/** Nothing passes until it is known what may. */
export const closedFilter: Filter = {
  inbound: { otherwise: 'drop', accept: [] },
  outbound: { otherwise: 'drop', accept: [] },
}

/** The traffic of a port in one direction. */
interface Traffic {
  readonly direction: Acl['direction']
  readonly port: string
  /** The end of a packet that the networks of rules are about. */
  readonly peer: 'src' | 'dst'
}

/** The rows of a filter. Answers to what they let through always pass. A filter that drops nothing needs none. */
export function filterAcls({ inbound, outbound }: Filter, port: string): Acl[] {
  const to: Traffic = { direction: 'to-lport', port: atPort('outport', port), peer: 'src' }
  const from: Traffic = { direction: 'from-lport', port: atPort('inport', port), peer: 'dst' }
  return [...directionAcls(inbound, to), ...directionAcls(outbound, from)]
}

function directionAcls({ otherwise, accept }: FilterDirection, traffic: Traffic): Acl[] {
  if (otherwise === 'accept') return []
  const { direction, port } = traffic
  const drop: Acl = { direction, priority: priority.otherwise, match: all(port, 'ip'), action: 'drop' }
  return [...essentials(traffic), ...accept.flatMap((rule) => ruleAcls(rule, traffic)), drop]
}

/** A server cannot do without finding its neighbours, and its IPv6 addresses by DHCP. */
function essentials({ direction, port }: Traffic): Acl[] {
  const matches = direction === 'to-lport' ? ['(nd || nd_ra)'] : ['(nd || nd_rs)', 'udp.src == 546 && udp.dst == 547']
  return matches.map((match) => ({ direction, priority: priority.always, match: all(port, match), action: 'allow' }))
}

/** One row for each family that a rule has networks of. */
function ruleAcls({ protocol, ports, networks }: FilterRule, { direction, port, peer }: Traffic): Acl[] {
  const families = [
    { version: 4, own: networks.filter((network) => !network.includes(':')) },
    { version: 6, own: networks.filter((network) => network.includes(':')) },
  ] as const
  return families
    .filter(({ own }) => own.length > 0)
    .map(({ version, own }): Acl => {
      const isPorted = protocol === 'tcp' || protocol === 'udp'
      const range = isPorted && ports ? portsOf(`${protocol}.dst`, ports) : null
      const address = oneOf(`ip${version}.${peer}`, own)
      const match = all(port, `ip${version}`, protocolOf(protocol, version), range, address)
      return { direction, priority: priority.rule, match, action: 'allow-related' }
    })
}

function protocolOf(protocol: FilterRule['protocol'], version: 4 | 6): string {
  if (protocol === 'icmp') return `icmp${version}`
  if (protocol === 'esp') return 'ip.proto == 50'
  if (protocol === 'gre') return 'ip.proto == 47'
  return protocol
}
