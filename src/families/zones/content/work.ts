/** The content of a zone is read from a request, and written in pieces, few at once. */
import type { Static } from 'typebox'
import type { Calls } from '../../../kernel/contract/contract.ts'
import type { Labels } from '../../../kernel/contract/labels.ts'
import type { Database } from '../../../kernel/data/db.ts'
import { invalidInput, type Problem } from '../../../kernel/errors.ts'
import { onBehalfOf } from '../../../kernel/process/behalf.ts'
import { FairQueue } from '../../../kernel/process/fair-queue.ts'
import { inTurns } from '../../../kernel/process/turns.ts'
import type { ProjectId, ProjectScope } from '../../../kernel/scope.ts'
import { Malformed } from '../../../protocols/net/dns/tokens.ts'
import type { zoneEndpoints } from '../contract.ts'
import type { Zone } from '../domain.ts'
import { sizeOf, type ZoneLimits } from '../limits.ts'
import { refused, refusedField } from '../refusals.ts'
import type { NewRrset as AskedRrset } from '../rrsets/contract.ts'
import {
  coexistenceProblem,
  parseRecords,
  type RrsetContent,
  recordNameProblem,
  rrsetProblem,
} from '../rrsets/domain.ts'
import { insertRrsets, type NewRrset } from '../rrsets/store.ts'
import { Values } from '../rrsets/values.ts'
import type { ZoneSettings } from '../settings.ts'
import { type ParsedZonefile, readZonefile } from '../zonefiles/domain.ts'
import { adoptZone, type Nameservers, nameserversIn, withApex, type ZoneContent, zoneProblem } from './apex.ts'
import { abandon, begin, type Draft, deleteSuperseded, prolong, stepRrsets } from './store.ts'

// ---- Reading -------------------------------------------------------------------------------------------------------

export type CreateBody = Calls<typeof zoneEndpoints>['create']['body']

type LabelledRrset = RrsetContent & { readonly labels?: Labels }

/** The approximate length of the records in a request for a new zone, in bytes. */
export function textLength({ zonefile, rrsets }: CreateBody): number {
  const recordBytes = 64
  return (zonefile ?? '').length + (rrsets ?? []).reduce((sum, { records }) => sum + records.length * recordBytes, 0)
}

/** A new zone begins with this content. */
export interface Content {
  readonly rrsets: readonly LabelledRrset[]
  /** The default TTL that a zone file gives. */
  readonly ttl: number | undefined
  /** RRSets of a zone file that gave way to those of the name servers here. */
  readonly replaced: readonly RrsetContent[]
}

export const noContent: Content = { rrsets: [], ttl: undefined, replaced: [] }

/** The RRSets of a new primary zone: those given, and SOA and NS records when they are not among them. */
export async function readContent({ name, rrsets, zonefile }: CreateBody, settings: ZoneSettings): Promise<Content> {
  if ((rrsets ?? null) !== null && (zonefile ?? null) !== null) {
    const message = 'only one of rrsets and zonefile can be given'
    throw invalidInput([
      { field: 'rrsets', message },
      { field: 'zonefile', message },
    ])
  }
  const field = zonefile ? 'zonefile' : 'rrsets'
  const parsed = zonefile
    ? await parseZonefile(zonefile, name)
    : { ttl: undefined, ...(await inTurns(readRrsets(name, rrsets ?? []))) }
  const { replaced, ...own } = zonefile ? adoptZone(parsed, settings) : { ...parsed, replaced: [] }
  const all = withApex(own, settings)
  const problem = zoneProblem(all, settings)
  if (problem !== undefined) throw refusedField(field, problem.message)
  return { rrsets: all.rrsets, ttl: parsed.ttl, replaced }
}

/** The part of a reply that lists records of a zone file that were replaced; empty when there are none. */
export function replacedToWire(rrsets: readonly RrsetContent[]) {
  if (rrsets.length === 0) return {}
  return {
    replaced: rrsets.map(({ name, type, records }) => ({ name, type, values: records.map(({ value }) => value) })),
  }
}

