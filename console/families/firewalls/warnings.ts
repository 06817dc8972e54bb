/** Finds what is worth a second look before rules are applied. Pure. */
import { type Direction, parsePorts } from '../../../src/families/firewalls/domain.ts'
import { type Change, type Content, type Draft, hasPorts, isAlike, kept } from './draft.ts'
import { type Exposure, exposureOf } from './exposure.ts'

export type Warning = Opens | { readonly kind: 'closesSsh' } | { readonly kind: 'limitsOut' } | Twice

interface Opens {
  readonly kind: 'opens'
  /** The part of the Internet that gets in: all of it, or a large one. */
  readonly exposure: Exposure
  readonly draft: Draft
  readonly before: Content | undefined
}

/** A rule does what another one does; both by their places from 1. */
interface Twice {
  readonly kind: 'twice'
  readonly direction: Direction
  readonly place: number
  readonly first: number
}

/** Ports that are meant for everybody. */
const publicPorts = new Set(['80', '443'])
const exposures: readonly Exposure[] = ['none', 'narrow', 'wide', 'all']

type Ports = NonNullable<ReturnType<typeof parsePorts>>

/** Undefined for what is no port yet; protocols without ports count as one. */
function portsOf({ protocol, port }: Content): Ports | undefined {
  if (!hasPorts(protocol)) return { first: 0, last: 0 }
  return port === 'any' ? { first: 1, last: 65_535 } : parsePorts(port.trim())
}

/** Returns how open a port is by all inbound rules together. */
function exposureAt(rules: readonly Content[], protocol: Content['protocol'], port: number): Exposure {
  const opening = rules.filter((rule) => {
    const ports = rule.direction === 'in' && rule.protocol === protocol ? portsOf(rule) : undefined
    return ports !== undefined && ports.first <= port && port <= ports.last
  })
  return exposureOf(opening.flatMap(({ networks }) => networks))
}

/** Returns how open the most open port of a rule becomes, of those that become more open than they were. */
function openedBy(rule: Content, before: readonly Content[], after: readonly Content[]): Exposure {
  const own = portsOf(rule)
  if (!own || rule.direction === 'out' || exposureOf(rule.networks) === 'none') return 'none'
  // Between the ends of rules nothing changes.
  const ends = [...before, ...after].flatMap((one) => {
    const ports = portsOf(one)
    return ports ? [ports.first, ports.last + 1] : []
  })
  const places = [...new Set([own.first, ...ends])].filter((port) => own.first <= port && port <= own.last)
  const ranks = places.map((port) => {
    const [old, next] = [before, after].map((rules) => exposures.indexOf(exposureAt(rules, rule.protocol, port)))
    return next! > old! ? next! : 0
  })
  return exposures[Math.max(...ranks)]!
}

function opensOf(before: readonly Content[], drafts: readonly Draft[], changes: readonly Change[]): readonly Opens[] {
  const found = changes.flatMap(({ kind, draft, before: old }): Opens[] => {
    const isMeant = draft?.protocol === 'icmp' || (draft?.protocol === 'tcp' && publicPorts.has(draft.port))
    if (!draft || kind === 'del' || isMeant || (old && isAlike(old, draft))) return []
    const exposure = openedBy(draft, before, kept(drafts))
    return exposure === 'all' || exposure === 'wide' ? [{ kind: 'opens', exposure, draft, before: old }] : []
  })
  // The first of new rules that open a port together stands for all of them.
  const name = ({ exposure, draft: { protocol, port } }: Opens) => `${exposure} ${protocol} ${port}`
  return found.filter((one, index) => one.before || found.findIndex((other) => name(other) === name(one)) === index)
}

/** Rules that were added or changed until they are like another one. */
function twiceOf(drafts: readonly Draft[], changes: readonly Change[]): readonly Twice[] {
  const changed = new Set(changes.flatMap(({ kind, draft }) => (draft && kind !== 'del' ? [draft.key] : [])))
  return (['in', 'out'] as const).flatMap((direction) => {
    const rules = kept(drafts).filter((one) => one.direction === direction)
    return rules.flatMap((rule, index): Twice[] => {
      const first = rules.findIndex((one) => isAlike(one, rule))
      const isTold =
        first < index && rule.networks.length > 0 && [rule, rules[first]!].some(({ key }) => changed.has(key))
      return isTold ? [{ kind: 'twice', direction, place: index + 1, first: first + 1 }] : []
    })
  })
}

function letsSshIn({ direction, protocol, port, networks }: Content): boolean {
  if (direction !== 'in' || protocol !== 'tcp' || networks.length === 0) return false
  const ports = parsePorts(port)
  return port === 'any' || (ports !== undefined && ports.first <= 22 && ports.last >= 22)
}

export function warningsOf(
  before: readonly Content[],
  drafts: readonly Draft[],
  changes: readonly Change[],
): readonly Warning[] {
  const left = kept(drafts)
  const closes = before.some(letsSshIn) && !left.some(letsSshIn)
  const isOut = ({ direction }: Content) => direction === 'out'
  const limits = !before.some(isOut) && left.some(isOut)
  return [
    ...opensOf(before, drafts, changes),
    ...(closes ? [{ kind: 'closesSsh' as const }] : []),
    ...(limits ? [{ kind: 'limitsOut' as const }] : []),
    ...twiceOf(drafts, changes),
  ]
}
