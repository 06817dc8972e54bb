/** The placement group that a server is in. */
import { invalidInput } from '../../../kernel/errors.ts'
import { joinGroup, leaveGroup } from '../../placement-groups/effects.ts'
import { membersAmong, placementGroupsOfServers } from '../../placement-groups/reads.ts'
import type { Attachment } from '../attachment.ts'

export const placementGroupAttachment: Attachment = {
  async show(query, scope, serverIds) {
    const groups = await placementGroupsOfServers(query, scope, serverIds)
    return (serverId) => ({ placement_group: groups.get(serverId) ?? null })
  },
  async attach(tx, scope, { id: serverId }, { placement_group: groupId }) {
    if (groupId) await joinGroup(tx, scope, { groupId, serverId }, () => groupMissing(groupId))
    return []
  },
  async state(query, scope, serverId) {
    const [member] = await membersAmong(query, scope, [serverId])
    return { placementGroup: member?.groupId ?? null }
  },
  detach: leaveGroup,
}

/** 422 `invalid_input` for a placement group that a request names. */
export function groupMissing(id: number) {
  return invalidInput([{ field: 'placement_group', message: `placement group with ID ${id} not found` }])
}
