/** The background jobs of Storage Boxes: snapshots by plans, and what boxes take. */

import type { Drivers } from '../../../kernel/actions/define.ts'
import { inTime } from '../../../kernel/actions/in-time.ts'
import type { Queries, Transaction } from '../../../kernel/data/db.ts'
import { timestamp } from '../../../kernel/process/clock.ts'
import type { Again } from '../../../kernel/process/jobs.ts'
import { forEachDue } from '../../../kernel/resource/due.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { refuseBusy, refuseMaking, withoutMaking } from '../actions.ts'
import type { StorageBox } from '../domain.ts'
import { type BoxOfProject, boxesAfter, dueBoxes } from '../host.ts'
import { boxes } from '../store.ts'
import { nextOf } from './domain.ts'
import { recordUsage, snapshotsOf } from './store.ts'
import { start } from './work.ts'

/**
 * Starts the snapshots that plans have at this time; several processes may do so at once. Those of a Project begin in one
 * transaction, but for boxes that are in use at that moment.
 */
export async function startPlanned({ db, clock }: Pick<Platform, 'db' | 'clock'>): Promise<Again> {
  const now = timestamp(clock.now())
  return forEachDue<BoxOfProject>({
    failed: 'snapshots could not be started',
    find: (after, limit) => dueBoxes(db.query, now, after, limit),
    work: ({ id, scope }) =>
      db.transact(async (tx) => {
        const box = await boxes.lock(tx, scope, id)
        if (!isDue(box, now)) return
        await refuseMaking(tx.query, scope, id)
        await startNext(tx, scope, [box])
      }),
    workOnSome: (scope, some) =>
      db.transact(async (tx) => {
        const ids = some.map(({ id }) => id)
        tx.expectIds(ids.length)
        const free = await boxes.lockFree(tx, scope, ids)
        const busy = await withoutMaking(tx.query, scope, ids)
        const isLeft = (id: number) => busy.has(id) || !free.some((box) => box.id === id)
        await startNext(
          tx,
          scope,
          free.filter((box) => isDue(box, now) && !isLeft(box.id)),
        )
        return some.filter(({ id }) => isLeft(id))
      }),
  })
}

const isDue = ({ plan, planNext }: StorageBox, now: string) => plan !== null && planNext !== null && planNext <= now

/** Starts the snapshots that the plans of some boxes have, and says when they have the next ones. Errors: `locked`. */
async function startNext(tx: Transaction, scope: ProjectScope, due: readonly StorageBox[]): Promise<void> {
  await start(
    tx,
    scope,
    due.map((box) => {
      const plan = box.plan!
      return { box, plan, planNext: timestamp(nextOf(plan, tx.now)), description: '', labels: {} }
    }),
  )
}

/** A round measures at most so many boxes for so long, so that it costs as little with many boxes, and slow ones, as with few. */
const measuredAtOnce = 100
const roundMs = 5_000
const callTimeoutMs = 20_000
/** The box of each cloud that was measured last. */
const measured = new WeakMap<Platform['db'], number>()

/**
 * Measures what the next boxes take, and removes what nobody goes on uploading. Those on which an action is running are left to
 * it.
 */
export async function measure({ db }: Platform, drivers: Drivers): Promise<void> {
  const after = measured.get(db) ?? 0
  const some = await boxesAfter(db.query, after, measuredAtOnce)
  const until = performance.now() + roundMs
  // What machines on hosts may take says nothing about files that are here.
  const timeoutMs = drivers.storageBoxes.isLasting ? callTimeoutMs : (drivers.callTimeoutMs ?? callTimeoutMs)
  let reached = after
  await forEachDue<BoxOfProject>({
    failed: 'Storage Boxes could not be measured',
    together: 1,
    find: async (last) => (last ? [] : some),
    async work({ id, scope }) {
      if (performance.now() >= until) return
      reached = id
      const before = await figuresOf(db.query, scope, id)
      // An action that has begun writes what it finds itself, and its figures are newer than those asked for here.
      await refuseBusy(db.query, scope, id)
      const usage = await inTime(drivers.storageBoxes.usage(id), timeoutMs)
      if (!usage) return
      await db.transact(async (tx) => {
        await boxes.lock(tx, scope, id)
        await refuseBusy(tx.query, scope, id)
        if ((await figuresOf(tx.query, scope, id)) === before) await recordUsage(tx, scope, id, usage)
      })
      await inTime(drivers.storageBoxes.files?.clearPieces(id), timeoutMs)
    },
  })
  const isRound = some.length < measuredAtOnce && reached === (some.at(-1)?.id ?? after)
  measured.set(db, isRound ? 0 : reached)
}

/** The figures of a box and of its snapshots, which differ once an action has written others. Errors: `not_found`. */
async function figuresOf(query: Queries, scope: ProjectScope, id: number): Promise<string> {
  const { usedByFiles, usedBySnapshots } = await boxes.get(query, scope, id)
  const all = await snapshotsOf(query, scope, id)
  return JSON.stringify([
    [usedByFiles, usedBySnapshots],
    ...all.map(({ id, size, sizeFilesystem }) => [id, size, sizeFilesystem]),
  ])
}
