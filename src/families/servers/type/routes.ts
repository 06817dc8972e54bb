/** Changing the type of a server through the API. */
import type { Handlers } from '../../../kernel/contract/contract.ts'
import type { Platform } from '../../../platform.ts'
import type { typeEndpoints } from './contract.ts'
import * as work from './work.ts'

/** One handler for each endpoint that is about the type of a server. */
export function typeRoutes(platform: Platform): Handlers<typeof typeEndpoints> {
  return {
    changeType: (call) => work.changeType(platform, call),
  }
}
