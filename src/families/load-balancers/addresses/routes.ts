/** Reverse names of the addresses of Load Balancers, through the API. */
import type { Handlers } from '../../../kernel/contract/contract.ts'
import type { Platform } from '../../../platform.ts'
import type { addressEndpoints } from './contract.ts'
import * as work from './work.ts'

/** One handler for each endpoint that is about addresses. */
export function addressRoutes(platform: Platform): Handlers<typeof addressEndpoints> {
  return {
    changeDnsPtr: (call) => work.rename(platform, call),
  }
}
