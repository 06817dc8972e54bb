/**
 * The rules of a firewall while they are edited: what is wrong with them in the words of the API, and how they differ
 * from the ones in force. Pure.
 */
import {
  type Direction,
  type GivenRule,
  maxNetworks,
  maxRules,
  type Protocol,
  parseRules,
} from '../../../src/families/firewalls/domain.ts'
import { parseAddress, parseCidr } from '../../../src/protocols/net/ip.ts'
import { internet, type Rule } from './rule.ts'

export interface Draft {
  readonly key: number
  /** Its place among the rules in force; undefined for a new one. */
  readonly origin: number | undefined
  /** Removed ones stay in view until the change is applied. */
  readonly isRemoved: boolean
  readonly direction: Direction
  readonly protocol: Protocol
  readonly port: string
  readonly networks: readonly string[]
  readonly description: string
}

export type Content = Pick<Draft, 'direction' | 'protocol' | 'port' | 'networks' | 'description'>

let lastKey = 0

export function newDraft(content: Partial<Content> & Pick<Content, 'direction'>, origin?: number): Draft {
  const usual = { protocol: 'tcp', port: '', networks: [], description: '' } as const
  return { ...usual, ...content, origin, isRemoved: false, key: ++lastKey }
}

export function contentOf({ direction, protocol, port, source_ips, destination_ips, description }: Rule): Content {
  const networks = direction === 'in' ? source_ips : destination_ips
  return { direction, protocol, port: port ?? '', networks, description: description ?? '' }
}

export function draftsOf(rules: readonly Rule[]): readonly Draft[] {
  return rules.map((rule, index) => newDraft(contentOf(rule), index))
}

export function hasPorts(protocol: Protocol): boolean {
  return protocol === 'tcp' || protocol === 'udp'
}

/** The drafts in the order of the request: inbound rules first, as the API keeps them. */
export function kept(drafts: readonly Draft[]): readonly Draft[] {
  const left = drafts.filter(({ isRemoved }) => !isRemoved)
  return [...left.filter(({ direction }) => direction === 'in'), ...left.filter(({ direction }) => direction === 'out')]
}

function toGiven({ direction, protocol, port, networks, description }: Content): GivenRule {
  return {
    direction,
    protocol,
    ...(port.trim() === '' ? {} : { port: port.trim() }),
    [direction === 'in' ? 'source_ips' : 'destination_ips']: [...networks],
    ...(description.trim() === '' ? {} : { description: description.trim() }),
  }
}

/** The body of `set_rules`. */
export function bodyOf(drafts: readonly Draft[]) {
  return kept(drafts).map((draft) => {
    const { source_ips, destination_ips, ...rest } = toGiven(draft)
    return {
      ...rest,
      ...(source_ips ? { source_ips: [...source_ips] } : {}),
      ...(destination_ips ? { destination_ips: [...destination_ips] } : {}),
    }
  })
}

/** The rules as they are in force once they are applied. */
export function rulesOf(drafts: readonly Draft[]): readonly Rule[] {
  return kept(drafts).map(({ direction, protocol, port, networks, description }) => ({
    direction,
    protocol,
    port: port.trim() === '' ? null : port.trim(),
    source_ips: direction === 'in' ? [...networks] : [],
    destination_ips: direction === 'in' ? [] : [...networks],
    description: description.trim() === '' ? null : description.trim(),
  }))
}

// ---- Problems --------------------------------------------------------------------------------------------------------

export interface RuleProblems {
  readonly port: readonly string[]
  readonly networks: readonly string[]
  /** The places of networks that are none. */
  readonly wrongNetworks: ReadonlySet<number>
}

interface Judgement {
  readonly byKey: ReadonlyMap<number, RuleProblems>
  /** About all rules together. */
  readonly general: readonly string[]
  readonly isFine: boolean
}

/** Judges rules by the parser of the API. */
export function judge(drafts: readonly Draft[]): Judgement {
  const rules = kept(drafts)
  const result = parseRules(rules.map(toGiven))
  const problems = result.ok ? [] : result.problems
  const byKey = new Map<number, RuleProblems>()
  for (const [index, draft] of rules.entries()) {
    const own = problems.filter(({ field }) => field.startsWith(`rules[${index}].`))
    const tooMany = draft.networks.length > maxNetworks ? [`must not have more than ${maxNetworks} items`] : []
    if (own.length === 0 && tooMany.length === 0) continue
    const networks = own.filter(({ field }) => /_ips/.test(field))
    byKey.set(draft.key, {
      port: own.filter(({ field }) => field.endsWith('.port')).map(({ message }) => message),
      networks: [...networks.map(({ message }) => message), ...tooMany],
      wrongNetworks: new Set(
        networks.map(({ field }) => Number(/_ips\[(\d+)\]$/.exec(field)?.[1] ?? -1)).filter((place) => place >= 0),
      ),
    })
  }
  const general = [
    ...problems.filter(({ field }) => field === 'rules').map(({ message }) => message),
    ...(rules.length > maxRules ? [`a firewall cannot have more than ${maxRules} rules`] : []),
  ]
  return { byKey, general, isFine: byKey.size === 0 && general.length === 0 }
}

