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
import { refusedField } from '../refusals.ts'
import type { Rrset } from '../rrsets/domain.ts'
import { refuseProtected, rrsetsOf } from '../rrsets/store.ts'
import { changeZone, findZone, getZone, lockZone, requireMode } from '../store.ts'
import type { zonefileEndpoints } from './contract.ts'
import { rrsetLines, zonefileHead, zonefileOrder } from './domain.ts'

type Call = Calls<typeof zonefileEndpoints>

/** Replaces all that is in a zone. Errors: those that the contract declares. */
export async function importZonefile({ db, settings }: Platform, call: Call['importZonefile']) {
  const { scope, params, body } = call
  const before = requireMode(await getZone(db.query, scope, params.id_or_name), 'primary')
  return whenPossible(scope, { zone: before, bytes: body.zonefile.length }, async () => {
    const { ttl, ...parsed } = await parseZonefile(body.zonefile, before.name)
    const { replaced, ...content } = adoptZone(parsed, settings.zones)
    const problem = zoneProblem(content, settings.zones)
    if (problem !== undefined) throw refusedField('zonefile', problem.message)
    await refuseProtected(db.query, scope, before)
    const { action } = await withDraft({ db, scope, zone: before }, content.rrsets, (draft) =>
      actOnZone(db, call, 'import_zonefile', async (tx, zone) => {
        if (zone.id !== before.id) throw notFound('zone', params.id_or_name)
        await refuseProtected(tx.query, scope, zone)
        const contentId = await publish(tx, scope, zone, draft)
        await changeZone(tx, scope, zone, { contentId, size: draft.size, ttl: ttl ?? zone.ttl })
      }),
    )
    return { action, ...replacedToWire(replaced) }
  })
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
