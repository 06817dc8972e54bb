/** Images, backups and rebuilds of servers through the API. */
import type { Handlers } from '../../../kernel/contract/contract.ts'
import type { Platform } from '../../../platform.ts'
import type { serverEndpoints } from '../contract.ts'
import * as work from './work.ts'

type DiskRoutes = Pick<Handlers<typeof serverEndpoints>, 'createImage' | 'enableBackup' | 'disableBackup' | 'rebuild'>

/** One handler for each endpoint that is about the disk of a server. */
export function diskRoutes(platform: Platform): DiskRoutes {
  return {
    createImage: (call) => work.copy(platform, call),
    enableBackup: (call) => work.beginBackups(platform, call),
    disableBackup: (call) => work.endBackups(platform, call),
    rebuild: (call) => work.rebuild(platform, call),
  }
}
