/** What importing a zone file would change, told before it happens, by what the import itself goes by. Pure. */
import { Malformed, type MalformedKind } from '../../../protocols/net/dns/tokens.ts'
import { adoptZone, type ZoneProblem, zoneProblem } from '../content/apex.ts'
import { defaultZoneLimits, sizeOf, type ZoneLimits, zoneLimitProblem } from '../limits.ts'
import { apex, type RrsetContent, rrsetKey, valueKey } from '../rrsets/domain.ts'
import { settled, Values } from '../rrsets/values.ts'
import { type ParsedZonefile, readZonefile, zonefileOrder } from './domain.ts'
import { isSnippet, mergeProblem, snippetOf, snippetProblem } from './snippet.ts'

/** A primary zone as the API shows it. */
export interface PresentZone {
  readonly name: string
  readonly ttl: number
  /** The assigned name servers, absolute. */
  readonly nameservers: readonly string[]
  readonly rrsets: readonly RrsetContent[]
}

/** An RRSet of which something changes. */
export interface ChangedRrset {
  readonly before: RrsetContent
  readonly after: RrsetContent
  /** Values that only one of them has. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Whether the TTL that counts is another one. */
  readonly hasOtherTtl: boolean
  readonly hasOtherComments: boolean
}

export interface Preview {
  readonly ok: true
  readonly added: readonly RrsetContent[]
  readonly changed: readonly ChangedRrset[]
  readonly removed: readonly RrsetContent[]
  readonly unchanged: number
  /** SOA and NS records of the file whose place those of the name servers here take. */
  readonly replaced: readonly RrsetContent[]
  /** Whether what the file does not name stays. */
  readonly isMerge: boolean
  /** The default TTL of the zone, before and after, in seconds. */
  readonly ttl: { readonly before: number; readonly after: number }
}

export type RefusedKind = MalformedKind | ZoneProblem['kind']

/** `line` is undefined for what concerns the file as a whole; the message is that of the server. */
export interface Refused {
  readonly ok: false
  readonly line: number | undefined
  readonly message: string
  readonly kind: RefusedKind
  /** The part that it is about, as it is spelled. */
  readonly what?: string
  /** What is wrong with it, where its kind does not say all. */
  readonly why?: string
}

/** Compares a zone with what an import of a file makes of it. `limits` are those of the installation. */
export function previewImport(
  zone: PresentZone,
  text: string,
  limits: ZoneLimits = defaultZoneLimits,
): Preview | Refused {
  const read = readAll(text, zone.name)
  if (!read.ok) return read
  const present = zone.rrsets.map(({ name, type, ttl, records }) => ({
    name,
    type,
    ttl,
    records: records.map(({ value, comment }) => ({ value: settled(type, value), comment })),
  }))
  const settings = { nameservers: zone.nameservers, hostmaster: hostmasterOf(present), limits }
  const before = { ...zone, rrsets: present }
  if (isSnippet(read)) return previewMerge(before, read, settings)
  const { replaced, ...content } = adoptZone(read, settings)
  const problem = zoneProblem(content, settings)
  if (problem !== undefined) return { ok: false, line: undefined, ...problem }
  return { ok: true, isMerge: false, replaced, ...difference(before, content.rrsets, read.ttl ?? zone.ttl) }
}

function previewMerge(
  zone: PresentZone,
  read: ParsedZonefile,
  settings: { readonly nameservers: readonly string[]; readonly limits: ZoneLimits },
): Preview | Refused {
  const { rrsets, replaced } = snippetOf(read, zone, settings)
  const keys = new Set(rrsets.map(rrsetKey))
  const after = [...zone.rrsets.filter((rrset) => !keys.has(rrsetKey(rrset))), ...rrsets]
  const refused = (kind: RefusedKind, message: string, what?: string): Refused => ({
    ...{ ok: false, line: undefined, kind, message },
    ...(what === undefined ? {} : { what }),
  })
  const problem = snippetProblem(read, settings)
  if (problem !== undefined) return refused(problem.kind, problem.message)
  const together = mergeProblem(zone.rrsets, rrsets)
  if (together !== undefined) return refused('together', together.message, together.name)
  const tooLarge = zoneLimitProblem(sizeOf(after), settings.limits)
  if (tooLarge !== undefined) return refused('size', tooLarge)
  return { ok: true, isMerge: true, replaced, ...difference(zone, after, zone.ttl) }
}

type Read = { readonly ok: true } & ParsedZonefile

function readAll(text: string, zoneName: string): Read | Refused {
  try {
    const steps = readZonefile(text, zoneName)
    for (;;) {
      const { done, value } = steps.next()
      if (done) return { ok: true, ...value }
    }
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    return { ok: false, line: error.line === 0 ? undefined : error.line, message: error.message, ...error.reason }
  }
}

/** The mailbox in the SOA record that the zone has. */
function hostmasterOf(rrsets: readonly RrsetContent[]): string {
  const soa = rrsets.find(({ name, type }) => name === apex && type === 'SOA')
  return soa?.records[0]?.value.split(' ')[1] ?? '.'
}

function difference(zone: PresentZone, after: readonly RrsetContent[], ttl: number) {
  const present = new Map(zone.rrsets.map((rrset) => [rrsetKey(rrset), rrset]))
  const added: RrsetContent[] = []
  const changed: ChangedRrset[] = []
  let unchanged = 0
  for (const rrset of after) {
    const before = present.get(rrsetKey(rrset))
    present.delete(rrsetKey(rrset))
    if (!before) {
      added.push(rrset)
      continue
    }
    const change = changeOf(zone, before, rrset, ttl)
    if (change) changed.push(change)
    else unchanged++
  }
  return {
    added: added.sort(zonefileOrder),
    changed: changed.sort((a, b) => zonefileOrder(a.after, b.after)),
    removed: [...present.values()].sort(zonefileOrder),
    unchanged,
    ttl: { before: zone.ttl, after: ttl },
  }
}

function changeOf(zone: PresentZone, before: RrsetContent, after: RrsetContent, ttl: number): ChangedRrset | undefined {
  const values = new Values(zone.name, after.type)
  const comments = ({ records }: RrsetContent) =>
    new Map(records.map(({ value, comment }) => [valueKey(values, value), { value, comment }]))
  const [old, own] = [comments(before), comments(after)]
  const onlyIn = (one: typeof old, other: typeof old) =>
    [...one].flatMap(([key, { value }]) => (other.has(key) ? [] : [value]))
  const [added, removed] = [onlyIn(own, old), onlyIn(old, own)]
  const hasOtherTtl = (before.ttl ?? zone.ttl) !== (after.ttl ?? ttl)
  const hasOtherComments = [...own].some(([key, { comment }]) => old.has(key) && old.get(key)!.comment !== comment)
  const isSame = added.length === 0 && removed.length === 0 && !hasOtherTtl && !hasOtherComments
  return isSame ? undefined : { before, after, added, removed, hasOtherTtl, hasOtherComments }
}
