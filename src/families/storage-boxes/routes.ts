/** Storage Boxes through the API. */
import type { Drivers } from '../../kernel/actions/define.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import { HashingLine } from '../../kernel/secrets/hashing.ts'
import type { Platform } from '../../platform.ts'
import type { storageBoxEndpoints } from './contract.ts'
import { listFolders } from './desired.ts'
import { snapshotRoutes } from './snapshots/routes.ts'
import { boxes } from './store.ts'
import { subaccountRoutes } from './subaccounts/routes.ts'
import { boxToWire } from './view.ts'
import * as work from './work.ts'

/** A Project may have so many requests wait until their passwords are hashed; each takes some hundredths of a second. */
const mostWaiting = 200

/** One handler for each endpoint. */
export function storageBoxRoutes(platform: Platform, drivers: Drivers): Handlers<typeof storageBoxEndpoints> {
  const shop: work.Shop = { ...platform, hashing: new HashingLine({ mostOfParty: mostWaiting }) }
  const { db, secrets } = platform
  return {
    ...resourceRoutes(platform, boxes, (some) => some.map((box) => boxToWire(platform, box))),
    ...snapshotRoutes(platform),
    ...subaccountRoutes(shop),

    async folders({ scope, params, query: { path = '.' } }) {
      const box = await boxes.get(db.query, scope, params.id)
      return { folders: await listFolders({ query: db.query, scope, drivers, secrets }, box, path) }
    },

    create: (call) => work.create(shop, call),
    remove: (call) => work.remove(shop, call),
    changeProtection: (call) => work.protect(shop, call),
    changeType: (call) => work.retype(shop, call),
    resetPassword: (call) => work.changePassword(shop, call),
    updateAccessSettings: (call) => work.changeAccess(shop, call),
  }
}
