/** Services of Load Balancers through the API. */
import type { Handlers } from '../../../kernel/contract/contract.ts'
import type { Platform } from '../../../platform.ts'
import type { serviceEndpoints } from './contract.ts'
import * as work from './work.ts'

/** One handler for each endpoint that is about services. */
export function serviceRoutes(platform: Platform): Handlers<typeof serviceEndpoints> {
  return {
    addService: (call) => work.add(platform, call),
    updateService: (call) => work.update(platform, call),
    deleteService: (call) => work.remove(platform, call),
  }
}
