/** The records that every zone has at its apex, and zone files that bring those of other name servers. Pure. */
import { nameOf, parseName } from '../../../net/dns/names.ts'
import { sizeOf, soaTimes, type ZoneLimits, zoneLimitProblem } from '../limits.ts'
import { apex, type RrsetContent, rrsetKey } from '../rrsets/domain.ts'

/** What the apex of a zone needs to be served here. */
interface ApexSettings {
  /** Absolute, the first of them as the primary. */
  readonly nameservers: readonly string[]
  readonly hostmaster: string
}

/** The SOA and NS records of a new zone. */
function apexOf({ nameservers, hostmaster }: ApexSettings): readonly RrsetContent[] {
  const soa = `${nameservers[0]} ${hostmaster} 0 ${soaTimes.join(' ')}`
  return [
    { name: apex, type: 'SOA', ttl: null, records: [{ value: soa, comment: '' }] },
    { name: apex, type: 'NS', ttl: null, records: nameservers.map((value) => ({ value, comment: '' })) },
  ]
}

/** The RRSets given, and the SOA and NS records of a new zone where they are not among them. */
export function withApex<T extends RrsetContent>(
  given: readonly T[],
  settings: ApexSettings,
): readonly (T | RrsetContent)[] {
  const known = new Set(given.map(rrsetKey))
  return [...apexOf(settings).filter((rrset) => !known.has(rrsetKey(rrset))), ...given]
}

/** What a zone file becomes here, and which of its RRSets were replaced for that. */
interface Adoption {
  readonly rrsets: readonly RrsetContent[]
  readonly replaced: readonly RrsetContent[]
}

/**
 * Makes the file of a zone that other name servers serve one of a zone that is served here: its SOA and NS records are
 * replaced. A file that names one of our name servers, or none at all, is left as it is.
 */
export function adoptZone(zoneName: string, given: readonly RrsetContent[], settings: ApexSettings): Adoption {
  const values = given.find((rrset) => rrset.name === apex && rrset.type === 'NS')?.records ?? []
  const names = values.map(({ value }) => value)
  const isForeign = lacking(zoneName, names, settings.nameservers).length === settings.nameservers.length
  if (names.length === 0 || !isForeign) return { rrsets: given, replaced: [] }
  const isReplaced = ({ name, type }: RrsetContent) => name === apex && (type === 'SOA' || type === 'NS')
  const kept = given.filter((rrset) => !isReplaced(rrset))
  return { rrsets: withApex(kept, settings), replaced: given.filter(isReplaced) }
}

/** What is wrong with a zone as a whole, for callers and for those who word it themselves. */
export interface ZoneProblem {
  readonly kind: 'size' | 'soa' | 'nameservers'
  readonly message: string
}

/** A zone is not too large, and has its SOA record and all the name servers that it is served by. */
export function zoneProblem(
  name: string,
  rrsets: readonly RrsetContent[],
  settings: Pick<ApexSettings, 'nameservers'> & { readonly limits: ZoneLimits },
): ZoneProblem | undefined {
  const at = (type: string) => rrsets.find((rrset) => rrset.name === apex && rrset.type === type)
  const tooLarge = zoneLimitProblem(sizeOf(rrsets), settings.limits)
  if (tooLarge !== undefined) return { kind: 'size', message: `the zone ${tooLarge}` }
  if (!at('SOA')) return { kind: 'soa', message: 'the SOA record of the zone is missing' }
  const values = at('NS')?.records.map(({ value }) => value) ?? []
  const lacks = nameserversProblem(name, values, settings.nameservers)
  return lacks === undefined ? undefined : { kind: 'nameservers', message: lacks }
}

/** What is wrong with the apex of a zone whose NS records are these; undefined when all assigned names are there. */
export function nameserversProblem(
  zoneName: string,
  values: readonly string[],
  assigned: readonly string[],
): string | undefined {
  const missing = lacking(zoneName, values, assigned)
  return missing.length > 0 ? `the NS records of the zone lack ${missing.join(', ')}` : undefined
}

/** The names of `wanted` that are not among the values of some NS records. */
function lacking(zoneName: string, values: readonly string[], wanted: readonly string[]): string[] {
  const origin = nameOf(zoneName)
  const wire = (text: string) => {
    const result = parseName(text, origin)
    return result.ok ? result.wire.toLowerCase() : undefined
  }
  const known = new Set(values.map(wire))
  return wanted.filter((name) => !known.has(wire(name)))
}
