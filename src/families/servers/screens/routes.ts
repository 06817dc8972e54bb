/** Consoles through the API. */
import type { Handlers } from '../../../kernel/contract/contract.ts'
import type { Platform } from '../../../platform.ts'
import type { consoleEndpoints } from './contract.ts'
import * as work from './work.ts'

/** One handler for each endpoint that is about consoles. */
export function consoleRoutes(platform: Platform): Handlers<typeof consoleEndpoints> {
  return {
    requestConsole: (call) => work.openSession(platform, call),
  }
}
