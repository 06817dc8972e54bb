/** RRSets are made and changed on request. Changes of one zone come one after the other: those that race are all done. */
import { noteTouched } from '../../../kernel/audit/note.ts'
import { inEffect } from '../../../kernel/contract/changes.ts'
import type { Calls } from '../../../kernel/contract/contract.ts'
import type { Labels } from '../../../kernel/contract/labels.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import { ApiError, invalidInput, notUnique } from '../../../kernel/errors.ts'
import { turn } from '../../../kernel/process/turns.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { actOnZone, type ZoneCommand } from '../actions.ts'
import { zoneChanges } from '../changes.ts'
import type { Zone } from '../domain.ts'
import { growthProblem, sizeWith, type ZoneLimits } from '../limits.ts'
import { refused, refusedField } from '../refusals.ts'
import { changeZone, getZone, lockZone, requireMode } from '../store.ts'
import type { rrsetEndpoints } from './contract.ts'
import {
  coexistenceProblem,
  duplicateValue,
  parseRecords,
  parseType,
  type Rrset,
  type RrsetContent,
  recordNameProblem,
  rrsetKey,
  rrsetProblem,
  valueIndex,
  valueKey,
  type ZoneRecord,
} from './domain.ts'
import {
  changeProtected,
  deleteRrset,
  findRrset,
  getRrset,
  insertRrsets,
  missing,
  rrsetFromRow,
  rrsetsAt,
  setRrset,
  setRrsetLabels,
} from './store.ts'
import { Values } from './values.ts'
import { rrsetToWire } from './view.ts'

type Call = Calls<typeof rrsetEndpoints>

interface InZone {
  readonly scope: ProjectScope
  readonly params: { readonly id_or_name: string }
}

interface OneRrset {
  readonly scope: ProjectScope
  readonly params: { readonly id_or_name: string; readonly rr_name: string; readonly rr_type: string }
}

/** Records as a request has them. */
type GivenRecords = readonly { readonly value: string; readonly comment?: string | null }[]

/** A zone that is being changed: nobody else changes it meanwhile. */
interface OpenZone {
  readonly tx: Transaction
  readonly scope: ProjectScope
  readonly zone: Zone
  /** It may become so large. */
  readonly most: ZoneLimits
}

// ---- Requests ------------------------------------------------------------------------------------------------------

/** Makes an RRSet. Errors: those that the contract declares. */
export async function create(platform: Platform, call: Call['createRrset']) {
  const { name, type, ttl = null, labels = {}, records: given } = call.body
  const values = await readInTurns(new Values((await readZone(platform, call)).name, type), given)
  return changeIn(platform, call, 'create_rrset', async (place) => {
    const { tx, zone } = place
    if (await findRrset(tx.query, call.scope, zone, rrsetKey(call.body))) {
      throw notUnique('name', 'an RRSet with this name and type is there already')
    }
    const records = readRecords(values, given)
    const rrset = await makeRrset(place, values, { name, type, ttl, labels, records })
    noteTouched(tx, rrsetKey(rrset))
    return { rrset: rrsetToWire(zone, rrset) }
  })
}

/** Gives an RRSet other labels. Errors: `invalid_input` for records and a TTL, which have requests of their own. */
export const update = ({ db }: Platform, { scope, params, body }: Call['updateRrset']) =>
  db.transact(async (tx) => {
    const zone = requireMode(await lockZone(tx, scope, params.id_or_name), 'primary')
    const rrset = await getRrset(tx.query, scope, zone, keyIn({ params }))
    if ((body.records ?? null) !== null) throw new ApiError('invalid_input', "can't update records with this endpoint")
    if ((body.ttl ?? null) !== null) throw new ApiError('invalid_input', "can't update the TTL with this endpoint")
    const labels = body.labels ?? rrset.labels
    await setRrsetLabels(tx, scope, rrset, labels)
    noteTouched(tx, rrsetKey(rrset))
    return { rrset: rrsetToWire(zone, { ...rrset, labels }) }
  })

/** Deletes an RRSet. Errors: those that the contract declares. */
export const remove = (platform: Platform, call: Call['removeRrset']) =>
  change(platform, call, 'delete_rrset', async (place, rrset) => {
    if (rrset.type === 'SOA') throw refusedField('rr_type', 'the SOA record stays')
    await dropRrset(place, rrset)
  })

/** Adds records to an RRSet, which is made when it is not there. Errors: those that the contract declares. */
export async function addRecords(platform: Platform, call: Call['addRecords']) {
  const { params, body } = call
  const values = await readAhead(platform, call, body.records)
  return changeIn(platform, call, 'add_rrset_records', async (place) => {
    const { tx, scope, zone } = place
    const known = await findRrset(tx.query, scope, zone, keyIn(call))
    if (known) return addTo(place, values, known, body)
    const nameProblem = recordNameProblem(params.rr_name, zone.name)
    if (nameProblem !== undefined) throw refusedField('rr_name', nameProblem)
    const records = readRecords(values, body.records)
    await makeRrset(place, values, { name: params.rr_name, type: values.type, ttl: body.ttl ?? null, records })
  })
}