function* readRrsets(
  zoneName: string,
  given: readonly Static<typeof AskedRrset>[],
): Generator<void, ZoneContent<LabelledRrset>> {
  const problems: Problem[] = []
  const typesByName = new Map<string, string[]>()
  const rrsets: LabelledRrset[] = []
  let nameservers: Nameservers = new Set()
  for (const [index, one] of given.entries()) {
    const { name, type, ttl = null, labels = {} } = one
    const at = `rrsets[${index}]`
    const values = new Values(zoneName, type)
    yield* values.readAll(one.records)
    const parsed = parseRecords(values, one.records, `${at}.`)
    if (!parsed.ok) problems.push(...parsed.problems)
    const rrset = { name, type, ttl, labels, records: parsed.ok ? parsed.records : [] }
    const types = typesByName.get(name) ?? []
    const nameProblem = recordNameProblem(name, zoneName)
    const problem = types.includes(type)
      ? 'is there twice'
      : type === 'SOA'
        ? 'the SOA record comes by itself'
        : parsed.ok
          ? rrsetProblem(values, rrset)
          : undefined
    if (nameProblem !== undefined) problems.push({ field: `${at}.name`, message: nameProblem })
    if (problem !== undefined) problems.push({ field: at, message: problem })
    typesByName.set(name, [...types, type])
    rrsets.push(rrset)
    nameservers = nameserversIn(values, rrset) ?? nameservers
  }
  for (const [name, types] of typesByName) {
    const problem = coexistenceProblem(types)
    if (problem !== undefined) problems.push({ field: 'rrsets', message: `${name}: ${problem}` })
  }
  if (problems.length > 0) throw refused(problems.slice(0, 20))
  return { rrsets, nameservers }
}

/** Reads a zone file, with turns for others in between. Errors: `invalid_input`. */
export async function parseZonefile(text: string, zoneName: string): Promise<ParsedZonefile> {
  try {
    return await inTurns(readZonefile(text, zoneName))
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    const message = error.line === 0 ? error.message : `line ${error.line} ${error.message}`
    throw refusedField('zonefile', message)
  }
}

// ---- One at a time -------------------------------------------------------------------------------------------------

/** Each zone is written once at a time, so that no draft is in vain, and each Project writes few at once, to save memory. */
const zonesAtWork = new FairQueue<number>({ atOnce: Number.POSITIVE_INFINITY, perKey: 1 })
const projectsAtWork = new FairQueue<ProjectId>({ atOnce: 8, perKey: 2 })
/** Texts of up to this many bytes do not wait for their turn. */
const smallBytes = 32 * 1024

/** Does `work` once it is its turn, when it reads a large text or writes many RRSets; at once otherwise. */
export function whenPossible<T>(
  scope: ProjectScope,
  { zone, bytes }: { readonly zone: Pick<Zone, 'id'> | undefined; readonly bytes: number },
  work: () => Promise<T>,
): Promise<T> {
  if (bytes <= smallBytes) return work()
  const inProject = () => projectsAtWork.run(scope.projectId, () => onBehalfOf(scope.projectId, work))
  return zone ? zonesAtWork.run(zone.id, inProject) : inProject()
}

// ---- Writing -------------------------------------------------------------------------------------------------------

/** Most bytes of RRSets that one transaction writes. */
const stepBytes = 128 * 1024

/**
 * Writes what a zone is to contain, and has `use` publish it in a transaction that also changes the zone. `zone` is
 * undefined for one that is still to be made. Nothing is left when `use` fails.
 */
export async function withDraft<T>(
  { db, scope, zone }: { readonly db: Database; readonly scope: ProjectScope; readonly zone?: Pick<Zone, 'id'> },
  rrsets: readonly NewRrset[],
  use: (draft: Draft) => Promise<T>,
): Promise<T> {
  if (zone) await deleteSuperseded(db, scope, zone)
  const { pieces, size } = await inTurns(inPieces(rrsets))
  const rest = pieces.pop() ?? []
  let contentId: number | undefined
  try {
    for (const piece of pieces) {
      contentId = await db.transact(
        async (tx) => {
          const id = contentId === undefined ? await begin(tx, scope, zone) : await prolong(tx, scope, contentId)
          await insertRrsets(tx, scope, id, piece)
          return id
        },
        // The commit that publishes it waits for the disk, and for all of it.
        { isDurable: false },
      )
    }
    return await use({ contentId, rest, size })
  } catch (error) {
    // Should that fail too, it is deleted once it has expired.
    if (contentId !== undefined) await abandon(db, scope, contentId).catch(() => undefined)
    throw error
  }
}

function* inPieces(rrsets: readonly NewRrset[]): Generator<void, { pieces: NewRrset[][]; size: ZoneLimits }> {
  const pieces: NewRrset[][] = []
  let piece: NewRrset[] = []
  let [records, textBytes, bytes] = [0, 0, 0]
  for (const rrset of rrsets) {
    const size = sizeOf([rrset])
    records += size.records
    textBytes += size.textBytes
    bytes += size.textBytes
    if (piece.length === 0 || piece.length === stepRrsets || bytes > stepBytes) {
      piece = []
      pieces.push(piece)
      bytes = size.textBytes
    }
    piece.push(rrset)
    yield
  }
  return { pieces, size: { records, textBytes } }
}
