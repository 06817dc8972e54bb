/** Servers join and leave placement groups through the API. */
import type { Handlers } from '../../../kernel/contract/contract.ts'
import type { Platform } from '../../../platform.ts'
import type { membershipEndpoints } from './contract.ts'
import * as work from './work.ts'

/** One handler for each endpoint that is about the placement group of a server. */
export function membershipRoutes(platform: Platform): Handlers<typeof membershipEndpoints> {
  return {
    addToPlacementGroup: (call) => work.join(platform, call),
    removeFromPlacementGroup: (call) => work.leave(platform, call),
  }
}