/** Reads a network as people write it: an address alone stands for itself. What is none stays as it is. */
export function readNetwork(text: string): string {
  const asked = text.trim()
  const alone = parseAddress(asked)
  if (alone.ok) return `${alone.address}/${alone.family === 4 ? 32 : 128}`
  const network = parseCidr(asked)
  return network.ok ? network.cidr : asked
}

/** Everything in a text that may be a network; `internet` and `any` stand for both of all addresses. */
export function readNetworks(text: string): readonly string[] {
  const words = text.split(/[\s,;"'[\]]+/).filter((word) => word !== '')
  return words.flatMap((word) => (/^(internet|any|\*)$/i.test(word) ? internet : [readNetwork(word)]))
}

export function withNetworks(networks: readonly string[], more: readonly string[]): readonly string[] {
  return [...new Set([...networks, ...more])]
}

// ---- Changes ---------------------------------------------------------------------------------------------------------

export interface Change {
  readonly kind: 'add' | 'del' | 'mod'
  /** Absent for a change of the order alone. */
  readonly draft?: Draft
  readonly before?: Content
  /** The direction whose rules have another order. */
  readonly order?: Direction
}

export function changesOf(rules: readonly Rule[], drafts: readonly Draft[]): readonly Change[] {
  const contents = rules.map(contentOf)
  const changes = drafts.flatMap((draft): Change[] => {
    const before = draft.origin === undefined ? undefined : contents[draft.origin]
    if (!before) return draft.isRemoved ? [] : [{ kind: 'add', draft }]
    if (draft.isRemoved) return [{ kind: 'del', draft, before }]
    return isSame(draft, before) ? [] : [{ kind: 'mod', draft, before }]
  })
  const orders = (['in', 'out'] as const).filter((direction) => isReordered(drafts, direction))
  return [...changes, ...orders.map((order) => ({ kind: 'mod' as const, order }))]
}

export function isSame(a: Content, b: Content): boolean {
  const text = ({ direction, protocol, port, networks, description }: Content) =>
    JSON.stringify([direction, protocol, port.trim(), networks, description.trim()])
  return text(a) === text(b)
}

/** Tells whether rules let the same through, whatever their descriptions say. */
export function isAlike(a: Content, b: Content): boolean {
  const text = ({ direction, protocol, port, networks }: Content) =>
    JSON.stringify([direction, protocol, port.trim(), [...new Set(networks)].toSorted()])
  return text(a) === text(b)
}

/** The rule that opens what another one would open: the same port, to all of its networks. */
export function ruleFor({ direction, protocol, port, networks }: Content, drafts: readonly Draft[]): Draft | undefined {
  return kept(drafts).find(
    (one) =>
      one.direction === direction &&
      one.protocol === protocol &&
      one.port.trim() === port &&
      networks.every((network) => one.networks.includes(network)),
  )
}

/** Tells whether rules that are in force have changed places among each other. */
function isReordered(drafts: readonly Draft[], direction: Direction): boolean {
  const own = kept(drafts).filter((draft) => draft.direction === direction)
  const places = own.flatMap(({ origin }) => (origin === undefined ? [] : [origin]))
  return places.some((place, index) => index > 0 && place < places[index - 1]!)
}

/** Drafts on top of those that were applied, which may have been edited, removed and added to while they were sent. */
export function followed(drafts: readonly Draft[], applied: readonly Draft[]): readonly Draft[] {
  const inForce = kept(applied)
  const places = new Map(inForce.map(({ key }, place) => [key, place]))
  const moved = drafts.map((draft) => ({ ...draft, origin: places.get(draft.key) }))
  const keys = new Set(drafts.map(({ key }) => key))
  // A rule that was new when it was sent is no longer among the drafts once it is removed.
  const missing = inForce.flatMap((draft, place) =>
    keys.has(draft.key) ? [] : [{ ...draft, origin: place, isRemoved: true }],
  )
  return [...moved.filter(({ isRemoved, origin }) => !isRemoved || origin !== undefined), ...missing]
}

/** Puts the rules that came in from elsewhere below drafts, so that the drafts win. */
export function rebased(drafts: readonly Draft[], rules: readonly Rule[]): readonly Draft[] {
  const contents = rules.map(contentOf)
  const free = new Set(contents.keys())
  const take = (fits: (content: Content) => boolean): number | undefined => {
    const place = [...free].find((index) => fits(contents[index]!))
    if (place !== undefined) free.delete(place)
    return place
  }
  const isNear = (draft: Draft) => (content: Content) =>
    content.direction === draft.direction && content.protocol === draft.protocol && content.port === draft.port
  const exact = drafts.map((draft) => take((content) => isSame(draft, content)))
  const moved = drafts.map((draft, index) => ({ ...draft, origin: exact[index] ?? take(isNear(draft)) }))
  const missing = [...free].map((index) => ({ ...newDraft(contents[index]!, index), isRemoved: true }))
  return [...moved.filter(({ isRemoved, origin }) => !isRemoved || origin !== undefined), ...missing]
}
