/** Firewall rules: their form, their validation, and the packet filter that they add up to on one server. Pure. */

import type { Labels } from '../../kernel/contract/labels.ts'
import type { Problem } from '../../kernel/errors.ts'
import { parseCidr } from '../../protocols/net/ip.ts'

export const protocols = ['tcp', 'udp', 'icmp', 'esp', 'gre'] as const
export type Protocol = (typeof protocols)[number]
export type Direction = 'in' | 'out'

export interface Rule {
  readonly direction: Direction
  readonly protocol: Protocol
  /** As it was given: `80`, `1024-5000` or `any`; null for protocols without ports. */
  readonly port: string | null
  readonly sourceIps: readonly string[]
  readonly destinationIps: readonly string[]
  readonly description: string | null
}

export interface Firewall {
  readonly id: number
  readonly name: string
  readonly labels: Labels
  readonly rules: readonly Rule[]
  readonly created: string
  readonly version: number
}

/** A rule of a request whose shape was checked. */
export interface GivenRule {
  readonly direction: Direction
  readonly protocol: Protocol
  readonly port?: string | null
  readonly source_ips?: readonly string[] | null
  readonly destination_ips?: readonly string[] | null
  readonly description?: string | null
}

export const maxRules = 50
export const maxNetworks = 100
/** Each network of each rule counts as one effective rule. */
export const maxEffectiveRules = 500
export const maxFirewallsOfServer = 5

export type RulesResult = { ok: true; rules: readonly Rule[] } | { ok: false; problems: Problem[] }

/**
 * Parses rules (spec: Firewall). Networks come out in canonical form, inbound rules before outbound ones.
 */
export function parseRules(given: readonly GivenRule[], hostBitsSet: 'refuse' | 'drop' = 'refuse'): RulesResult {
  const problems: Problem[] = []
  const rules = given.map((rule, index) => parseRule(rule, `rules[${index}]`, problems, hostBitsSet))
  const effective = rules.reduce((sum, rule) => sum + rule.sourceIps.length + rule.destinationIps.length, 0)
  if (effective > maxEffectiveRules) {
    const message = `a firewall cannot have more than ${maxEffectiveRules} effective rules`
    problems.push({ field: 'rules', message, isLimit: true })
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, rules: inOrder(rules) }
}

/** Inbound rules before outbound ones, each in their order: the order in which the API shows them. */
export function inOrder(rules: readonly Rule[]): readonly Rule[] {
  if (rules.every(({ direction }, at) => at === 0 || direction === 'out' || rules[at - 1]!.direction === 'in'))
    return rules
  return [
    ...rules.filter(({ direction }) => direction === 'in'),
    ...rules.filter(({ direction }) => direction === 'out'),
  ]
}

function parseRule(rule: GivenRule, path: string, problems: Problem[], hostBitsSet: 'refuse' | 'drop'): Rule {
  const { direction, protocol, description = null } = rule
  // Clients that know no other way send an empty port for protocols without ports.
  const port = rule.port === '' && !hasPorts(protocol) ? null : (rule.port ?? null)
  const refuse = (field: string, message: string) => problems.push({ field: `${path}.${field}`, message })
  const portProblem = problemOfPort(protocol, port)
  if (portProblem) refuse('port', portProblem)
  const [used, unused] = direction === 'in' ? sides : [sides[1], sides[0]]
  if (rule[unused]?.length) refuse(unused, `must be empty for direction ${direction}`)
  const networks = rule[used] ?? []
  if (networks.length === 0) refuse(used, `is required for direction ${direction}`)
  const parsed = networks.map((text, index) => {
    const result = parseCidr(text, hostBitsSet)
    if (!result.ok) refuse(`${used}[${index}]`, result.message)
    return result.ok ? result.cidr : text
  })
  const [sourceIps, destinationIps] = direction === 'in' ? [parsed, []] : [[], parsed]
  return { direction, protocol, port, sourceIps, destinationIps, description }
}

const sides = ['source_ips', 'destination_ips'] as const

function hasPorts(protocol: Protocol): boolean {
  return protocol === 'tcp' || protocol === 'udp'
}

function problemOfPort(protocol: Protocol, port: string | null): string | undefined {
  if (!hasPorts(protocol)) return port === null ? undefined : `must not be given for protocol ${protocol}`
  if (port === null) return `is required for protocol ${protocol}`
  if (port === 'any' || parsePorts(port)) return undefined
  return "must be a port from 1 to 65535, a range such as '1024-5000' or 'any'"
}

/** Parses a port or a range; undefined when the text is neither. */
export function parsePorts(text: string): { first: number; last: number } | undefined {
  const match = /^([1-9]\d{0,4})(?:-([1-9]\d{0,4}))?$/.exec(text)
  if (!match) return undefined
  const first = Number(match[1])
  const last = Number(match[2] ?? match[1])
  return first <= last && last <= 65_535 ? { first, last } : undefined
}

/** Whether two lists of rules are the same, in the same order. */
export function sameRules(a: readonly Rule[], b: readonly Rule[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

interface FilterPart {
  readonly protocol: Protocol
  readonly ports: { first: number; last: number } | null
  readonly networks: readonly string[]
}

export interface Filter {
  readonly inbound: { readonly otherwise: 'accept' | 'drop'; readonly accept: readonly FilterPart[] }
  readonly outbound: { readonly otherwise: 'accept' | 'drop'; readonly accept: readonly FilterPart[] }
}

/**
 * The packet filter that some firewalls add up to (spec: Firewall): inbound packets are dropped unless a rule
 * accepts them; outbound packets are accepted as long as there is no outbound rule. Without a firewall all may pass.
 */
export function toFilter(firewalls: readonly Pick<Firewall, 'rules'>[]): Filter {
  const rules = firewalls.flatMap((firewall) => firewall.rules)
  const parts = (direction: Direction) => rules.filter((rule) => rule.direction === direction).map(toPart)
  const outbound = parts('out')
  return {
    inbound: { otherwise: firewalls.length === 0 ? 'accept' : 'drop', accept: parts('in') },
    outbound: { otherwise: outbound.length === 0 ? 'accept' : 'drop', accept: outbound },
  }
}

function toPart({ protocol, port, sourceIps, destinationIps }: Rule): FilterPart {
  const ports = port === null ? null : (parsePorts(port) ?? null)
  return { protocol, ports, networks: [...sourceIps, ...destinationIps] }
}
