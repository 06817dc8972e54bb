/** SSH keys through the API. */
import { constantFormOf } from '../../kernel/contract/constant.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import { removing } from '../../kernel/resource/work.ts'
import type { Platform } from '../../platform.ts'
import type { sshKeyEndpoints } from './contract.ts'
import { sshKeys } from './store.ts'
import { sshKeyToWire } from './view.ts'
import * as work from './work.ts'

/** A key shows nothing but its row. */
const shown = constantFormOf(sshKeyToWire)

/** One handler for each endpoint. */
export function sshKeyRoutes(platform: Platform): Handlers<typeof sshKeyEndpoints> {
  return {
    ...resourceRoutes(platform, sshKeys, (keys) => keys.map(shown)),
    create: (call) => work.create(platform, call),
    remove: (call) => removing(platform, sshKeys, call),
  }
}
