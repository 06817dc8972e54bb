/** Zones through the API. */
import type { Static } from 'typebox'
import type { ApiCall, Handlers } from '../../kernel/contract/contract.ts'
import type { Labels } from '../../kernel/contract/labels.ts'
import type { Database, Queries, Transaction } from '../../kernel/data/db.ts'
import { ApiError, invalidInput, notFound, type Problem } from '../../kernel/errors.ts'
import { inTurns, nextTurn } from '../../kernel/process/turns.ts'
import { adding, resourceRoutes, type View, type Viewer } from '../../kernel/resource/routes.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { Malformed } from '../../net/dns/tokens.ts'
import type { Platform } from '../../platform.ts'
import { recordAction, type ZoneCommand } from './actions.ts'
import { adoptZone, nameserversProblem, withApex } from './apex.ts'
import { publish, sizeOf, whenPossible, withDraft } from './content.ts'
import type { zoneEndpoints } from './contract.ts'
import { type PrimaryNameserver, parseNameserver, type Zone, zoneNameProblem } from './domain.ts'
import { zoneLimitProblem } from './limits.ts'
import { openPrimaries, withoutKeys } from './primaries.ts'
import type { NewRrset } from './rrset-contract.ts'
import { hasProtected, rrsetsOf } from './rrset-store.ts'
import {
  apex,
  coexistenceProblem,
  parseRecords,
  type Rrset,
  type RrsetContent,
  recordNameProblem,
  rrsetProblem,
} from './rrsets.ts'
import { defaultTtl, type ZoneSettings } from './settings.ts'
import {
  changeZone,
  deleteZone,
  findZone,
  getZone,
  insertZone,
  lockZone,
  noOrigin,
  originsOf,
  setNameservers,
  setZoneLabels,
  zones,
} from './store.ts'
import { type WireZone, zoneToWire } from './view.ts'
import { type ParsedZonefile, readZonefile, rrsetLines, zonefileHead, zonefileOrder } from './zonefile.ts'

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

  /** Does something to a zone that nobody else can change meanwhile, and writes down what. */
  const change = async (
    { scope, params }: { scope: ProjectScope; params: { id_or_name: string } },
    command: ZoneCommand,
    work: (tx: Transaction, zone: Zone) => Promise<void>,
  ) =>
    db.transact(async (tx) => {
      const zone = await lockZone(tx, scope, params.id_or_name)
      await work(tx, zone)
      return { action: await recordAction(tx, scope, zone, command) }
    })

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
      change(call, 'delete_zone', async (tx, zone) => {
        if (zone.isProtected) throw new ApiError('protected', 'zone deletion is protected')
        await refuseProtected(tx.query, call.scope, zone)
        await deleteZone(tx, call.scope, zone)
      }),

    async exportZonefile({ scope, params }) {
      const { zone, rrsets } = await readZone(db, scope, params.id_or_name)
      return { zonefile: await inTurns(printZonefile(zone, rrsets)) }
    },

    async importZonefile(call) {
      const { scope, params, body } = call
      const before = requireMode(await getZone(db.query, scope, params.id_or_name), 'primary')
      return whenPossible(scope, { zone: before, bytes: body.zonefile.length }, async () => {
        const { ttl, ...parsed } = await parseZonefile(body.zonefile, before.name)
        const { rrsets, replaced } = adoptZone(before.name, parsed.rrsets, settings)
        const problem = zoneProblem(before.name, rrsets, settings)
        if (problem !== undefined) throw invalidInput([{ field: 'zonefile', message: problem }])
        await refuseProtected(db.query, scope, before)
        const done = await withDraft({ db, scope, zone: before }, rrsets, (draft) =>
          change(call, 'import_zonefile', async (tx, zone) => {
            if (zone.id !== before.id) throw notFound('zone', params.id_or_name)
            await refuseProtected(tx.query, scope, zone)
            const contentId = await publish(tx, scope, zone, draft)
            await changeZone(tx, scope, zone, { contentId, size: draft.size, ttl: ttl ?? zone.ttl })
          }),
        )
        return { ...done, ...replacedToWire(replaced) }
      })
    },

    changeTtl: (call) =>
      // Answers of a secondary zone have the TTLs that its primaries gave them: theirs stays as it is.
      change(call, 'change_ttl', (tx, zone) =>
        changeZone(tx, call.scope, zone, { ...serialOf(zone), ttl: call.body.ttl }),
      ),

    changePrimaryNameservers: (call) =>
      change(call, 'change_primary_nameservers', async (tx, zone) => {
        requireMode(zone, 'secondary')
        await setNameservers(tx, secrets, call.scope, zone.id, readNameservers(call.body.primary_nameservers, settings))
      }),

    changeProtection: (call) =>
      change(call, 'change_protection', (tx, zone) =>
        zones.set(tx, call.scope, zone.id, { protect_delete: (call.body.delete ?? zone.isProtected) ? 1 : 0 }),
      ),
  }
}

/** The serial of a secondary zone is that of its primaries. */
const serialOf = ({ mode, serial }: Zone) => (mode === 'secondary' ? { serial } : {})

/** Errors: `incorrect_zone_mode`. */
export function requireMode(zone: Zone, mode: Zone['mode']): Zone {
  if (zone.mode !== mode)
    throw new ApiError('incorrect_zone_mode', `this needs a ${mode} zone, and the zone is ${zone.mode}`)
  return zone
}

