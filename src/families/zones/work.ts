/** Zones are made, changed and deleted on request. */
import { noteTouched } from '../../kernel/audit/note.ts'
import type { Calls } from '../../kernel/contract/contract.ts'
import { ApiError, invalidInput, type Problem } from '../../kernel/errors.ts'
import { adding } from '../../kernel/resource/work.ts'
import type { Platform } from '../../platform.ts'
import { actOnZone, recordAction } from './actions.ts'
import {
  type CreateBody,
  noContent,
  readContent,
  replacedToWire,
  textLength,
  whenPossible,
  withDraft,
} from './content/work.ts'
import type { zoneEndpoints } from './contract.ts'
import { type PrimaryNameserver, parseNameserver, type Zone, zoneNameProblem } from './domain.ts'
import { setNameservers } from './primaries/store.ts'
import { refuseProtected } from './rrsets/store.ts'
import { defaultTtl, type ZoneSettings } from './settings.ts'
import { changeZone, deleteZone, insertZone, lockZone, requireMode, setZoneLabels, zones } from './store.ts'
import { shownZone } from './view.ts'

type Call = Calls<typeof zoneEndpoints>

/** Makes a zone with its content, or one that comes from other name servers. Errors: those that the contract declares. */
export async function create(platform: Platform, call: Call['create']) {
  const { db, secrets, settings } = platform
  const { scope, body } = call
  const { name, mode, labels = {} } = body
  const problem = zoneNameProblem(name)
  if (problem !== undefined) throw invalidInput([{ field: 'name', message: problem }])
  const primaryNameservers = mode === 'primary' ? [] : readNameservers(body.primary_nameservers, settings.zones)
  return whenPossible(scope, { zone: undefined, bytes: textLength(body) }, async () => {
    const { rrsets, ttl, replaced } = mode === 'primary' ? await readContent(body, settings.zones) : noContent
    const given = { name, mode, ttl: body.ttl ?? ttl ?? defaultTtl, labels, primaryNameservers }
    return withDraft({ db, scope }, rrsets, (content) =>
      adding(platform, zones, scope, async (tx) => {
        const zone = await insertZone(tx, secrets, scope, { ...given, content })
        const action = await recordAction(tx, scope, zone, 'create_zone')
        const shown = await shownZone(platform, tx.query, call, zone)
        return { added: zone, reply: { zone: shown, action, ...replacedToWire(replaced) } }
      }),
    )
  })
}

/** Gives a zone other labels. */
export const update = (platform: Platform, call: Call['update']) =>
  platform.db.transact(async (tx) => {
    const zone = await lockZone(tx, call.scope, call.params.id_or_name)
    const labels = call.body.labels ?? zone.labels
    await setZoneLabels(tx, call.scope, zone, labels)
    noteTouched(tx, zone.id)
    return { zone: await shownZone(platform, tx.query, call, { ...zone, labels }) }
  })

/** Deletes a zone. Errors: `protected`. */
export const remove = ({ db }: Platform, call: Call['remove']) =>
  actOnZone(db, call, 'delete_zone', async (tx, zone) => {
    if (zone.isProtected) throw new ApiError('protected', 'zone deletion is protected')
    await refuseProtected(tx.query, call.scope, zone)
    await deleteZone(tx, call.scope, zone)
  })

/** Answers of a secondary zone have the TTLs that its primaries gave them: theirs stays as it is. */
export const changeTtl = ({ db }: Platform, call: Call['changeTtl']) =>
  actOnZone(db, call, 'change_ttl', (tx, zone) =>
    changeZone(tx, call.scope, zone, { ...serialOf(zone), ttl: call.body.ttl }),
  )

/** Lets a secondary zone come from other name servers. Errors: `incorrect_zone_mode`, `invalid_input`. */
export const changePrimaryNameservers = ({ db, secrets, settings }: Platform, call: Call['changePrimaryNameservers']) =>
  actOnZone(db, call, 'change_primary_nameservers', async (tx, zone) => {
    requireMode(zone, 'secondary')
    const nameservers = readNameservers(call.body.primary_nameservers, settings.zones)
    await setNameservers(tx, secrets, call.scope, zone.id, nameservers)
  })

/** Protects a zone from deletion, or no longer. */
export const changeProtection = ({ db }: Platform, call: Call['changeProtection']) =>
  actOnZone(db, call, 'change_protection', (tx, zone) =>
    zones.set(tx, call.scope, zone.id, { protect_delete: (call.body.delete ?? zone.isProtected) ? 1 : 0 }),
  )

/** The serial of a secondary zone is that of its primaries. */
const serialOf = ({ mode, serial }: Zone) => (mode === 'secondary' ? { serial } : {})

function readNameservers(given: CreateBody['primary_nameservers'], settings: ZoneSettings): PrimaryNameserver[] {
  const field = 'primary_nameservers'
  if (!given) throw invalidInput([{ field, message: 'is required for a secondary zone' }])
  const problems: Problem[] = []
  const nameservers = given.flatMap((one, index) => {
    const parsed = parseNameserver(one, settings.privatePrimaries)
    if (!('message' in parsed)) return [parsed]
    problems.push({ field: `${field}[${index}].${parsed.field}`, message: parsed.message })
    return []
  })
  if (problems.length > 0) throw invalidInput(problems)
  return nameservers
}
