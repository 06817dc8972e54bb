/** Storage Boxes are made, changed and removed asynchronously, and what fails is taken back. */
import {
  type ActionInput,
  DriverError,
  defineAction,
  defineRecord,
  defineStep,
  type ResourceRef,
  type StepContext,
} from '../../kernel/actions/define.ts'
import { type ActionStart, locked, lockedIds, toStart } from '../../kernel/actions/store.ts'
import type { Queries } from '../../kernel/data/db.ts'
import type { AtOnce } from '../../kernel/process/at-once.ts'
import { desiredStep } from '../../kernel/resource/desired.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { states } from './desired.ts'
import { accessColumns, accessIn, boxFlags } from './domain.ts'
import { dropLost, snapshots, snapshotsOf } from './snapshots/store.ts'
import { boxes, holdBox } from './store.ts'
import { subaccountFlags } from './subaccounts/domain.ts'
import { subaccounts, subaccountsOf } from './subaccounts/store.ts'
import { dropPoints } from './usage/store.ts'

export interface Input extends ActionInput {
  readonly box: number
}

/** The family that declares actions about boxes and their parts. */
export const family = 'storage_boxes'

/** The step that hands a box over: `check` may refuse it, and `done` is what its end means besides. */
export function handing<I extends Input>(besides: Pick<Parameters<typeof desiredStep<I>>[1], 'check' | 'done'> = {}) {
  return desiredStep<I>(states, {
    name: 'apply',
    targets: ({ box }) => [box],
    missing: 'the Storage Box no longer exists',
    ...besides,
  })
}

export const createBox = defineAction<Input>({
  family,
  command: 'create',
  steps: [handing({ done: (tx, { scope, input }) => boxes.set(tx, scope, input.box, { status: 'active' }) })],
  async revert(tx, { scope, input: { box: id } }) {
    const box = await boxes.find(tx.query, scope, id)
    if (box) await boxes.remove(tx, scope, box)
    // The infrastructure may have it all the same: the state stays until a driver confirms that it is gone.
    await states.renew(tx, scope, [id])
  },
})

/** A box that could not be removed is there again, with what is left of its files and snapshots. */
export const removeBox = defineAction<Input>({
  family,
  command: 'delete',
  steps: [
    // This is undone after the removal was.
    defineStep<Input, void, readonly string[]>({
      name: 'look what is left',
      undo: ({ drivers, input }) => drivers.storageBoxes.snapshots(input.box),
      undone: (tx, { scope, input }, left) => dropLost(tx, scope, input.box, left),
    }),
    desiredStep(states, {
      name: 'remove',
      targets: ({ box }) => [box],
      async done(tx, { scope, input: { box: id } }) {
        await holdBox(tx, scope, id)
        const box = await boxes.find(tx.query, scope, id)
        if (!box) return
        for (const one of await snapshotsOf(tx.query, scope, id)) await snapshots.remove(tx, scope, one)
        for (const one of await subaccountsOf(tx.query, scope, id)) await subaccounts.remove(tx, scope, one)
        await dropPoints(tx, scope, id)
        await boxes.remove(tx, scope, box)
      },
    }),
  ],
  async revert(tx, { scope, input }) {
    await boxes.set(tx, scope, input.box, { is_leaving: 0 })
    await states.renew(tx, scope, [input.box])
  },
})

interface TypeInput extends Input {
  /** The type before, and its room in bytes. */
  readonly from: number
  readonly capacity: number
}

/** What is known of a box may be some minutes old, so it is measured before it gets less room. Errors: `DriverError`. */
async function refuseTooSmall({ query, scope, drivers, input }: StepContext<TypeInput>): Promise<void> {
  const box = await boxes.find(query, scope, input.box)
  if (!box || box.capacity >= input.capacity) return
  const usage = await drivers.storageBoxes.usage(box.id)
  if (usage.data + usage.snapshots <= box.capacity) return
  throw new DriverError('the Storage Box has more in it than its new type has room for', { transient: false })
}

