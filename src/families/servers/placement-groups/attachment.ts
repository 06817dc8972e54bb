/** The placement group that a server is in. */
import { keptParts } from '../../../kernel/data/kept.ts'
import { invalidInput } from '../../../kernel/errors.ts'
import { after } from '../../../kernel/process/at-once.ts'
import { joinGroup, leaveGroup } from '../../placement-groups/effects.ts'
import { type GroupOfServer, membersAmong, placementGroupsOfServers } from '../../placement-groups/reads.ts'
import type { Attachment } from '../attachment.ts'

const shown = keptParts(
  ({ serverId }: GroupOfServer) => serverId,
  ([own]) => ({ placement_group: own?.group ?? null }),
)

export const placementGroupAttachment: Attachment = {
  show: (query, scope, serverIds) => after(placementGroupsOfServers(query, scope, serverIds), shown),
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
