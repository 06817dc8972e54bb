/** Load Balancers in networks, through the API. */
import type { Handlers } from '../../../kernel/contract/contract.ts'
import type { Platform } from '../../../platform.ts'
import type { placeEndpoints } from './contract.ts'
import * as work from './work.ts'

/** One handler for each endpoint that is about networks. */
export function placeRoutes(platform: Platform): Handlers<typeof placeEndpoints> {
  return {
    attachToNetwork: (call) => work.attach(platform, call),
    detachFromNetwork: (call) => work.detach(platform, call),
  }
}
