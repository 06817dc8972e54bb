/** Floating IPs through the API. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import type { Platform } from '../../platform.ts'
import type { floatingIpEndpoints } from './contract.ts'
import { floatingIps } from './store.ts'
import { floatingIpToWire } from './view.ts'
import * as work from './work.ts'

/** One handler for each endpoint. */
export function floatingIpRoutes(platform: Platform): Handlers<typeof floatingIpEndpoints> {
  return {
    ...resourceRoutes(platform, floatingIps, (some) =>
      some.map((floatingIp) => floatingIpToWire(platform, floatingIp)),
    ),
    create: (call) => work.create(platform, call),
    remove: (call) => work.remove(platform, call),
    assign: (call) => work.assign(platform, call),
    unassign: (call) => work.unassign(platform, call),
    changeDnsPtr: (call) => work.rename(platform, call),
    changeProtection: (call) => work.changeProtection(platform, call),
  }
}
