/** Zone files through the API. */
import type { Handlers } from '../../../kernel/contract/contract.ts'
import type { Platform } from '../../../platform.ts'
import type { zonefileEndpoints } from './contract.ts'
import * as work from './work.ts'

/** One handler for each endpoint of zone files. */
export function zonefileRoutes(platform: Platform): Handlers<typeof zonefileEndpoints> {
  return {
    exportZonefile: (call) => work.exportZonefile(platform, call),
    importZonefile: (call) => work.importZonefile(platform, call),
  }
}
