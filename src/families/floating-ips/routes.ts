/** Floating IPs through the API. */
import { constantFormOf } from '../../kernel/contract/constant.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import type { Platform } from '../../platform.ts'
import type { floatingIpEndpoints } from './contract.ts'
import type { FloatingIp } from './domain.ts'
import { floatingIps } from './store.ts'
import { floatingIpToWire } from './view.ts'
import * as work from './work.ts'

/** One handler for each endpoint. */
export function floatingIpRoutes(platform: Platform): Handlers<typeof floatingIpEndpoints> {
  // An address shows nothing but its row, and a location that never changes.
  const shown = constantFormOf((floatingIp: FloatingIp) => floatingIpToWire(platform, floatingIp))
  return {
    ...resourceRoutes(platform, floatingIps, (some) => some.map(shown)),
    create: (call) => work.create(platform, call),
    remove: (call) => work.remove(platform, call),
    assign: (call) => work.assign(platform, call),
    unassign: (call) => work.unassign(platform, call),
    changeDnsPtr: (call) => work.rename(platform, call),
    changeProtection: (call) => work.changeProtection(platform, call),
  }
}
