/** ISOs of servers through the API. */
import type { Handlers } from '../../../kernel/contract/contract.ts'
import type { Platform } from '../../../platform.ts'
import type { isoEndpoints } from './contract.ts'
import * as work from './work.ts'

/** One handler for each endpoint that is about the ISO of a server. */
export function isoRoutes(platform: Platform): Handlers<typeof isoEndpoints> {
  return {
    attachIso: (call) => work.attach(platform, call),
    detachIso: (call) => work.detach(platform, call),
  }
}
