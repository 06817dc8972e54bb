/**
 * Reads rules out of what somebody pastes: networks, JSON of the API, of hcloud or of Terraform, and blocks of
 * Terraform. Nothing is guessed: a rule that is not understood is told, with the reason. Pure.
 */
import { type Direction, type Protocol, protocols } from '../../../src/families/firewalls/domain.ts'
import { type Content, readNetwork, readNetworks } from './draft.ts'
import { readHcl } from './hcl.ts'

/** A rule that was not understood. */
export interface Misread {
  /** Among the rules of the text, from 1. */
  readonly place: number
  readonly what: 'direction' | 'protocol' | 'side'
  /** The text in the place of something known; empty when there is none. */
  readonly says: string
}

type Pasted =
  | { readonly kind: 'rules'; readonly rules: readonly Content[]; readonly misread: readonly Misread[] }
  | { readonly kind: 'networks'; readonly networks: readonly string[] }
  | { readonly kind: 'nothing' }

type Fields = Readonly<Record<string, unknown>>

const nothing: Pasted = { kind: 'nothing' }
/** Deeper than firewalls are in any of these texts. */
const maxDepth = 30

export function readPasted(text: string): Pasted {
  const asked = text.trim()
  if (asked === '') return nothing
  const json = readJson(asked)
  const found = rulesIn(json === undefined ? readHcl(asked) : json)
  if (found.length > 0) return understood(found)
  const isOther = typeof json === 'object' ? !isList(json) : /^(?:\{|\[\s*\{)/.test(asked)
  return isOther ? nothing : fromNetworks(asked)
}

function fromNetworks(text: string): Pasted {
  const networks = readNetworks(text.replace(/\/\*[\s\S]*?\*\/|(?:#|\/\/).*$/gm, ' '))
  return networks.some((network) => network.includes('/')) ? { kind: 'networks', networks } : nothing
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isList = (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'string')

/** All rules, wherever they are: in a firewall, in a list of firewalls, in the state of Terraform. */
function rulesIn(value: unknown, isRule = false, depth = 0): readonly Fields[] {
  if (depth > maxDepth) return []
  if (Array.isArray(value)) return value.flatMap((one) => rulesIn(one, isRule, depth + 1))
  if (!isRecord(value)) return []
  if (isRule || ['direction', 'source_ips', 'destination_ips'].some((name) => name in value)) return [value]
  return Object.entries(value).flatMap(([name, one]) => rulesIn(one, /^rules?$/.test(name), depth + 1))
}

function understood(found: readonly Fields[]): Pasted {
  const read = found.map(toContent)
  return {
    kind: 'rules',
    rules: read.flatMap((one) => ('what' in one ? [] : [one])),
    misread: read.flatMap((one, index) => ('what' in one ? [{ ...one, place: index + 1 }] : [])),
  }
}

function toContent(rule: Fields): Content | Omit<Misread, 'place'> {
  const direction = (['in', 'out'] as const).find((known): known is Direction => known === rule.direction)
  if (!direction) return { what: 'direction', says: textOf(rule.direction) }
  const protocol = protocols.find((known): known is Protocol => known === rule.protocol)
  if (!protocol) return { what: 'protocol', says: textOf(rule.protocol) }
  const sides = [rule.source_ips, rule.destination_ips].map(networksOf)
  const [networks, others] = direction === 'in' ? sides : sides.toReversed()
  if (others!.length > 0) return { what: 'side', says: others!.join(', ') }
  return { direction, protocol, port: textOf(rule.port), networks: networks!, description: textOf(rule.description) }
}

/** Keeps what is no network as it is, for the editor to say so. */
function networksOf(value: unknown): readonly string[] {
  if (value === null || value === undefined) return []
  return (Array.isArray(value) ? value : [value]).map((one) => readNetwork(textOf(one)))
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
