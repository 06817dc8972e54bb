/** Networks through the API. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import type { Platform } from '../../platform.ts'
import type { networkEndpoints } from './contract.ts'
import { networks } from './store.ts'
import { networksToWire } from './view.ts'
import * as work from './work.ts'

/** One handler for each endpoint. */
export function networkRoutes(platform: Platform): Handlers<typeof networkEndpoints> {
  const resource = resourceRoutes(platform, networks, (some, query, { scope }) => networksToWire(query, scope, some), {
    after: work.afterUpdate,
  })

  return {
    ...resource,

    update({ body: { expose_routes_to_vswitch: exposes, ...body }, ...call }) {
      const column = exposes === undefined ? {} : { expose_routes_to_vswitch: exposes ? (1 as const) : (0 as const) }
      return resource.update({ ...call, body: { ...body, ...column } })
    },

    create: (call) => work.create(platform, call),
    remove: (call) => work.remove(platform, call),
    addSubnet: (call) => work.addSubnet(platform, call),
    deleteSubnet: (call) => work.deleteSubnet(platform, call),
    addRoute: (call) => work.addRoute(platform, call),
    deleteRoute: (call) => work.deleteRoute(platform, call),
    changeIpRange: (call) => work.changeIpRange(platform, call),
    changeProtection: (call) => work.changeProtection(platform, call),
  }
}
