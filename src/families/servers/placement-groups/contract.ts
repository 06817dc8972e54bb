/** How servers join and leave placement groups, on the wire (spec: Servers). */
import { Type } from 'typebox'
import { ActionReply } from '../../../kernel/actions/contract.ts'
import { defineEndpoints, Id } from '../../../kernel/contract/contract.ts'

declare module '../../../kernel/errors.ts' {
  interface CallCodes {
    server_not_stopped: 422
  }
}

const section = 'Servers'

export const membershipEndpoints = defineEndpoints({
  addToPlacementGroup: {
    method: 'POST',
    path: '/servers/{id}/actions/add_to_placement_group',
    summary: 'Put a server that is off into a placement group, and start it',
    section,
    body: Type.Object({ placement_group: Id }, { additionalProperties: false }),
    status: 201,
    reply: ActionReply,
    errors: ['locked', 'server_not_stopped', 'placement_group_member_limit_reached'],
  },
  removeFromPlacementGroup: {
    method: 'POST',
    path: '/servers/{id}/actions/remove_from_placement_group',
    summary: 'Take a server out of its placement group',
    section,
    status: 201,
    reply: ActionReply,
    errors: ['locked'],
  },
})
