/** Snapshots are made, rolled back to and deleted on request, under the lock of their box; plans make them as well. */
import { actionToWire } from '../../../kernel/actions/routes.ts'
import { type ActionStart, recordOf, refuseLocked, startActions } from '../../../kernel/actions/store.ts'
import type { Action } from '../../../kernel/actions/tables.ts'
import { noteTouched } from '../../../kernel/audit/note.ts'
import { type Calls, toIdOrName } from '../../../kernel/contract/contract.ts'
import type { Labels } from '../../../kernel/contract/labels.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import { invalidInput, limitExceeded, notFound } from '../../../kernel/errors.ts'
import { timestamp } from '../../../kernel/process/clock.ts'
import { unrivalled } from '../../../kernel/resource/update.ts'
import { act } from '../../../kernel/resource/work.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { making, onBox, onPart, refuseBusy, refuseMaking } from '../actions.ts'
import type { storageBoxEndpoints } from '../contract.ts'
import type { StorageBox } from '../domain.ts'
import { boxes } from '../store.ts'
import type { StorageBoxRow } from '../tables.ts'
import { createSnapshot, disablePlan, enablePlan, removeSnapshot, rollBack } from './actions.ts'
import { snapshotSpelling } from './contract.ts'
import { isDescription, nameOf, nextOf, type Snapshot, type SnapshotPlan, timeOfName } from './domain.ts'
import { insertSnapshot, setPlan, snapshotIn, snapshots, snapshotsOf } from './store.ts'
import { snapshotToWire } from './view.ts'

type Call = Calls<typeof storageBoxEndpoints>

/** Makes a snapshot of a box. Errors: `locked`, `resource_limit_exceeded`, `invalid_input`. */
export function create(platform: Platform, { scope, params: { id }, body }: Call['createSnapshot']) {
  const { description = '', labels = {} } = body
  return platform.db.transact(async (tx) => {
    const box = await boxes.lock(tx, scope, id)
    checkDescription(description)
    await refuseMaking(tx.query, scope, id)
    const others = await snapshotsOf(tx.query, scope, id)
    refuseMore(platform, box, others)
    const [made] = await start(tx, scope, [{ box, description, labels }])
    const { snapshot, action } = made!
    noteTouched(tx, snapshot)
    return { snapshot: { id: snapshot, storage_box: id }, action: actionToWire(action) }
  })
}

interface ToMake {
  readonly box: StorageBox
  readonly description: string
  readonly labels: Labels
  /** The plan that makes it, and the time at which that makes the next one. */
  readonly plan?: SnapshotPlan
  readonly planNext?: string
}

/**
 * Adds a snapshot to each of some boxes, which the transaction has locked, and starts the actions that make them. Returns the
 * ids of the snapshots. Errors: `locked`.
 */
export async function start(
  tx: Transaction,
  scope: ProjectScope,
  wanted: readonly ToMake[],
): Promise<readonly { snapshot: number; action: Action }[]> {
  const toMake = wanted.map((one) => ({ ...one, time: timeOfName(tx.now, one.box.lastSnapshot) }))
  for (const [columns, some] of Map.groupBy(toMake, timesOf)) {
    const ids = some.map(({ box }) => box.id)
    await boxes.setAll(tx, scope, ids, JSON.parse(columns))
  }
  const ids = await tx.drawIds(toMake.length)
  const starts: ActionStart[] = []
  for (const [at, { box, plan, time, description, labels }] of toMake.entries()) {
    const [id, name] = [ids[at]!, nameOf(time, plan)]
    await insertSnapshot(tx, scope, { id, boxId: box.id, name, description, isAutomatic: plan !== undefined, labels })
    starts.push(making(createSnapshot, { box: box.id, snapshot: id, name }, snapshots.ref(id)))
  }
  const actions = await startActions(tx, scope, starts)
  return actions.map((action, at) => ({ snapshot: ids[at]!, action }))
}

/** What is noted in a box of a snapshot that begins, as text: it is the same for many. */
function timesOf({ time, planNext }: ToMake & { readonly time: string }): string {
  const columns: Partial<StorageBoxRow> = {
    last_snapshot: time,
    ...(planNext !== undefined && { plan_next: planNext }),
  }
  return JSON.stringify(columns)
}

