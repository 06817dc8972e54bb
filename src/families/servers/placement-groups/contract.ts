/** How servers join and leave placement groups, on the wire (spec: Servers). */
import { Type } from 'typebox'
import { actionsOf } from '../../../kernel/actions/contract.ts'
import { closedObject, defineEndpoints, Id } from '../../../kernel/contract/contract.ts'
import { refersTo } from '../../../kernel/contract/references.ts'

declare module '../../../kernel/errors.ts' {
  interface CallCodes {
    server_not_stopped: 422
  }
}

const section = 'Servers'
const action = actionsOf('/servers/{id}', section)

/** Older versions of the Python library send the id as text. */
const idOrText = Type.Union([Id, Type.String({ pattern: '^[1-9]\\d*$', maxLength: 15, description: 'An id as text' })])

export const membershipEndpoints = defineEndpoints({
  addToPlacementGroup: action('add_to_placement_group', {
    needs: 'restricted',
    summary: 'Put a server that is off into a placement group, and start it',
    body: closedObject({ placement_group: idOrText }),
    refers: { placement_group: refersTo('placement_group') },
    errors: ['locked', 'server_not_stopped', 'placement_group_member_limit_reached'],
  }),
  removeFromPlacementGroup: action('remove_from_placement_group', {
    needs: 'restricted',
    summary: 'Take a server out of its placement group',
    errors: ['locked'],
  }),
})