/** The refusal of a change of what is protected. */
export function changeProtected(): ApiError {
  return new ApiError('protected', 'RRSet(s) is/are change protected')
}

async function refuseProtected(query: Queries, scope: ProjectScope, zone: Zone): Promise<void> {
  if (await hasProtected(query, scope, zone)) throw changeProtected()
}

// ---- What is in a zone ---------------------------------------------------------------------------------------------

/** How often a zone is read in steps, in the hope that nobody changes it meanwhile. */
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
function* printZonefile({ name, ttl, serial }: Zone, rrsets: Rrset[]): Generator<void, string> {
  const inOrder = rrsets.sort(zonefileOrder)
  const parts = [zonefileHead(name, ttl)]
  for (const [index, rrset] of inOrder.entries()) {
    const gap = inOrder[index - 1]?.name === rrset.name ? '' : '\n'
    parts.push(gap + rrsetLines(rrset, serial))
    yield
  }
  return parts.join('')
}

// ---- What a new zone contains --------------------------------------------------------------------------------------

type CreateBody = ApiCall<(typeof zoneEndpoints)['create']>['body']

type LabelledRrset = RrsetContent & { readonly labels?: Labels }

/** About how much there is to read in a request for a new zone, in bytes. */
function textLength({ zonefile, rrsets }: CreateBody): number {
  const recordBytes = 64
  return (zonefile ?? '').length + (rrsets ?? []).reduce((sum, { records }) => sum + records.length * recordBytes, 0)
}

/** What a new zone begins with. */
interface Content {
  readonly rrsets: readonly LabelledRrset[]
  /** The default TTL that a zone file gives. */
  readonly ttl: number | undefined
  /** RRSets of a zone file that gave way to those of the name servers here. */
  readonly replaced: readonly RrsetContent[]
}

const noContent: Content = { rrsets: [], ttl: undefined, replaced: [] }

/** The RRSets of a new primary zone: those given, and SOA and NS records when they are not among them. */
async function readContent({ name, rrsets, zonefile }: CreateBody, settings: ZoneSettings): Promise<Content> {
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
    : { ttl: undefined, rrsets: await inTurns(readRrsets(name, rrsets ?? [])) }
  const { rrsets: own, replaced } = zonefile
    ? adoptZone(name, parsed.rrsets, settings)
    : { rrsets: parsed.rrsets, replaced: [] }
  const all = withApex(own, settings)
  const problem = zoneProblem(name, all, settings)
  if (problem !== undefined) throw invalidInput([{ field, message: problem }])
  return { rrsets: all, ttl: parsed.ttl, replaced }
}

/** Says which records of a zone file are not in the zone; nothing when all are. */
function replacedToWire(rrsets: readonly RrsetContent[]) {
  if (rrsets.length === 0) return {}
  return {
    replaced: rrsets.map(({ name, type, records }) => ({ name, type, values: records.map(({ value }) => value) })),
  }
}

/** A zone is not too large, and has its SOA record and all the name servers that it is served by. */
function zoneProblem(name: string, rrsets: readonly RrsetContent[], settings: ZoneSettings): string | undefined {
  const at = (type: string) => rrsets.find((rrset) => rrset.name === apex && rrset.type === type)
  const tooLarge = zoneLimitProblem(sizeOf(rrsets), settings.limits)
  if (tooLarge !== undefined) return `the zone ${tooLarge}`
  if (!at('SOA')) return 'the SOA record of the zone is missing'
  const values = at('NS')?.records.map(({ value }) => value) ?? []
  return nameserversProblem(name, values, settings.nameservers)
}

function* readRrsets(zoneName: string, given: readonly Static<typeof NewRrset>[]): Generator<void, LabelledRrset[]> {
  const problems: Problem[] = []
  const typesByName = new Map<string, string[]>()
  const rrsets: LabelledRrset[] = []
  for (const [index, one] of given.entries()) {
    const { name, type, ttl = null, labels = {} } = one
    const at = `rrsets[${index}]`
    const parsed = parseRecords(zoneName, type, one.records, `${at}.`)
    if (!parsed.ok) problems.push(...parsed.problems)
    const rrset = { name, type, ttl, labels, records: parsed.ok ? parsed.records : [] }
    const types = typesByName.get(name) ?? []
    const nameProblem = recordNameProblem(name, zoneName)
    const problem = types.includes(type)
      ? 'is there twice'
      : type === 'SOA'
        ? 'the SOA record comes by itself'
        : parsed.ok
          ? rrsetProblem(zoneName, rrset)
          : undefined
    if (nameProblem !== undefined) problems.push({ field: `${at}.name`, message: nameProblem })
    if (problem !== undefined) problems.push({ field: at, message: problem })
    typesByName.set(name, [...types, type])
    rrsets.push(rrset)
    yield
  }
  for (const [name, types] of typesByName) {
    const problem = coexistenceProblem(types)
    if (problem !== undefined) problems.push({ field: 'rrsets', message: `${name}: ${problem}` })
  }
  if (problems.length > 0) throw invalidInput(problems.slice(0, 20))
  return rrsets
}

/** Reads a zone file, with turns for others in between. Errors: `invalid_input`. */
async function parseZonefile(text: string, zoneName: string): Promise<ParsedZonefile> {
  try {
    return await inTurns(readZonefile(text, zoneName))
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    const message = error.line === 0 ? error.message : `line ${error.line} ${error.message}`
    throw invalidInput([{ field: 'zonefile', message }])
  }
}

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
