/** Placement groups through the API: servers join and leave them through their own actions. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import type { Platform } from '../../platform.ts'
import type { placementGroupEndpoints } from './contract.ts'
import { placementGroups } from './store.ts'
import { placementGroupsToWire } from './view.ts'
import * as work from './work.ts'

/** One handler for each endpoint. */
export function placementGroupRoutes(platform: Platform): Handlers<typeof placementGroupEndpoints> {
  return {
    ...resourceRoutes(platform, placementGroups, (groups, query, { scope }) =>
      placementGroupsToWire(query, scope, groups),
    ),
    create: (call) => work.create(platform, call),
    remove: (call) => work.remove(platform, call),
  }
}
