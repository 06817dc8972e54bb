/** Glossaries through the API. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import { removing } from '../../kernel/resource/work.ts'
import type { Platform } from '../../platform.ts'
import type { glossaryEndpoints } from './contract.ts'
import { glossaries } from './store.ts'
import { glossaryToWire } from './view.ts'
import * as work from './work.ts'

/** One handler for each endpoint. */
export function glossaryRoutes(platform: Platform): Handlers<typeof glossaryEndpoints> {
  return {
    ...resourceRoutes(platform, glossaries, (some) => some.map(glossaryToWire)),
    create: (call) => work.create(platform, call),
    remove: (call) => removing(platform, glossaries, call),
    publish: (call) => work.publish(platform, call),
  }
}
