/** Placement groups are made and deleted on request. */
import type { Calls } from '../../kernel/contract/contract.ts'
import { beforeWrite, changedMeanwhile, optimistically } from '../../kernel/resource/update.ts'
import { adding } from '../../kernel/resource/work.ts'
import type { Platform } from '../../platform.ts'
import { releaseServers } from './attachments.ts'
import type { placementGroupEndpoints } from './contract.ts'
import { dissolveGroup, membersOfGroups, placementGroups } from './store.ts'
import { placementGroupsToWire } from './view.ts'

type Call = Calls<typeof placementGroupEndpoints>

/** Makes a group. Errors: those that the contract declares. */
export const create = (platform: Platform, { scope, body: { name, type, labels = {} } }: Call['create']) =>
  adding(platform, placementGroups, scope, async (tx) => {
    const group = await placementGroups.insert(tx, scope, { name, type, labels })
    const [placement_group] = await placementGroupsToWire(tx.query, scope, [group])
    return { added: group, reply: { placement_group: placement_group!, action: null } }
  })

/** Deletes a group. Errors: `not_found`; `conflict` when servers keep joining it. */
export function remove({ db, faults }: Platform, { scope, params: { id: groupId } }: Call['remove']): Promise<void> {
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
