/** Load Balancers through the API. */
import type { Drivers } from '../../kernel/actions/define.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import type { loadBalancerEndpoints } from './contract.ts'
import { type Observations, observe } from './observe.ts'
import { loadBalancers } from './store.ts'
import { loadBalancersToWire } from './view.ts'
import * as work from './work.ts'

/** One handler for each endpoint of Load Balancers themselves. */
export function loadBalancerRoutes(platform: Platform, drivers: Drivers): Handlers<typeof loadBalancerEndpoints> {
  const { db, secrets } = platform
  const look = (scope: ProjectScope, ids: readonly number[]): Promise<Observations> =>
    observe({ query: db.query, scope, drivers, secrets }, ids)
  /** The handlers with what `see` sees of Load Balancers. */
  const resource = (see: typeof look) =>
    resourceRoutes(platform, loadBalancers, async (some, query, { scope }) => {
      const ids = some.map(({ id }) => id)
      return loadBalancersToWire(platform, query, scope, some, await see(scope, ids))
    })
  const { list, get } = resource(look)

  return {
    list,
    get,
    create: (call) => work.create(platform, call),

    async update(call) {
      // No data plane is waited for within a transaction.
      const seen = await look(call.scope, [call.params.id])
      return resource(async () => seen).update(call)
    },

    remove: (call) => work.remove(platform, call),
    changeAlgorithm: (call) => work.changeAlgorithm(platform, call),
    changeType: (call) => work.changeType(platform, call),
    enablePublicInterface: (call) => work.enablePublicInterface(platform, call),
    disablePublicInterface: (call) => work.disablePublicInterface(platform, call),
    changeProtection: (call) => work.changeProtection(platform, call),
  }
}
