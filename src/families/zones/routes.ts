/** Zones through the API. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import type { Platform } from '../../platform.ts'
import type { zoneEndpoints } from './contract.ts'
import { getZone, zones } from './store.ts'
import { shownZone, zonesToWire } from './view.ts'
import * as work from './work.ts'

/** One handler for each endpoint of zones themselves. */
export function zoneRoutes(platform: Platform): Handlers<typeof zoneEndpoints> {
  const { db } = platform
  const { list } = resourceRoutes(platform, zones, zonesToWire(platform))
  return {
    list,

    async get(call) {
      const zone = await getZone(db.query, call.scope, call.params.id_or_name)
      return { zone: await shownZone(platform, db.query, call, zone) }
    },

    create: (call) => work.create(platform, call),
    update: (call) => work.update(platform, call),
    remove: (call) => work.remove(platform, call),
    changeTtl: (call) => work.changeTtl(platform, call),
    changePrimaryNameservers: (call) => work.changePrimaryNameservers(platform, call),
    changeProtection: (call) => work.changeProtection(platform, call),
  }
}
