/** A zone file without a SOA record is a snippet: RRSets that are merged into a zone, where all others stay. Pure. */
import { isForeign, nameserverProblem, type ZoneProblem } from '../content/apex.ts'
import { apex, coexistenceProblem, type RrsetContent } from '../rrsets/domain.ts'
import type { ParsedZonefile } from './domain.ts'

/** Most RRSets of a snippet: the transaction that writes them keeps all others waiting. */
export const mostSnippetRrsets = 400

export function isSnippet({ rrsets }: ParsedZonefile): boolean {
  return !rrsets.some(({ type }) => type === 'SOA')
}

/** The name servers of the installation, absolute. */
interface Served {
  readonly nameservers: readonly string[]
}

/** What a snippet brings into a zone. */
export interface Snippet {
  readonly rrsets: readonly RrsetContent[]
  /** NS records of other name servers, in whose place those of the zone stay. */
  readonly replaced: readonly RrsetContent[]
}

/** What a snippet brings into a zone that has this TTL, and keeps it: the `$TTL` of the file holds for its RRSets alone. */
export function snippetOf(
  { rrsets, ttl, nameservers }: ParsedZonefile,
  zone: { readonly ttl: number },
  settings: Served,
): Snippet {
  const own = ttl === undefined || ttl === zone.ttl ? null : ttl
  const isReplaced = ({ name, type }: RrsetContent) =>
    name === apex && type === 'NS' && isForeign(nameservers, settings)
  return {
    rrsets: rrsets.filter((rrset) => !isReplaced(rrset)).map((rrset) => ({ ...rrset, ttl: rrset.ttl ?? own })),
    replaced: rrsets.filter(isReplaced),
  }
}

/** What is wrong with a snippet, whatever zone it is meant for. */
export function snippetProblem(parsed: ParsedZonefile, settings: Served): ZoneProblem | undefined {
  const { rrsets, nameservers } = parsed
  if (rrsets.length === 0) return { kind: 'soa', message: 'the file has no records' }
  if (rrsets.length > mostSnippetRrsets) {
    return { kind: 'soa', message: `a file without a SOA record cannot have more than ${mostSnippetRrsets} RRSets` }
  }
  return nameservers.size === 0 || isForeign(nameservers, settings)
    ? undefined
    : nameserverProblem(nameservers, settings)
}

/** What is wrong with the RRSets of a snippet beside those that a zone has at their names. */
export function mergeProblem(
  present: readonly Pick<RrsetContent, 'name' | 'type'>[],
  rrsets: readonly RrsetContent[],
): { readonly name: string; readonly message: string } | undefined {
  const names = new Set(rrsets.map(({ name }) => name))
  const types = Map.groupBy([...present, ...rrsets], ({ name }) => name)
  for (const name of names) {
    const problem = coexistenceProblem(types.get(name)!.map(({ type }) => type))
    if (problem !== undefined) return { name, message: `${name}: ${problem}` }
  }
  return undefined
}
