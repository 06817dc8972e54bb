/** Servers through the API. */
import type { Drivers } from '../../kernel/actions/define.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import type { Platform } from '../../platform.ts'
import { accessRoutes } from './access/routes.ts'
import type { serverEndpoints } from './contract.ts'
import { diskRoutes } from './disk/routes.ts'
import { isoRoutes } from './iso/routes.ts'
import { metricRoutes } from './metrics/routes.ts'
import { membershipRoutes } from './placement-groups/routes.ts'
import { consoleRoutes } from './screens/routes.ts'
import { servers } from './store.ts'
import { typeRoutes } from './type/routes.ts'
import { serversToWire } from './view.ts'
import * as work from './work.ts'

/** One handler for each endpoint. */
export function serverRoutes(platform: Platform, drivers: Drivers): Handlers<typeof serverEndpoints> {
  const resource = resourceRoutes(
    platform,
    servers,
    (some, query, { scope }) => serversToWire(platform, query, scope, some),
    { before: work.beforeUpdate, after: work.afterUpdate },
  )

  return {
    ...diskRoutes(platform),
    ...membershipRoutes(platform),
    ...isoRoutes(platform),
    ...typeRoutes(platform),
    ...accessRoutes(platform),
    ...consoleRoutes(platform),
    ...metricRoutes(platform, drivers),
    ...resource,

    create: (call) => work.create(platform, call),

    async update(call) {
      work.checkName(call.body.name)
      return resource.update(call)
    },

    remove: (call) => work.remove(platform, call),
    powerOn: (call) => work.changePower(platform, 'powerOn', call),
    powerOff: (call) => work.changePower(platform, 'powerOff', call),
    shutDown: (call) => work.changePower(platform, 'shutDown', call),
    reboot: (call) => work.changePower(platform, 'reboot', call),
    reset: (call) => work.changePower(platform, 'reset', call),
    changeProtection: (call) => work.changeProtection(platform, call),
  }
}
