/** Subaccounts change asynchronously: their box is handed over with all its accounts. */
import { defineAction } from '../../../kernel/actions/define.ts'
import { family, handing, type Input } from '../actions.ts'
import { states } from '../desired.ts'
import { holdBox } from '../store.ts'
import { subaccounts } from './store.ts'

interface SubaccountInput extends Input {
  readonly subaccount: number
}

export const createSubaccount = defineAction<SubaccountInput>({
  family,
  command: 'create_subaccount',
  steps: [handing()],
  async revert(tx, { scope, input: { box, subaccount } }) {
    await holdBox(tx, scope, box)
    const found = await subaccounts.find(tx.query, scope, subaccount)
    if (found) await subaccounts.remove(tx, scope, found)
    await states.renew(tx, scope, [box])
  },
})

export const removeSubaccount = defineAction<SubaccountInput>({
  family,
  command: 'delete_subaccount',
  steps: [
    handing({
      async done(tx, { scope, input: { box, subaccount } }) {
        await holdBox(tx, scope, box)
        const found = await subaccounts.find(tx.query, scope, subaccount)
        if (found) await subaccounts.remove(tx, scope, found)
      },
    }),
  ],
  async revert(tx, { scope, input: { box, subaccount } }) {
    await holdBox(tx, scope, box)
    await subaccounts.set(tx, scope, subaccount, { is_leaving: 0 })
    await states.renew(tx, scope, [box])
  },
})

export const changeHome = defineAction<SubaccountInput & { readonly from: string }>({
  family,
  command: 'change_home_directory',
  steps: [handing()],
  async revert(tx, { scope, input: { box, subaccount, from } }) {
    await holdBox(tx, scope, box)
    await subaccounts.set(tx, scope, subaccount, { home_directory: from })
    await states.renew(tx, scope, [box])
  },
})

export const resetPassword = defineAction<SubaccountInput>({
  family,
  command: 'reset_subaccount_password',
  steps: [
    handing({
      async done(tx, { scope, input: { box, subaccount } }) {
        await holdBox(tx, scope, box)
        await subaccounts.set(tx, scope, subaccount, { former_password_hash: null })
      },
    }),
  ],
  async revert(tx, { scope, input: { box, subaccount } }) {
    await holdBox(tx, scope, box)
    const { formerPasswordHash } = await subaccounts.get(tx.query, scope, subaccount)
    if (formerPasswordHash === null) return
    const columns = { password_hash: formerPasswordHash, former_password_hash: null }
    await subaccounts.set(tx, scope, subaccount, columns)
    await states.renew(tx, scope, [box])
  },
})

export const subaccountActions = [createSubaccount, removeSubaccount, changeHome, resetPassword]
