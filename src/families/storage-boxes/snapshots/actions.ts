/** Snapshots are made, deleted and rolled back to asynchronously. Nothing else happens to their box meanwhile. */
import {
  DriverError,
  defineAction,
  defineRecord,
  defineStep,
  type StepContext,
} from '../../../kernel/actions/define.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { family, type Input } from '../actions.ts'
import { holdOut } from '../desired.ts'
import type { BoxUsage } from '../driver.ts'
import { boxes, holdBox } from '../store.ts'
import { type Snapshot, surplus } from './domain.ts'
import { dropLost, recordUsage, snapshots, snapshotsOf } from './store.ts'

export interface SnapshotInput extends Input {
  readonly snapshot: number
  readonly name: string
}

/** What a step has done to snapshots, and what the box takes now where that could be told. */
interface Removed {
  /** Ids. */
  readonly gone: readonly number[]
  readonly usage: BoxUsage | undefined
}

/** What a box takes. Nothing that was done fails because that cannot be told: the job that measures finds it later. */
async function measured({ drivers, input }: StepContext<SnapshotInput>): Promise<BoxUsage | undefined> {
  try {
    return await drivers.storageBoxes.usage(input.box)
  } catch (error) {
    if (error instanceof DriverError) return undefined
    throw error
  }
}

/** Removes snapshots as they are by now: somebody may have given them labels since the step began. */
async function removeRows(tx: Transaction, scope: ProjectScope, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    const one = await snapshots.find(tx.query, scope, id)
    if (one) await snapshots.remove(tx, scope, one)
  }
}

async function recordRemoved(
  tx: Transaction,
  { scope, input }: StepContext<SnapshotInput>,
  { gone, usage }: Removed,
): Promise<void> {
  await holdBox(tx, scope, input.box)
  await removeRows(tx, scope, gone)
  if (usage) await recordUsage(tx, scope, input.box, usage)
}

/** Those of a box that a plan made and that are too many by one that it makes now; one that somebody asked for takes none away. */
async function tooMany({ query, scope, input }: StepContext<SnapshotInput>): Promise<readonly Snapshot[]> {
  const box = await boxes.find(query, scope, input.box)
  const all = await snapshotsOf(query, scope, input.box)
  const isPlanned = all.find(({ id }) => id === input.snapshot)?.isAutomatic ?? false
  return box?.plan && isPlanned ? surplus(all, box.plan.maxSnapshots) : []
}

/** Removes snapshots that are too many. Those that cannot be removed now are too many the next time as well. */
async function rotateOut({ drivers, input }: StepContext<SnapshotInput>, due: readonly Snapshot[]): Promise<number[]> {
  const gone: number[] = []
  for (const { id, name } of due) {
    try {
      await drivers.storageBoxes.deleteSnapshot(input.box, name)
      gone.push(id)
    } catch (error) {
      if (!(error instanceof DriverError)) throw error
    }
  }
  return gone
}

const takeBack = ({ drivers, input: { box, name } }: StepContext<SnapshotInput>) =>
  drivers.storageBoxes.deleteSnapshot(box, name)

/**
 * A plan needs no room for more snapshots than it may have: where there is none for another one, the oldest go before the new
 * one is made, and only then.
 */
const makeRoom = defineStep<SnapshotInput, Removed>({
  name: 'make room',
  async run(context) {
    const { drivers, input } = context
    await holdOut(context, input.box)
    const due = await tooMany(context)
    if (due.length === 0) return { gone: [], usage: undefined }
    try {
      await drivers.storageBoxes.createSnapshot(input.box, input.name)
      return { gone: [], usage: undefined }
    } catch (error) {
      if (!(error instanceof DriverError) || error.code !== 'no_room') throw error
      return { gone: await rotateOut(context, due), usage: undefined }
    }
  },
  commit: recordRemoved,
  undo: takeBack,
})

const made = defineStep<SnapshotInput, void>({
  name: 'create',
  run: ({ drivers, input }) => drivers.storageBoxes.createSnapshot(input.box, input.name),
  undo: takeBack,
})

/** Only now that the new one is complete do the oldest ones of a plan go. It stays, whatever becomes of them. */
const rotate = defineStep<SnapshotInput, Removed>({
  name: 'rotate',
  run: async (context) => ({
    gone: await rotateOut(context, await tooMany(context)),
    usage: await measured(context),
  }),
  commit: recordRemoved,
})

export const createSnapshot = defineAction<SnapshotInput>({
  family,
  command: 'create_snapshot',
  steps: [makeRoom, made, rotate],
  async revert(tx, { scope, input }) {
    await holdBox(tx, scope, input.box)
    await removeRows(tx, scope, [input.snapshot])
  },
})

export const removeSnapshot = defineAction<SnapshotInput>({
  family,
  command: 'delete_snapshot',
  steps: [
    defineStep<SnapshotInput, Removed>({
      name: 'delete',
      async run(context) {
        const { drivers, input } = context
        await holdOut(context, input.box)
        await drivers.storageBoxes.deleteSnapshot(input.box, input.name)
        return { gone: [input.snapshot], usage: await measured(context) }
      },
      commit: recordRemoved,
    }),
  ],
})

export const rollBack = defineAction<SnapshotInput>({
  family,
  command: 'rollback_snapshot',
  steps: [
    defineStep<SnapshotInput, Removed, readonly string[]>({
      name: 'roll back',
      async run(context) {
        const { actionId, query, scope, drivers, input } = context
        await holdOut(context, input.box)
        const newer = (await snapshotsOf(query, scope, input.box)).filter(({ id }) => id > input.snapshot)
        const names = newer.map(({ name }) => name)
        await drivers.storageBoxes.rollback(input.box, input.name, names, actionId)
        return { gone: newer.map(({ id }) => id), usage: await measured(context) }
      },
      commit: recordRemoved,
      // It may have taken effect, wholly or in part, before it failed.
      undo: ({ drivers, input }) => drivers.storageBoxes.snapshots(input.box),
      undone: (tx, { scope, input }, left) => dropLost(tx, scope, input.box, left),
    }),
  ],
})

export const enablePlan = defineRecord(family, 'enable_snapshot_plan')
export const disablePlan = defineRecord(family, 'disable_snapshot_plan')

export const snapshotActions = [createSnapshot, removeSnapshot, rollBack, enablePlan, disablePlan]
