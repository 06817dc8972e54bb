/** Certificates through the API. Uploaded certificates exist at once; actions issue and renew managed ones. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import type { Platform } from '../../platform.ts'
import type { certificateEndpoints } from './contract.ts'
import * as managed from './managed/work.ts'
import { certificates } from './store.ts'
import * as uploaded from './uploaded/work.ts'
import { certificatesToWire } from './view.ts'
import * as work from './work.ts'

/** One handler for each endpoint. */
export function certificateRoutes(platform: Platform): Handlers<typeof certificateEndpoints> {
  const parse = uploaded.openParser()
  return {
    ...resourceRoutes(platform, certificates, certificatesToWire),

    create: (call) =>
      call.body.type === 'managed' ? managed.create(platform, call) : uploaded.create(platform, parse, call),

    remove: (call) => work.remove(platform, call),
    retry: (call) => managed.retry(platform, call),
  }
}
