/** Subaccounts of Storage Boxes through the API. */
import type { Handlers } from '../../../kernel/contract/contract.ts'
import { selectParts } from '../../../kernel/resource/parts.ts'
import type { storageBoxEndpoints } from '../contract.ts'
import { usernameOf } from '../domain.ts'
import { boxes } from '../store.ts'
import type { Shop } from '../work.ts'
import type { subaccountEndpoints } from './contract.ts'
import { type Subaccount, subaccountName } from './domain.ts'
import { subaccountIn, subaccountsOf } from './store.ts'
import { subaccountToWire } from './view.ts'
import * as work from './work.ts'

type SubaccountRoutes = Pick<Handlers<typeof storageBoxEndpoints>, keyof typeof subaccountEndpoints>

const fieldOf = (subaccount: Subaccount, field: string) => subaccount[field as 'id' | 'created']

/** One handler for each endpoint that is about subaccounts. */
export function subaccountRoutes(shop: Shop): SubaccountRoutes {
  const { query } = shop.db
  return {
    async listSubaccounts({ scope, params: { id }, query: asked }) {
      await boxes.get(query, scope, id)
      const { username } = asked
      const isWanted = ({ number }: Subaccount) =>
        username === undefined || subaccountName(usernameOf(id), number) === username
      const some = (await subaccountsOf(query, scope, id)).filter(isWanted)
      return { subaccounts: selectParts(some, asked, fieldOf).map((one) => subaccountToWire(shop, one)) }
    },

    async getSubaccount({ scope, params }) {
      await boxes.get(query, scope, params.id)
      return { subaccount: subaccountToWire(shop, await subaccountIn(query, scope, params.id, params.subaccount_id)) }
    },

    createSubaccount: (call) => work.create(shop, call),
    updateSubaccount: (call) => work.update(shop, call),
    removeSubaccount: (call) => work.remove(shop, call),
    changeHomeDirectory: (call) => work.moveHome(shop, call),
    resetSubaccountPassword: (call) => work.changePassword(shop, call),
    updateSubaccountAccess: (call) => work.changeAccess(shop, call),
  }
}
