/** Placement groups through the API: servers join and leave them through their own actions. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError } from '../../kernel/errors.ts'
import { adding, removal, resourceRoutes } from '../../kernel/resource/routes.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { releaseMembers } from './attachments.ts'
import type { placementGroupEndpoints } from './contract.ts'
import { dissolveGroup, membersOfGroups, placementGroups } from './store.ts'
import { placementGroupsToWire } from './view.ts'

/** Errors: `conflict` when a server joined the group before it was locked. */
async function dissolve(tx: Transaction, scope: ProjectScope, groupId: number, released: ReadonlySet<number>) {
  const members = await membersOfGroups(tx.query, scope, [groupId])
  if (members.some(({ serverId }) => !released.has(serverId))) {
    throw new ApiError('conflict', 'a server has just joined the placement group')
  }
  await dissolveGroup(tx, scope, groupId)
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

    remove: removal(
      platform,
      placementGroups,
      (tx, scope, { id }, held) => dissolve(tx, scope, id, held),
      releaseMembers,
    ),
  }
}
