/** The rescue system and new passwords through the API. */
import type { Handlers } from '../../../kernel/contract/contract.ts'
import type { Platform } from '../../../platform.ts'
import type { accessEndpoints } from './contract.ts'
import * as work from './work.ts'

/** One handler for each endpoint that is about the ways into a server. */
export function accessRoutes(platform: Platform): Handlers<typeof accessEndpoints> {
  return {
    enableRescue: (call) => work.enable(platform, call),
    disableRescue: (call) => work.disable(platform, call),
    resetPassword: (call) => work.reset(platform, call),
  }
}
