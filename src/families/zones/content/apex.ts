/** The records that every zone has at its apex, and zone files that bring those of other name servers. Pure. */
import { nameOf } from '../../../protocols/net/dns/names.ts'
import { sizeOf, soaTimes, type ZoneLimits, zoneLimitProblem } from '../limits.ts'
import { apex, type RrsetContent, valueKey } from '../rrsets/domain.ts'
import type { Values } from '../rrsets/values.ts'

/** What the apex of a zone needs to be served here. */
interface ApexSettings {
  /** Absolute, the first of them as the primary. */
  readonly nameservers: readonly string[]
  readonly hostmaster: string
}

/** What the NS records of a zone itself name, as the keys of values. */
export type Nameservers = ReadonlySet<string>

/** The name servers that an RRSet names if it is that of the zone itself; undefined for any other one. */
export function nameserversIn(values: Values, { name, type, records }: RrsetContent): Nameservers | undefined {
  if (name !== apex || type !== 'NS') return undefined
  return new Set(records.map(({ value }) => valueKey(values, value)))
}

/** Those of some absolute names that are not among the name servers. */
const lacking = (nameservers: Nameservers, wanted: readonly string[]) =>
  wanted.filter((name) => !nameservers.has(nameOf(name)))

/** Tells whether a zone names name servers of which none is ours. */
export function isForeign(nameservers: Nameservers, { nameservers: ours }: Pick<ApexSettings, 'nameservers'>): boolean {
  return nameservers.size > 0 && lacking(nameservers, ours).length === ours.length
}

/** The SOA and NS records of a new zone. */
function apexOf({ nameservers, hostmaster }: ApexSettings): readonly RrsetContent[] {
  const soa = `${nameservers[0]} ${hostmaster} 0 ${soaTimes.join(' ')}`
  return [
    { name: apex, type: 'SOA', ttl: null, records: [{ value: soa, comment: '' }] },
    { name: apex, type: 'NS', ttl: null, records: nameservers.map((value) => ({ value, comment: '' })) },
  ]
}

/** What a zone has, or is to have. */
export interface ZoneContent<T extends RrsetContent = RrsetContent> {
  readonly rrsets: readonly T[]
  readonly nameservers: Nameservers
}

/** What is given, and the SOA and NS records of a new zone where they are not in it. */
export function withApex<T extends RrsetContent>(
  { rrsets, nameservers }: ZoneContent<T>,
  settings: ApexSettings,
): ZoneContent<T | RrsetContent> {
  const isGiven = (type: string) => rrsets.some((rrset) => rrset.name === apex && rrset.type === type)
  return {
    rrsets: [...apexOf(settings).filter(({ type }) => !isGiven(type)), ...rrsets],
    nameservers: isGiven('NS') ? nameservers : new Set(settings.nameservers.map(nameOf)),
  }
}

/** What a zone file becomes here, and which of its RRSets were replaced for that. */
interface Adoption extends ZoneContent {
  readonly replaced: readonly RrsetContent[]
}

/**
 * Makes the file of a zone that other name servers serve one of a zone that is served here: its SOA and NS records are
 * replaced. A file that names one of our name servers, or none at all, is left as it is.
 */
export function adoptZone({ rrsets, nameservers }: ZoneContent, settings: ApexSettings): Adoption {
  if (!isForeign(nameservers, settings)) return { rrsets, nameservers, replaced: [] }
  const isReplaced = ({ name, type }: RrsetContent) => name === apex && (type === 'SOA' || type === 'NS')
  const kept = { rrsets: rrsets.filter((rrset) => !isReplaced(rrset)), nameservers: new Set<string>() }
  return { ...withApex(kept, settings), replaced: rrsets.filter(isReplaced) }
}

/** What is wrong with a zone as a whole, or with a file of one, for callers and for those who word it themselves. */
export interface ZoneProblem {
  readonly kind: 'size' | 'soa' | 'nameservers'
  readonly message: string
}

/** A zone is not too large, and names all the name servers that it is served by. */
export function zoneProblem(
  { rrsets, nameservers }: ZoneContent,
  settings: Pick<ApexSettings, 'nameservers'> & { readonly limits: ZoneLimits },
): ZoneProblem | undefined {
  const tooLarge = zoneLimitProblem(sizeOf(rrsets), settings.limits)
  return tooLarge === undefined ? nameserverProblem(nameservers, settings) : { kind: 'size', message: tooLarge }
}

/** A zone names all the name servers that it is served by. */
export function nameserverProblem(
  nameservers: Nameservers,
  settings: Pick<ApexSettings, 'nameservers'>,
): ZoneProblem | undefined {
  const missing = lacking(nameservers, settings.nameservers)
  if (missing.length === 0) return undefined
  return { kind: 'nameservers', message: `the NS records of the zone lack ${missing.join(', ')}` }
}
