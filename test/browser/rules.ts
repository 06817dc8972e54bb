/** Rules that the console shares with the server, as questions and answers that are JSON. Tests ask them in Node and in browsers. */
import { decide, effectiveRules } from '../../src/families/firewalls/decisions.ts'
import { type GivenRule, parsePorts, parseRules, toFilter } from '../../src/families/firewalls/domain.ts'
import { type AskedSubnet, type Route, withRoute, withSubnet } from '../../src/families/networks/domain.ts'
import { allows, backupWindowOf, isPassing, serverStatuses, type Verb } from '../../src/families/servers/domain.ts'
import { covers, roles } from '../../src/kernel/access/roles.ts'
import { parseLabels } from '../../src/kernel/contract/labels.ts'
import { canonical, matches, parseSelector } from '../../src/kernel/contract/selectors.ts'
import { parseAddress, parseCidr } from '../../src/protocols/net/ip.ts'

const verbs: readonly Verb[] = [
  'powerOn',
  'powerOff',
  'shutDown',
  'reboot',
  'reset',
  'changeType',
  'addToPlacementGroup',
]

interface Asked {
  readonly rules: readonly GivenRule[]
  readonly port: number
  readonly text: string
  readonly labels: Readonly<Record<string, string>>
  readonly subnet: AskedSubnet
  readonly route: Route
  readonly address: string
  readonly id: number
}

function firewall({ rules: given, port }: Asked) {
  const parsed = parseRules(given)
  if (!parsed.ok) return parsed
  const firewalls = [{ id: 1, name: 'web', rules: parsed.rules }]
  const server = { server: 1, isOn: true, addresses: ['192.0.2.1', '2001:db8::/64'], firewalls }
  const outside = { server: null, address: '198.51.100.7' }
  const packet = { protocol: 'tcp', port } as const
  return {
    filter: toFilter(firewalls),
    effective: effectiveRules(firewalls, 'in'),
    decided: [decide(outside, server, packet), decide(server, outside, packet)],
  }
}

function selector({ text, labels }: Asked) {
  const parsed = parseSelector(text)
  return parsed.ok ? [canonical(parsed.selector), matches(parsed.selector, labels)] : parsed
}

function network({ subnet, route }: Asked) {
  const empty = { ipRange: '10.0.0.0/16', subnets: [], routes: [] }
  const rules = { zones: new Set(['eu-central']), allowsServerType: true, vswitchIsSmaller: true }
  try {
    return withRoute(withSubnet(withSubnet(empty, subnet, rules), subnet, rules), route)
  } catch (error) {
    return String(error)
  }
}

/** What does not depend on the question is answered with each of them. */
const tables = {
  states: serverStatuses.map((status) => [status, isPassing(status), verbs.map((verb) => allows(status, verb))]),
  roles: roles.map((has) => roles.map((needs) => covers(has, needs))),
}

/** The answers of all rules to one question, as JSON. */
export function answer(question: string): string {
  const asked = JSON.parse(question) as Asked
  const answers = {
    firewall: firewall(asked),
    ports: parsePorts(asked.text),
    selector: selector(asked),
    labels: parseLabels(asked.labels, { vendor: 'wolke' }),
    network: network(asked),
    address: [parseAddress(asked.address), parseCidr(asked.address), parseCidr(asked.address, 'drop')],
    window: backupWindowOf(asked.id),
    tables,
  }
  return JSON.stringify(answers, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
