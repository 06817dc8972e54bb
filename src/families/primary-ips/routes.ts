/** Primary IPs through the API. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import type { Platform } from '../../platform.ts'
import type { primaryIpEndpoints } from './contract.ts'
import { primaryIps } from './store.ts'
import { primaryIpToWire } from './view.ts'
import * as work from './work.ts'

/** One handler for each endpoint. */
export function primaryIpRoutes(platform: Platform): Handlers<typeof primaryIpEndpoints> {
  const resource = resourceRoutes(
    platform,
    primaryIps,
    (some) => some.map((primaryIp) => primaryIpToWire(platform, primaryIp)),
    { after: work.afterUpdate },
  )

  return {
    ...resource,

    update(call) {
      const { auto_delete, ...others } = call.body
      const columns = auto_delete === undefined ? {} : { auto_delete: auto_delete ? (1 as const) : (0 as const) }
      return resource.update({ ...call, body: { ...others, ...columns } })
    },

    create: (call) => work.create(platform, call),
    remove: (call) => work.remove(platform, call),
    assign: (call) => work.assign(platform, call),
    unassign: (call) => work.unassign(platform, call),
    changeDnsPtr: (call) => work.rename(platform, call),
    changeServerDnsPtr: (call) => work.renameOfServer(platform, call),
    changeProtection: (call) => work.changeProtection(platform, call),
  }
}