export const changeType = defineAction<TypeInput>({
  family,
  command: 'change_type',
  steps: [handing({ check: refuseTooSmall })],
  async revert(tx, { scope, input: { box, from, capacity } }) {
    await boxes.set(tx, scope, box, { storage_box_type: from, capacity })
    await states.renew(tx, scope, [box])
  },
})

export const resetPassword = defineAction<Input>({
  family,
  command: 'reset_password',
  steps: [handing({ done: (tx, { scope, input }) => boxes.set(tx, scope, input.box, { former_password_hash: null }) })],
  async revert(tx, { scope, input }) {
    const { formerPasswordHash } = await boxes.get(tx.query, scope, input.box)
    if (formerPasswordHash === null) return
    await boxes.set(tx, scope, input.box, { password_hash: formerPasswordHash, former_password_hash: null })
    await states.renew(tx, scope, [input.box])
  },
})

/** The action is called alike for a box and for a subaccount. */
export const updateAccess = defineAction<Input & { readonly subaccount: number | null; readonly from: string }>({
  family,
  command: 'update_access_settings',
  steps: [handing()],
  async revert(tx, { scope, input: { box, subaccount, from } }) {
    await holdBox(tx, scope, box)
    if (subaccount === null) await boxes.set(tx, scope, box, accessColumns(accessIn(boxFlags, from)))
    else await subaccounts.set(tx, scope, subaccount, accessColumns(accessIn(subaccountFlags, from)))
    await states.renew(tx, scope, [box])
  },
})

export const changeProtection = defineRecord(family, 'change_protection')

export const boxActions = [createBox, removeBox, changeType, resetPassword, updateAccess, changeProtection]

type Definition<I extends Input> = Parameters<typeof toStart<I>>[0]['definition']

/** The start of an action on a box, or on all of it with the part that `parts` names: nothing else begins meanwhile. */
export function onBox<I extends Input>(
  definition: Definition<I>,
  input: I,
  ...parts: ActionStart['resources']
): ActionStart {
  const box = boxes.ref(input.box)
  return toStart({ definition, input, resources: [box, ...parts], locks: [box], serial: [box] })
}

/** The start of an action on a part of a box. Those on several parts wait for each other, so that clients need not. */
export function onPart<I extends Input>(definition: Definition<I>, input: I, part: ResourceRef): ActionStart {
  const box = boxes.ref(input.box)
  return toStart({ definition, input, resources: [box, part], locks: [part], serial: [box] })
}

/** The start of an action that makes a part of a box: only one is made at a time. */
export function making<I extends Input>(definition: Definition<I>, input: I, part: ResourceRef): ActionStart {
  return { ...onPart(definition, input, part), locks: [part, makingIn(input.box)] }
}

const makingIn = (box: number): ResourceRef => ({ type: 'storage_box_making', id: box })

/** Those of some boxes of which no part can be made now: something happens to all of it, or another part is being made. */
export function withoutMaking(
  query: Queries,
  scope: ProjectScope,
  ids: readonly number[],
): AtOnce<ReadonlySet<number>> {
  return lockedIds(query, scope, [boxes.type, makingIn(0).type], ids)
}

/** Refuses to make a part of a box of which none can be made now. Errors: `locked`. */
export async function refuseMaking(query: Queries, scope: ProjectScope, box: number): Promise<void> {
  if ((await withoutMaking(query, scope, [box])).size > 0) throw locked(boxes.type)
}

/** Refuses what concerns all of a box while something happens to it or to a part of it. Errors: `locked`. */
export async function refuseBusy(query: Queries, scope: ProjectScope, box: number): Promise<void> {
  await refuseMaking(query, scope, box)
  await refuseAny(query, scope, snapshots.type, await snapshotsOf(query, scope, box))
  await refuseAny(query, scope, subaccounts.type, await subaccountsOf(query, scope, box))
}

/** Refuses where an action locks some part. Errors: `locked`. */
async function refuseAny(query: Queries, scope: ProjectScope, type: string, parts: readonly { readonly id: number }[]) {
  const ids = parts.map(({ id }) => id)
  if ((await lockedIds(query, scope, type, ids)).size > 0) throw locked(boxes.type)
}
