/** Rules of managed certificates: their domains, what CAA records allow, when they are renewed. Pure. */
import { invalidInput } from '../../../kernel/errors.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { isHostName, isLowerCase } from '../../../protocols/net/hostnames.ts'
import type { CaaProperty, CaaRecords } from '../../zones/reads.ts'

/** Certificate authorities put at most so many names into one certificate. */
const maxDomains = 100

/** A domain without the `*.` of a wildcard; its challenge and its CAA records belong to this name. */
export function bareDomain(domain: string): string {
  return domain.replace(/^\*\./, '')
}

/** The domains of a request, in lower case and each once. Errors: `invalid_input` that names each wrong domain. */
export function parseDomains(given: readonly string[] | undefined): string[] {
  const field = 'domain_names'
  if (given === undefined || given.length === 0) throw invalidInput([{ field, message: 'is required' }])
  if (given.length > maxDomains) {
    const message = `a certificate cannot have more than ${maxDomains} domain names`
    throw invalidInput([{ field, message, isLimit: true }])
  }
  // Of ASCII alone: some other letters become ASCII in lower case, and are no part of a domain.
  const domains = given.map((domain) => domain.replace(/[A-Z]/g, (letter) => letter.toLowerCase()))
  const problems = domains.flatMap((domain, index) => {
    const message = domainProblem(domain, domains)
    return message === undefined ? [] : [{ field: `${field}[${index}]`, message }]
  })
  if (problems.length > 0) throw invalidInput(problems)
  return [...new Set(domains)]
}

function domainProblem(domain: string, all: readonly string[]): string | undefined {
  const isWildcard = domain.startsWith('*.')
  const labels = bareDomain(domain).split('.')
  const isName = isHostName(labels.join('.')) && isLowerCase(domain) && domain.length <= 253
  if (!isName || labels.length < 2 || /^\d+$/.test(labels.at(-1)!)) {
    return 'must be a domain name without a trailing dot, or one after *.; write an IDN in punycode'
  }
  const wildcard = `*.${labels.slice(1).join('.')}`
  return !isWildcard && all.includes(wildcard) ? `is covered by ${wildcard} already` : undefined
}

// ---- CAA (RFC 8659) ------------------------------------------------------------------------------------------------

const knownTags = ['issue', 'issuewild', 'issuemail', 'issuevmc', 'iodef', 'contactemail', 'contactphone']

/**
 * Whether the CAA records of a zone let a certificate authority issue for a domain. `identities` are the names by which
 * records mean the authority. When it has told none, only records that forbid every authority forbid it.
 */
export function caaAllows(records: CaaRecords, domain: string, identities: readonly string[]): boolean {
  const relevant = relevantProperties(records, bareDomain(domain))
  if (relevant.some(({ isCritical, tag }) => isCritical && !knownTags.includes(tag))) return false
  const wild = domain.startsWith('*.') ? relevant.filter(({ tag }) => tag === 'issuewild') : []
  const deciding = wild.length > 0 ? wild : relevant.filter(({ tag }) => tag === 'issue')
  return deciding.length === 0 || deciding.some((property) => means(property, identities))
}

/** The properties at the domain itself, or else at the nearest domain above it that has any. */
function relevantProperties(records: CaaRecords, domain: string): readonly CaaProperty[] {
  for (let name = domain; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
    const found = records.get(name)
    if (found) return found
  }
  return []
}

function means({ value }: CaaProperty, identities: readonly string[]): boolean {
  const issuer = value.split(';')[0]!.trim().toLowerCase()
  return issuer !== '' && (identities.length === 0 || identities.includes(issuer))
}

// ---- Renewal -------------------------------------------------------------------------------------------------------

/** A managed certificate whose renewal is to be looked at. */
export interface DueRenewal {
  readonly id: number
  readonly scope: ProjectScope
}

/** A managed certificate about whose renewal the authority is to be asked. */
export interface DueHint extends DueRenewal {
  readonly chain: string
}

const hourMs = 3_600_000

/** The pause after a failed renewal, in milliseconds: an hour, doubled with each failure up to a day. */
export function renewalPause(failures: number): number {
  return Math.min(24, 2 ** Math.max(0, failures - 1)) * hourMs
}
