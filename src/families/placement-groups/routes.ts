/** Placement groups through the API: servers join and leave them through their own actions. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import { beforeWrite, changedMeanwhile, optimistically } from '../../kernel/resource/update.ts'
import { adding } from '../../kernel/resource/work.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { releaseServers } from './attachments.ts'
import type { placementGroupEndpoints } from './contract.ts'
import { dissolveGroup, membersOfGroups, placementGroups } from './store.ts'
import { placementGroupsToWire } from './view.ts'

/** Deletes a group. Errors: `not_found`; `conflict` when servers keep joining it. */
function removeGroup({ db, faults }: Platform, scope: ProjectScope, groupId: number): Promise<void> {
  return optimistically(placementGroups, groupId, async () => {
    const members = (await membersOfGroups(db.query, scope, [groupId])).map(({ serverId }) => serverId)
    await beforeWrite(faults, placementGroups.type)
    return db.transact(async (tx) => {
      // Servers are locked before groups, so one that has joined meanwhile makes this begin anew.
      // To tell the infrastructure of a server once more does no harm.
      const held = await releaseServers(tx, scope, members)
      const group = await placementGroups.lock(tx, scope, groupId)
      const now = await membersOfGroups(tx.query, scope, [groupId])
      if (now.some(({ serverId }) => !held.has(serverId))) return changedMeanwhile
      await dissolveGroup(tx, scope, groupId)
      return placementGroups.remove(tx, scope, group)
    })
  })
}

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

    remove: ({ scope, params: { id } }) => removeGroup(platform, scope, id),
  }
}
