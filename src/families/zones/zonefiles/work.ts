/** Zones are written as files, and read from them, on request. */
import type { Calls } from '../../../kernel/contract/contract.ts'
import type { Database } from '../../../kernel/data/db.ts'
import { notFound } from '../../../kernel/errors.ts'
import { sortSteps } from '../../../kernel/process/sorting.ts'
import { inTurns, nextTurn } from '../../../kernel/process/turns.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { actOnZone } from '../actions.ts'
import { adoptZone, zoneProblem } from '../content/apex.ts'
import { publish } from '../content/store.ts'
import { parseZonefile, replacedToWire, whenPossible, withDraft } from '../content/work.ts'
import type { Zone } from '../domain.ts'
import { growthProblem, sizeWith } from '../limits.ts'
import { refusedField } from '../refusals.ts'
import { type Rrset, rrsetKey } from '../rrsets/domain.ts'
import { changeProtected, insertRrsets, refuseProtected, rrsetsAt, rrsetsOf, setRrset } from '../rrsets/store.ts'
import { changeZone, findZone, getZone, lockZone, requireMode } from '../store.ts'
import type { zonefileEndpoints } from './contract.ts'
import { type ParsedZonefile, rrsetLines, zonefileHead, zonefileOrder } from './domain.ts'
import { isSnippet, mergeProblem, snippetOf, snippetProblem } from './snippet.ts'

type Call = Calls<typeof zonefileEndpoints>

/** Replaces all that is in a zone, or some of it by a snippet. Errors: those that the contract declares. */
export async function importZonefile(platform: Platform, call: Call['importZonefile']) {
  const { scope, params, body } = call
  const before = requireMode(await getZone(platform.db.query, scope, params.id_or_name), 'primary')
  return whenPossible(scope, { zone: before, bytes: body.zonefile.length }, async () => {
    const parsed = await parseZonefile(body.zonefile, before.name)
    const bring = isSnippet(parsed) ? merge : replace
    const { action, replaced } = await bring(platform, call, before, parsed)
    return { action, ...replacedToWire(replaced) }
  })
}

/** Makes a file all that is in a zone. */
async function replace(
  { db, settings }: Platform,
  call: Call['importZonefile'],
  before: Zone,
  { ttl, ...parsed }: ParsedZonefile,
) {
  const { scope } = call
  const { replaced, ...content } = adoptZone(parsed, settings.zones)
  refuse(zoneProblem(content, settings.zones)?.message)
  await refuseProtected(db.query, scope, before)
  const { action } = await withDraft({ db, scope, zone: before }, content.rrsets, (draft) =>
    actOnZone(db, call, 'import_zonefile', async (tx, zone) => {
      refuseAnother(call, before, zone)
      await refuseProtected(tx.query, scope, zone)
      const contentId = await publish(tx, scope, zone, draft)
      await changeZone(tx, scope, zone, { contentId, size: draft.size, ttl: ttl ?? zone.ttl })
    }),
  )
  return { action, replaced }
}

/** Gives a zone the RRSets of a snippet, with the labels of those whose place they take. */
async function merge({ db, settings }: Platform, call: Call['importZonefile'], before: Zone, parsed: ParsedZonefile) {
  const { scope } = call
  refuse(snippetProblem(parsed, settings.zones)?.message)
  return actOnZone(db, call, 'import_zonefile', async (tx, zone) => {
    refuseAnother(call, before, zone)
    const { rrsets, replaced } = snippetOf(parsed, zone, settings.zones)
    const there = await rrsetsAt(tx.query, scope, zone, [...new Set(rrsets.map(({ name }) => name))])
    refuse(mergeProblem(there, rrsets)?.message)
    const keys = new Set(rrsets.map(rrsetKey))
    const known = new Map(there.filter((rrset) => keys.has(rrsetKey(rrset))).map((rrset) => [rrsetKey(rrset), rrset]))
    if ([...known.values()].some(({ isProtected }) => isProtected)) throw changeProtected()
    const size = sizeWith(zone, [...known.values()], rrsets)
    refuse(growthProblem(zone, size, settings.zones.limits))
    for (const rrset of rrsets) {
      const { records, ttl } = rrset
      const one = known.get(rrsetKey(rrset))
      if (one) await setRrset(tx, scope, one, { records, ttl })
    }
    const added = rrsets.filter((rrset) => !known.has(rrsetKey(rrset)))
    await insertRrsets(tx, scope, zone.contentId, added)
    await changeZone(tx, scope, zone, { keys: [...keys], size })
    return { replaced }
  })
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw refusedField('zonefile', problem)
}

/** The name may be another zone's by now. Errors: `not_found`. */
function refuseAnother({ params }: Call['importZonefile'], before: Zone, zone: Zone): void {
  if (zone.id !== before.id) throw notFound('zone', params.id_or_name)
}

/** Writes a primary zone as a file. Errors: `not_found`, `incorrect_zone_mode`. */
export async function exportZonefile({ db }: Platform, { scope, params }: Call['exportZonefile']) {
  const { zone, rrsets } = await readZone(db, scope, params.id_or_name)
  return { zonefile: await inTurns(printZonefile(zone, rrsets)) }
}

/** A zone is read in steps so often, in the hope that nobody changes it meanwhile. */
const readTries = 3

/** A primary zone with all its RRSets as they were at one moment. Errors: `not_found`, `incorrect_zone_mode`. */
async function readZone(db: Database, scope: ProjectScope, key: string): Promise<{ zone: Zone; rrsets: Rrset[] }> {
  for (let tries = 0; tries < readTries; tries++) {
    const zone = requireMode(await getZone(db.query, scope, key), 'primary')
    const rrsets: Rrset[] = []
    for await (const some of rrsetsOf(db.query, scope, zone)) {
      rrsets.push(...some)
      await nextTurn()
    }
    const now = await findZone(db.query, scope, key)
    if (now?.id === zone.id && now.version === zone.version) return { zone, rrsets }
  }
  // It changes all the time: now everybody else waits for a moment.
  return db.transact(async (tx) => {
    const zone = requireMode(await lockZone(tx, scope, key), 'primary')
    const rrsets: Rrset[] = []
    for await (const some of rrsetsOf(tx.query, scope, zone)) rrsets.push(...some)
    return { zone, rrsets }
  })
}

/** The zone as a file, in steps. */
function* printZonefile({ name, ttl, serial }: Zone, rrsets: readonly Rrset[]): Generator<void, string> {
  const inOrder = yield* sortSteps(rrsets, zonefileOrder)
  const parts = [zonefileHead(name, ttl)]
  for (const [index, rrset] of inOrder.entries()) {
    const gap = inOrder[index - 1]?.name === rrset.name ? '' : '\n'
    parts.push(gap + rrsetLines(rrset, serial))
    yield
  }
  return parts.join('')
}
