/** Placement groups through the API: servers join and leave them through their own actions. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { adding, removal, resourceRoutes } from '../../kernel/resource/routes.ts'
import type { Platform } from '../../platform.ts'
import type { placementGroupEndpoints } from './contract.ts'
import { dissolveGroup, placementGroups } from './store.ts'
import { placementGroupsToWire } from './view.ts'

/** One handler for each endpoint. */
export function placementGroupRoutes(platform: Platform): Handlers<typeof placementGroupEndpoints> {
  return {
    ...resourceRoutes(platform, placementGroups, (groups, query, { scope }) =>
      placementGroupsToWire(query, scope, groups),
    ),

    create: ({ scope, body: { name, type, labels = {} } }) =>
      adding(platform, placementGroups, scope, async (tx) => {
        const group = await placementGroups.insert(tx, scope, { name, type, labels })
        const [placement_group] = await placementGroupsToWire(tx.query, scope, [group])
        return { placement_group: placement_group!, action: null }
      }),

    remove: removal(platform, placementGroups, (tx, scope, { id }) => dissolveGroup(tx, scope, id)),
  }
}
