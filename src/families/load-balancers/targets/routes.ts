/** Targets of Load Balancers through the API. */
import type { Handlers } from '../../../kernel/contract/contract.ts'
import type { Platform } from '../../../platform.ts'
import type { targetEndpoints } from './contract.ts'
import * as work from './work.ts'

/** One handler for each endpoint that is about targets. */
export function targetRoutes(platform: Platform): Handlers<typeof targetEndpoints> {
  return {
    addTarget: (call) => work.add(platform, call),
    removeTarget: (call) => work.remove(platform, call),
  }
}