/** Removes records from an RRSet, which goes with the last of them. Errors: those that the contract declares. */
export const removeRecords = (platform: Platform, call: Call['removeRecords']) =>
  changeRecords(platform, call, 'remove_rrset_records', async (place, values, rrset) => {
    const indexes = new Set(indexesOf(values, rrset, call.body.records))
    const records = rrset.records.filter((_, index) => !indexes.has(index))
    if (records.length > 0) await writeRecords(place, values, rrset, records)
    else if (rrset.type === 'SOA') throw refusedField('records', 'the SOA record stays')
    else await dropRrset(place, rrset)
  })

/** Gives an RRSet other records. Errors: those that the contract declares. */
export const setRecords = (platform: Platform, call: Call['setRecords']) =>
  changeRecords(platform, call, 'set_rrset_records', async (place, values, rrset) => {
    await writeRecords(place, values, rrset, readRecords(values, call.body.records))
  })

/** Gives records other comments. Errors: those that the contract declares. */
export const updateRecords = (platform: Platform, call: Call['updateRecords']) =>
  changeRecords(platform, call, 'update_rrset_records', async (place, values, rrset) => {
    const { tx, scope, zone } = place
    const given = readRecords(values, call.body.records)
    const comments = new Map(indexesOf(values, rrset, given).map((at, index) => [at, given[index]!.comment]))
    const records = rrset.records.map(({ value, comment }, at) => ({ value, comment: comments.get(at) ?? comment }))
    const size = sizeAfter(place, rrset, { ...rrset, records })
    await setRrset(tx, scope, rrset, { records })
    // Comments are no part of any answer, so that the zone stays at its serial.
    await changeZone(tx, scope, zone, { keys: [], serial: zone.serial, size })
  })

/** Gives an RRSet a TTL of its own, or that of the zone. Errors: those that the contract declares. */
export const changeTtl = (platform: Platform, call: Call['changeRrsetTtl']) =>
  change(platform, call, 'change_rrset_ttl', async ({ tx, zone }, rrset) => {
    const { ttl } = call.body
    if (ttl === undefined && inEffect(zoneChanges.rrset_ttl_required, platform.clock.now())) {
      throw refusedField('ttl', 'is required')
    }
    await setRrset(tx, call.scope, rrset, { ttl: ttl ?? null })
    await changeZone(tx, call.scope, zone, { keys: [rrsetKey(rrset)] })
  })

/** Protects an RRSet from changes, or no longer. */
export const changeProtection = (platform: Platform, call: Call['changeRrsetProtection']) =>
  changeIn(platform, call, 'change_rrset_protection', async ({ tx, zone }) => {
    const rrset = await getRrset(tx.query, call.scope, zone, keyIn(call))
    await setRrset(tx, call.scope, rrset, { isProtected: call.body.change })
  })

// ---- Common parts --------------------------------------------------------------------------------------------------

/** The key of the RRSet that a path names. */
export const keyIn = ({ params: { rr_name, rr_type } }: Pick<OneRrset, 'params'>) => `${rr_name}/${rr_type}`

/** The zone that a path names. Errors: `not_found`, `incorrect_zone_mode` for a secondary one. */
export const readZone = async ({ db }: Platform, { scope, params }: InZone) =>
  requireMode(await getZone(db.query, scope, params.id_or_name), 'primary')

/** Does something in a primary zone that nobody else can change meanwhile, and records it as an action. */
const changeIn = <T>(
  { db, settings }: Platform,
  call: InZone,
  command: ZoneCommand,
  work: (place: OpenZone) => Promise<T>,
) =>
  actOnZone(db, call, command, (tx, zone) => {
    requireMode(zone, 'primary')
    return work({ tx, scope: call.scope, zone, most: settings.zones.limits })
  })

/** The same for an RRSet that must be there and must not be protected. */
const change = (
  platform: Platform,
  call: OneRrset,
  command: ZoneCommand,
  work: (place: OpenZone, rrset: Rrset) => Promise<void>,
) =>
  changeIn(platform, call, command, async (place) => {
    const rrset = await getRrset(place.tx.query, call.scope, place.zone, keyIn(call))
    if (rrset.isProtected) throw changeProtected()
    await work(place, rrset)
  })

/** The same for one whose records change, with what the values of both it and the request mean. */
async function changeRecords(
  platform: Platform,
  call: OneRrset & { readonly body: { readonly records: GivenRecords } },
  command: ZoneCommand,
  work: (place: OpenZone, values: Values, rrset: Rrset) => Promise<void>,
) {
  const values = await readAhead(platform, call, call.body.records)
  return change(platform, call, command, (place, rrset) => work(place, values, rrset))
}

