/**
 * The names that addresses have until they are given others. Each kind of address has a form, a name with a placeholder
 * for the address, such as `static.{ipv4-reversed}.clients.{domain}`. A form works in both directions.
 */

import { addressBytes, addressText } from './dns/addresses.ts'
import { isDnsName, isHostLabel, isLowerCase } from './hostnames.ts'

export type AddressType = 'ipv4' | 'ipv6'

/** A placeholder's way to spell an address: the parts of the address, their separator, and their order. */
interface Spelling {
  readonly type: AddressType
  readonly separator: '.' | '-'
  readonly isReversed: boolean
  readonly parts: number
  readonly pattern: string
}

const octets = { type: 'ipv4', parts: 4, pattern: '(\\d{1,3})' } as const
const spellings: Readonly<Record<string, Spelling>> = {
  'ipv4-reversed': { ...octets, separator: '.', isReversed: true },
  ipv4: { ...octets, separator: '.', isReversed: false },
  'ipv4-dashed': { ...octets, separator: '-', isReversed: false },
  'ipv6-reversed': { type: 'ipv6', separator: '.', isReversed: true, parts: 32, pattern: '([0-9a-f])' },
  'ipv6-dashed': { type: 'ipv6', separator: '-', isReversed: false, parts: 8, pattern: '([0-9a-f]{4})' },
}

/** The placeholders for a kind of address, for texts. */
export function placeholders(type: AddressType): string {
  const names = Object.keys(spellings).filter((name) => spellings[name]!.type === type)
  return names.map((name) => `{${name}}`).join(', ')
}

export const usualForm = 'static.{ipv4-reversed}.clients.{domain}'

const maxFormLength = 120

/** Finds the fault of a form; undefined when it is fine. */
export function formProblem(text: string, type: AddressType): string | undefined {
  const used = [...text.matchAll(/\{([^}]*)\}/g)].map((match) => match[1]!)
  const unknown = used.find((name) => name !== 'domain' && spellings[name]?.type !== type)
  if (unknown !== undefined) return `{${unknown}} is unknown: use one of ${placeholders(type)}, and {domain}`
  if (used.filter((name) => name !== 'domain').length !== 1) return `needs one of ${placeholders(type)}, once`
  // The names are served in a zone of their own, which must not hide the rest of the domain.
  if (!/\{ip[^}]*\}[^.]*\.([^.{}]+\.)+\{domain\}$/.test(text))
    return 'must end with a domain of its own below {domain}, such as .clients.{domain}'
  const longest = { ipv4: '255.255.255.255', ipv6: 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff' }[type]
  const name = spell(text, 'd', longest)
  const isName = text.length <= maxFormLength && isLowerCase(text) && name.split('.').every(isHostLabel)
  return isName ? undefined : 'must become a host name in lower case'
}

export interface NameForms {
  readonly domain: string
  /** A form with a placeholder for IPv4 addresses. */
  readonly ipv4?: string
  /** Addresses in IPv6 networks have no names without it. */
  readonly ipv6?: string | undefined
}

/** A form for one domain. */
interface Form {
  readonly text: string
  readonly type: AddressType
  readonly spelling: Spelling
  /** The domain that all of its names, and no others, are in. */
  readonly zone: string
  /** One for each label of a name before its zone. */
  readonly labels: readonly RegExp[]
}

export class DefaultNames {
  readonly #domain: string
  readonly #forms: readonly Form[]

  constructor({ domain, ipv4 = usualForm, ipv6 }: NameForms) {
    this.#domain = domain
    this.#forms = [ipv4, ipv6].flatMap((text) => (text === undefined ? [] : toForm(text, domain)))
  }

  /** The domains that the names are in. */
  get zones(): readonly string[] {
    return [...new Set(this.#forms.map(({ zone }) => zone))]
  }

  /** True when every name is short enough for DNS. */
  get fit(): boolean {
    const longest = this.#forms.map(({ text, type }) =>
      spell(text, this.#domain, type === 'ipv4' ? '255.255.255.255' : '::'),
    )
    return longest.every(isDnsName)
  }

  /** The name of an address; undefined when addresses of its kind have none. */
  nameOf(address: string): string | undefined {
    const type = address.includes(':') ? 'ipv6' : 'ipv4'
    const form = this.#forms.find((one) => one.type === type)
    return form && spell(form.text, this.#domain, address)
  }

  /**
   * The address of a name, given as its labels before a zone. Null for a name that exists because longer ones do, undefined
   * for one that does not exist.
   */
  addressOf(labels: readonly string[], zone: string): string | null | undefined {
    const found = this.#forms.filter((form) => form.zone === zone).map((form) => readName(form, labels))
    return found.find((address) => address != null) ?? (found.includes(null) ? null : undefined)
  }
}

function toForm(text: string, domain: string): Form {
  const [before = '', name = '', after = ''] = /^(.*)\{(ip[^}]*)\}(.*)$/.exec(text)!.slice(1)
  const spelling = spellings[name]!
  const zone = after.slice(after.indexOf('.') + 1).replaceAll('{domain}', domain)
  const label = [before, after.slice(0, after.indexOf('.'))].map((part) => part.replaceAll('{domain}', domain))
  const address = Array.from({ length: spelling.parts }, () => spelling.pattern).join(spelling.separator)
  const labels = `${label[0]}${address}${label[1]}`.split('.').map((part) => new RegExp(`^${part}$`))
  return { text, type: spelling.type, spelling, zone, labels }
}

function readName({ spelling, labels: forms }: Form, labels: readonly string[]): string | null | undefined {
  const above = forms.length - labels.length
  if (above < 0) return undefined
  const matches = labels.map((label, at) => forms[above + at]!.exec(label))
  const parts = matches.flatMap((match) => match?.slice(1) ?? [])
  if (matches.includes(null) || (spelling.type === 'ipv4' && !parts.every(isOctet))) return undefined
  return above > 0 ? null : readParts(spelling, parts)
}

function readParts({ type, isReversed }: Spelling, parts: readonly string[]): string {
  const all = isReversed ? parts.toReversed() : parts
  return addressText(type === 'ipv4' ? Buffer.from(all.map(Number)) : Buffer.from(all.join(''), 'hex'))
}

const isOctet = (part: string) => String(Number(part)) === part && Number(part) < 256

function spell(form: string, domain: string, address: string): string {
  return form.replace(/\{([^}]*)\}/g, (_, name: string) =>
    name === 'domain' ? domain : spellWith(spellings[name]!, address),
  )
}

function spellWith({ type, separator, isReversed, parts }: Spelling, address: string): string {
  const all = type === 'ipv4' ? address.split('.') : groupsOf(address, parts)
  return (isReversed ? all.toReversed() : all).join(separator)
}

/** An IPv6 address in groups of hexadecimal digits, of equal length, without abbreviations. */
function groupsOf(address: string, count: number): string[] {
  const digits = addressBytes(address).toString('hex')
  const length = digits.length / count
  return Array.from({ length: count }, (_, at) => digits.slice(at * length, (at + 1) * length))
}
