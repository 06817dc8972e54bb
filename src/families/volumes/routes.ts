/** Volumes through the API. */
import { constantFormOf } from '../../kernel/contract/constant.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import type { Platform } from '../../platform.ts'
import type { volumeEndpoints } from './contract.ts'
import type { Volume } from './domain.ts'
import { volumes } from './store.ts'
import { volumeToWire } from './view.ts'
import * as work from './work.ts'

/** One handler for each endpoint. */
export function volumeRoutes(platform: Platform): Handlers<typeof volumeEndpoints> {
  // A volume shows nothing but its row, and a location that never changes.
  const shown = constantFormOf((volume: Volume) => volumeToWire(platform, volume))
  const resource = resourceRoutes(platform, volumes, (some) => some.map(shown))
  return {
    ...resource,

    async update(call) {
      work.checkName(call.body.name)
      return resource.update(call)
    },

    create: (call) => work.create(platform, call),
    remove: (call) => work.remove(platform, call),
    attach: (call) => work.attach(platform, call),
    detach: (call) => work.detach(platform, call),
    resize: (call) => work.resize(platform, call),
    changeProtection: (call) => work.changeProtection(platform, call),
  }
}