/** Reads the values of an RRSet, which need not be there, and those of a request that changes it. */
async function readAhead(platform: Platform, call: OneRrset, given: GivenRecords): Promise<Values> {
  const zone = await readZone(platform, call)
  const type = parseType(call.params.rr_type)
  if (!type) throw missing(keyIn(call))
  const known = await findRrset(platform.db.query, call.scope, zone, keyIn(call))
  return readInTurns(new Values(zone.name, type), [...(known?.records ?? []), ...given])
}

/** Reads values before a change, which takes no turns. Those that come to an RRSet in between, the change reads. */
async function readInTurns(values: Values, records: readonly { readonly value: string }[]): Promise<Values> {
  for (const _ of values.readAll(records)) {
    const wait = turn()
    if (wait) await wait
  }
  return values
}

/** Errors: `invalid_input` naming each record. */
function readRecords(values: Values, given: GivenRecords): readonly ZoneRecord[] {
  const parsed = parseRecords(values, given)
  if (!parsed.ok) throw refused(parsed.problems)
  return parsed.records
}

/**
 * Counts what a zone has once an RRSet of it, or none, is another one, or none. Errors: `invalid_input` when the zone grows
 * beyond what it may be.
 */
function sizeAfter(
  { zone, most }: Pick<OpenZone, 'zone' | 'most'>,
  before: RrsetContent | undefined,
  after: RrsetContent | undefined,
): ZoneLimits {
  const size = sizeWith(zone, before ? [before] : [], after ? [after] : [])
  const problem = growthProblem(zone, size, most)
  if (problem !== undefined) throw refusedField('records', problem)
  return size
}

function check(values: Values, rrset: RrsetContent): void {
  const problem = rrsetProblem(values, rrset)
  if (problem === undefined) return
  if (problem.startsWith(duplicateValue)) throw invalidInput([{ field: 'records', message: problem }], problem)
  throw refusedField('records', problem)
}

async function makeRrset(
  place: OpenZone,
  values: Values,
  rrset: RrsetContent & { readonly labels?: Labels },
): Promise<Rrset> {
  const { tx, scope, zone } = place
  const { name, type } = rrset
  const nameProblem = recordNameProblem(name, zone.name)
  if (nameProblem !== undefined) throw refusedField('name', nameProblem)
  if (type === 'SOA') throw refusedField('type', 'a zone has one SOA record, which comes with it')
  check(values, rrset)
  const size = sizeAfter(place, undefined, rrset)
  const others = await rrsetsAt(tx.query, scope, zone, [name])
  const together = coexistenceProblem([type, ...others.map((other) => other.type)])
  if (together !== undefined) throw refusedField('name', together)
  const [made] = await insertRrsets(tx, scope, zone.contentId, [rrset])
  await changeZone(tx, scope, zone, { keys: [rrsetKey(rrset)], size })
  return rrsetFromRow(made!)
}

async function dropRrset(place: OpenZone, rrset: Rrset): Promise<void> {
  const { tx, scope, zone } = place
  await deleteRrset(tx, scope, rrset)
  await changeZone(tx, scope, zone, { keys: [rrsetKey(rrset)], size: sizeAfter(place, rrset, undefined) })
}

async function addTo(
  place: OpenZone,
  values: Values,
  rrset: Rrset,
  given: { readonly records: GivenRecords; readonly ttl?: number | null },
): Promise<void> {
  if (rrset.isProtected) throw changeProtected()
  const inForce = rrset.ttl ?? place.zone.ttl
  if (given.ttl !== undefined && given.ttl !== null && given.ttl !== inForce) {
    const message = `RRSet '${rrset.name}' of type '${rrset.type}' has differing record TTLs`
    throw invalidInput([{ field: 'ttl', message }], message)
  }
  const records = [...rrset.records, ...readRecords(values, given.records)]
  await writeRecords(place, values, rrset, records)
}

async function writeRecords(
  place: OpenZone,
  values: Values,
  rrset: Rrset,
  records: readonly ZoneRecord[],
): Promise<void> {
  const { tx, scope, zone } = place
  check(values, { ...rrset, records })
  const size = sizeAfter(place, rrset, { ...rrset, records })
  await setRrset(tx, scope, rrset, { records })
  await changeZone(tx, scope, zone, { keys: [rrsetKey(rrset)], size })
}

/** Finds the values of a request in the RRSet. Errors: `invalid_input` naming those that it does not have. */
function indexesOf(values: Values, { records }: Rrset, given: readonly { readonly value: string }[]): number[] {
  const known = valueIndex(values, records)
  const indexes = given.map(({ value }) => known.get(valueKey(values, value)))
  const problems = indexes.flatMap((index, i) =>
    index === undefined ? [{ field: `records[${i}].value`, message: 'is not a record of the RRSet' }] : [],
  )
  if (problems.length > 0) throw refused(problems)
  return indexes as number[]
}