/** Errors: `invalid_input`. */
function checkDescription(text: string): void {
  if (isDescription(text)) return
  const message = 'may have letters, digits, spaces and - _ , : < > + # ! ( ) [ ] { }'
  throw invalidInput([{ field: 'description', message }])
}

/** Errors: `resource_limit_exceeded`. */
function refuseMore({ catalogue }: Platform, { typeId }: StorageBox, others: readonly Snapshot[]): void {
  const most = catalogue.storageBoxTypeById(typeId)?.snapshot_limit ?? null
  if (most === null || others.filter(({ isAutomatic }) => !isAutomatic).length < most) return
  throw limitExceeded('storage_box_snapshots', `this Storage Box cannot have more than ${most} snapshots`)
}

/** Changes what is said of a snapshot. Errors: `invalid_input`. */
export function update({ db }: Platform, { scope, params, body }: Call['updateSnapshot']) {
  const { id: boxId, snapshot_id: id } = params
  return db.transact(async (tx) => {
    await boxes.lock(tx, scope, boxId)
    const before = await snapshotIn(tx.query, scope, boxId, id)
    const { description = before.description, labels = before.labels } = body
    checkDescription(description)
    const after = unrivalled(await snapshots.update(tx, scope, before, { description, labels }))
    return { snapshot: snapshotToWire(after) }
  })
}

/** Deletes a snapshot. Errors: `locked`. */
export const remove = (platform: Platform, call: Call['removeSnapshot']) =>
  act(platform, boxes, call, async (tx, { id: box }) => {
    const { id, name } = await snapshotIn(tx.query, call.scope, box, call.params.snapshot_id)
    await refuseLocked(tx.query, call.scope, boxes.ref(box))
    return onPart(removeSnapshot, { box, snapshot: id, name }, snapshots.ref(id))
  })

/** Makes the files of a box be those of a snapshot. Errors: `not_found` for the snapshot, `locked`. */
export const restore = (platform: Platform, call: Call['rollbackSnapshot']) =>
  act(platform, boxes, call, async (tx, { id: box }) => {
    const key = toIdOrName(call.body.snapshot)
    const all = await snapshotsOf(tx.query, call.scope, box)
    const found = all.find((one) => ('id' in key ? one.id === key.id : one.name === key.name))
    if (!found) throw notFound(snapshotSpelling.title, call.body.snapshot)
    await refuseBusy(tx.query, call.scope, box)
    return onBox(rollBack, { box, snapshot: found.id, name: found.name }, snapshots.ref(found.id))
  })

/** Makes snapshots of a box by a plan from now on. Errors: `invalid_input`, `locked`. */
export const plan = (platform: Platform, call: Call['enableSnapshotPlan']) =>
  act(platform, boxes, call, async (tx, { id, typeId }) => {
    const { scope, body } = call
    await refuseLocked(tx.query, scope, boxes.ref(id))
    const most = platform.catalogue.storageBoxTypeById(typeId)?.automatic_snapshot_limit ?? null
    if (most !== null && body.max_snapshots > most) {
      throw invalidInput([{ field: 'max_snapshots', message: `must be at most ${most} for this type` }])
    }
    const wanted: SnapshotPlan = {
      maxSnapshots: body.max_snapshots,
      minute: body.minute,
      hour: body.hour,
      dayOfWeek: body.day_of_week ?? null,
      dayOfMonth: body.day_of_month ?? null,
    }
    await setPlan(tx, scope, id, wanted, timestamp(nextOf(wanted, tx.now)))
    return recordOf(enablePlan, boxes.ref(id))
  })

/** Makes snapshots of a box by a plan no longer. Errors: `locked`. */
export const endPlan = (platform: Platform, call: Call['disableSnapshotPlan']) =>
  act(platform, boxes, call, async (tx, { id }) => {
    await refuseLocked(tx.query, call.scope, boxes.ref(id))
    await setPlan(tx, call.scope, id, null, null)
    return recordOf(disablePlan, boxes.ref(id))
  })
