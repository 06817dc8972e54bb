/** Zones through the API. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import type { Queries } from '../../kernel/data/db.ts'
import { ApiError, invalidInput, type Problem } from '../../kernel/errors.ts'
import { resourceRoutes, type View, type Viewer } from '../../kernel/resource/routes.ts'
import { adding } from '../../kernel/resource/work.ts'
import type { Platform } from '../../platform.ts'
import { actOnZone, recordAction } from './actions.ts'
import { whenPossible, withDraft } from './content/drafts.ts'
import { type CreateBody, noContent, readContent, replacedToWire, textLength } from './content/requests.ts'
import type { zoneEndpoints } from './contract.ts'
import { type PrimaryNameserver, parseNameserver, type Zone, zoneNameProblem } from './domain.ts'
import { noOrigin, openPrimaries, originsOf, setNameservers, withoutKeys } from './primaries/store.ts'
import { refuseProtected } from './rrsets/store.ts'
import { defaultTtl, type ZoneSettings } from './settings.ts'
import { changeZone, deleteZone, getZone, insertZone, lockZone, requireMode, setZoneLabels, zones } from './store.ts'
import { type WireZone, zoneToWire } from './view.ts'

/** One handler for each endpoint of zones themselves. */
export function zoneRoutes(platform: Platform): Handlers<typeof zoneEndpoints> {
  const { db, secrets } = platform
  const settings = platform.settings.zones

  /** Zones as the caller may see them: keys of their primaries are for those who may change them. */
  const toWires: View<Zone, WireZone> = async (some, query, { scope, isReadOnly }) => {
    const origins = await originsOf(query, scope, some)
    return Promise.all(
      some.map(async (zone) => {
        const { primaries: sealed, isStale } = origins.get(zone.id) ?? noOrigin
        const primaries = isReadOnly ? withoutKeys(sealed) : await openPrimaries(query, secrets, scope, zone.id, sealed)
        return zoneToWire(settings, zone, primaries, isStale)
      }),
    )
  }
  const toWire = async (query: Queries, viewer: Viewer, zone: Zone) => (await toWires([zone], query, viewer))[0]!
  const { list } = resourceRoutes(platform, zones, toWires)

  return {
    list,

    async create(call) {
      const { scope, body } = call
      const { name, mode, labels = {} } = body
      const problem = zoneNameProblem(name)
      if (problem !== undefined) throw invalidInput([{ field: 'name', message: problem }])
      const primaryNameservers = mode === 'primary' ? [] : readNameservers(body.primary_nameservers, settings)
      return whenPossible(scope, { zone: undefined, bytes: textLength(body) }, async () => {
        const { rrsets, ttl, replaced } = mode === 'primary' ? await readContent(body, settings) : noContent
        const given = { name, mode, ttl: body.ttl ?? ttl ?? defaultTtl, labels, primaryNameservers }
        return withDraft({ db, scope }, rrsets, (content) =>
          adding(platform, zones, scope, async (tx) => {
            const zone = await insertZone(tx, secrets, scope, { ...given, content })
            const action = await recordAction(tx, scope, zone, 'create_zone')
            return { zone: await toWire(tx.query, call, zone), action, ...replacedToWire(replaced) }
          }),
        )
      })
    },

    async get(call) {
      return { zone: await toWire(db.query, call, await getZone(db.query, call.scope, call.params.id_or_name)) }
    },

    update: (call) =>
      db.transact(async (tx) => {
        const zone = await lockZone(tx, call.scope, call.params.id_or_name)
        const labels = call.body.labels ?? zone.labels
        await setZoneLabels(tx, call.scope, zone, labels)
        return { zone: await toWire(tx.query, call, { ...zone, labels }) }
      }),

    remove: (call) =>
      actOnZone(db, call, 'delete_zone', async (tx, zone) => {
        if (zone.isProtected) throw new ApiError('protected', 'zone deletion is protected')
        await refuseProtected(tx.query, call.scope, zone)
        await deleteZone(tx, call.scope, zone)
      }),

    changeTtl: (call) =>
      // Answers of a secondary zone have the TTLs that its primaries gave them: theirs stays as it is.
      actOnZone(db, call, 'change_ttl', (tx, zone) =>
        changeZone(tx, call.scope, zone, { ...serialOf(zone), ttl: call.body.ttl }),
      ),

    changePrimaryNameservers: (call) =>
      actOnZone(db, call, 'change_primary_nameservers', async (tx, zone) => {
        requireMode(zone, 'secondary')
        await setNameservers(tx, secrets, call.scope, zone.id, readNameservers(call.body.primary_nameservers, settings))
      }),

    changeProtection: (call) =>
      actOnZone(db, call, 'change_protection', (tx, zone) =>
        zones.set(tx, call.scope, zone.id, { protect_delete: (call.body.delete ?? zone.isProtected) ? 1 : 0 }),
      ),
  }
}

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
