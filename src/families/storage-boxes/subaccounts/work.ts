/** Subaccounts are made, changed and deleted on request, under the lock of their box. */
import { actionToWire } from '../../../kernel/actions/routes.ts'
import { type ActionStart, refuseLocked, startAction } from '../../../kernel/actions/store.ts'
import { noteTouched } from '../../../kernel/audit/note.ts'
import type { Calls } from '../../../kernel/contract/contract.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import { invalidInput, limitExceeded, type Problem } from '../../../kernel/errors.ts'
import { unrivalled } from '../../../kernel/resource/update.ts'
import { act } from '../../../kernel/resource/work.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { making, onPart, refuseMaking, updateAccess } from '../actions.ts'
import type { storageBoxEndpoints } from '../contract.ts'
import { states } from '../desired.ts'
import { accessColumns, accessText, noAccess, type StorageBox, usernameOf, withAccess } from '../domain.ts'
import { boxes } from '../store.ts'
import { hashed, passwordFault, type Shop } from '../work.ts'
import { changeHome, createSubaccount, removeSubaccount, resetPassword } from './actions.ts'
import { homeProblem, nextNumber, type Subaccount, subaccountFlags, subaccountName } from './domain.ts'
import { checkName, insertSubaccount, subaccountIn, subaccounts, subaccountsOf } from './store.ts'
import { subaccountToWire } from './view.ts'

type Call = Calls<typeof storageBoxEndpoints>

/** Gives a box a subaccount. Errors: those that the contract declares. */
export async function create(shop: Shop, { scope, params: { id }, body }: Call['createSubaccount']) {
  await boxes.get(shop.db.query, scope, id)
  const problems = [...homeFault(body.home_directory), ...passwordFault(shop, body.password)]
  if (problems.length > 0) throw invalidInput(problems)
  const passwordHash = await hashed(shop, scope, body.password)
  return shop.db.transact(async (tx) => {
    const box = await boxes.lock(tx, scope, id)
    await refuseMaking(tx.query, scope, id)
    const others = await subaccountsOf(tx.query, scope, id)
    refuseMore(shop, box, others.length)
    const number = nextNumber(box, others)
    const { name = subaccountName(usernameOf(id), number), description = '', labels = {} } = body
    checkName(others, name)
    const access = withAccess(noAccess(subaccountFlags), body.access_settings)
    const given = { boxId: id, number, name, description, home: body.home_directory, access, passwordHash, labels }
    const subaccount = await insertSubaccount(tx, scope, given)
    await boxes.set(tx, scope, id, { subaccounts_made: number })
    await states.renew(tx, scope, [id])
    const start = making(createSubaccount, { box: id, subaccount: subaccount.id }, subaccounts.ref(subaccount.id))
    const action = await startAction(tx, scope, start)
    noteTouched(tx, subaccount.id)
    return { subaccount: { id: subaccount.id, storage_box: id }, action: actionToWire(action) }
  })
}

function homeFault(path: string): Problem[] {
  const message = homeProblem(path)
  return message === undefined ? [] : [{ field: 'home_directory', message }]
}

/** Errors: `resource_limit_exceeded`. */
function refuseMore({ catalogue }: Shop, { typeId }: StorageBox, count: number): void {
  const most = catalogue.storageBoxTypeById(typeId)?.subaccounts_limit ?? 0
  if (count < most) return
  throw limitExceeded('storage_box_subaccounts', `this Storage Box cannot have more than ${most} subaccounts`)
}

/** Changes what a subaccount is called. Errors: `uniqueness_error`. */
export function update(shop: Shop, { scope, params, body }: Call['updateSubaccount']) {
  const { id: boxId, subaccount_id: id } = params
  return shop.db.transact(async (tx) => {
    await boxes.lock(tx, scope, boxId)
    const before = await subaccountIn(tx.query, scope, boxId, id)
    const { name = before.name, description = before.description, labels = before.labels } = body
    checkName(await subaccountsOf(tx.query, scope, boxId), name, id)
    const after = unrivalled(await subaccounts.update(tx, scope, before, { name, description, labels }))
    return { subaccount: subaccountToWire(shop, after) }
  })
}

interface OnSubaccount {
  readonly scope: ProjectScope
  readonly params: { readonly id: number; readonly subaccount_id: number }
}

/** Changes a subaccount and hands its box over. Errors: `locked`; those of `work`. */
function change(
  shop: Shop,
  call: OnSubaccount,
  work: (tx: Transaction, subaccount: Subaccount) => Promise<ActionStart>,
) {
  const { scope, params } = call
  return act(shop, boxes, call, async (tx, box) => {
    const subaccount = await subaccountIn(tx.query, scope, box.id, params.subaccount_id)
    await refuseLocked(tx.query, scope, boxes.ref(box.id))
    const start = await work(tx, subaccount)
    await states.renew(tx, scope, [box.id])
    return start
  })
}

const inputOf = ({ boxId: box, id: subaccount }: Subaccount) => ({ box, subaccount })

/** Deletes a subaccount; the files in its directory stay. Errors: `locked`. */
export const remove = (shop: Shop, call: Call['removeSubaccount']) =>
  change(shop, call, async (tx, one) => {
    await subaccounts.set(tx, call.scope, one.id, { is_leaving: 1 })
    return onPart(removeSubaccount, inputOf(one), subaccounts.ref(one.id))
  })

/** Gives a subaccount another directory. Errors: `invalid_input`, `locked`. */
export const moveHome = (shop: Shop, call: Call['changeHomeDirectory']) =>
  change(shop, call, async (tx, one) => {
    const problems = homeFault(call.body.home_directory)
    if (problems.length > 0) throw invalidInput(problems)
    await subaccounts.set(tx, call.scope, one.id, { home_directory: call.body.home_directory })
    return onPart(changeHome, { ...inputOf(one), from: one.home }, subaccounts.ref(one.id))
  })

/** Sets the password of a subaccount. Errors: `invalid_input`, `locked`. */
export async function changePassword(shop: Shop, call: Call['resetSubaccountPassword']) {
  const { scope, params, body } = call
  // A subaccount that is not there is missing whatever the password is.
  await boxes.get(shop.db.query, scope, params.id)
  await subaccountIn(shop.db.query, scope, params.id, params.subaccount_id)
  const problems = passwordFault(shop, body.password)
  if (problems.length > 0) throw invalidInput(problems)
  const hash = await hashed(shop, scope, body.password)
  return change(shop, call, async (tx, one) => {
    const columns = { password_hash: hash, former_password_hash: one.passwordHash }
    await subaccounts.set(tx, scope, one.id, columns)
    return onPart(resetPassword, inputOf(one), subaccounts.ref(one.id))
  })
}

/** Changes how a subaccount can be reached. Errors: `locked`. */
export const changeAccess = (shop: Shop, call: Call['updateSubaccountAccess']) =>
  change(shop, call, async (tx, one) => {
    await subaccounts.set(tx, call.scope, one.id, accessColumns(withAccess(one.access, call.body)))
    return onPart(updateAccess, { ...inputOf(one), from: accessText(one.access) }, subaccounts.ref(one.id))
  })
