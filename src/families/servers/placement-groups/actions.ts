/** What happens to servers that join or leave a placement group. */
import { defineAction, defineRecord } from '../../../kernel/actions/define.ts'
import { desiredStep } from '../../../kernel/resource/desired.ts'
import { leaveGroup } from '../../placement-groups/effects.ts'
import { type Input, ofServer, rest } from '../actions.ts'
import { state } from '../desired.ts'
import { revertPower } from '../store.ts'

/** A server finds its host when it starts: one that joins a group does so off, and runs afterwards if it has a network. */
export const addToPlacementGroup = defineAction<Input>({
  family: 'servers',
  command: 'add_to_placement_group',
  steps: [
    desiredStep(state, {
      name: 'start',
      ...ofServer,
      done: rest,
    }),
  ],
  async revert(tx, { scope, input }) {
    await revertPower(tx, scope, input.server)
    await state.renew(tx, scope, [input.server])
    await leaveGroup(tx, scope, input.server)
  },
})

export const removeFromPlacementGroup = defineRecord('servers', 'remove_from_placement_group')

export const membershipActions = [addToPlacementGroup, removeFromPlacementGroup]
