/** Snapshots are made, deleted and rolled back to asynchronously. Nothing else happens to their box meanwhile. */
import { defineAction, defineRecord, defineStep, type StepContext } from '../../../kernel/actions/define.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { family, type Input } from '../actions.ts'
import { holdOut } from '../desired.ts'
import type { BoxUsage } from '../driver.ts'
import { boxes, holdBox } from '../store.ts'
import { type Snapshot, surplus } from './domain.ts'
import { recordUsage, snapshots, snapshotsOf } from './store.ts'

export interface SnapshotInput extends Input {
  readonly snapshot: number
  readonly name: string
}

async function removeAll(tx: Transaction, scope: ProjectScope, some: readonly Snapshot[]): Promise<void> {
  for (const one of some) await snapshots.remove(tx, scope, one)
}

/** Those of a box that a plan made and that are too many by now. */
async function tooMany({ query, scope, input }: StepContext<SnapshotInput>): Promise<readonly Snapshot[]> {
  const box = await boxes.find(query, scope, input.box)
  return box?.plan ? surplus(await snapshotsOf(query, scope, input.box), box.plan.maxSnapshots) : []
}

interface Rotated {
  readonly gone: readonly Snapshot[]
  readonly usage: BoxUsage
}

/** Only now that the new one is complete do the oldest ones of a plan go. */
const rotate = defineStep<SnapshotInput, Rotated>({
  name: 'rotate',
  async run(context) {
    const { drivers, input } = context
    const gone = await tooMany(context)
    for (const { name } of gone) await drivers.storageBoxes.deleteSnapshot(input.box, name)
    return { gone, usage: await drivers.storageBoxes.usage(input.box) }
  },
  async commit(tx, { scope, input }, { gone, usage }) {
    await holdBox(tx, scope, input.box)
    await removeAll(tx, scope, gone)
    await recordUsage(tx, scope, input.box, usage)
  },
})

const made = defineStep<SnapshotInput, void>({
  name: 'create',
  async run(context) {
    const { drivers, input } = context
    await holdOut(context, input.box)
    await drivers.storageBoxes.createSnapshot(input.box, input.name)
  },
  undo: ({ drivers, input: { box, name } }) => drivers.storageBoxes.deleteSnapshot(box, name),
})

export const createSnapshot = defineAction<SnapshotInput>({
  family,
  command: 'create_snapshot',
  steps: [made, rotate],
  async revert(tx, { scope, input }) {
    await holdBox(tx, scope, input.box)
    const snapshot = await snapshots.find(tx.query, scope, input.snapshot)
    if (snapshot) await snapshots.remove(tx, scope, snapshot)
  },
})

export const removeSnapshot = defineAction<SnapshotInput>({
  family,
  command: 'delete_snapshot',
  steps: [
    defineStep<SnapshotInput, BoxUsage>({
      name: 'delete',
      async run(context) {
        const { drivers, input } = context
        await holdOut(context, input.box)
        await drivers.storageBoxes.deleteSnapshot(input.box, input.name)
        return drivers.storageBoxes.usage(input.box)
      },
      async commit(tx, { scope, input }, usage) {
        await holdBox(tx, scope, input.box)
        const snapshot = await snapshots.find(tx.query, scope, input.snapshot)
        if (snapshot) await snapshots.remove(tx, scope, snapshot)
        await recordUsage(tx, scope, input.box, usage)
      },
    }),
  ],
})

export const rollBack = defineAction<SnapshotInput>({
  family,
  command: 'rollback_snapshot',
  steps: [
    defineStep<SnapshotInput, Rotated>({
      name: 'roll back',
      async run(context) {
        const { actionId, query, scope, drivers, input } = context
        await holdOut(context, input.box)
        const gone = (await snapshotsOf(query, scope, input.box)).filter(({ id }) => id > input.snapshot)
        const newer = gone.map(({ name }) => name)
        await drivers.storageBoxes.rollback(input.box, input.name, newer, actionId)
        return { gone, usage: await drivers.storageBoxes.usage(input.box) }
      },
      async commit(tx, { scope, input }, { gone, usage }) {
        await holdBox(tx, scope, input.box)
        await removeAll(tx, scope, gone)
        await recordUsage(tx, scope, input.box, usage)
      },
    }),
  ],
})

export const enablePlan = defineRecord(family, 'enable_snapshot_plan')
export const disablePlan = defineRecord(family, 'disable_snapshot_plan')

export const snapshotActions = [createSnapshot, removeSnapshot, rollBack, enablePlan, disablePlan]
