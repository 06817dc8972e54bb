/** Servers join and leave placement groups, on request. */
import { recordOf, refuseLocked, toStart } from '../../../kernel/actions/store.ts'
import type { Calls } from '../../../kernel/contract/contract.ts'
import { ApiError, invalidInput } from '../../../kernel/errors.ts'
import { act } from '../../../kernel/resource/work.ts'
import type { Platform } from '../../../platform.ts'
import { joinGroup, leaveGroup } from '../../placement-groups/effects.ts'
import { membersAmong } from '../../placement-groups/reads.ts'
import { onServer } from '../actions.ts'
import { isConnected, state } from '../desired.ts'
import { allows } from '../domain.ts'
import { servers, setPower } from '../store.ts'
import { addToPlacementGroup, removeFromPlacementGroup } from './actions.ts'
import { groupMissing } from './attachment.ts'
import type { membershipEndpoints } from './contract.ts'

type Call = Calls<typeof membershipEndpoints>

/** Puts a server that is off into a group, and starts it. Errors: those that the contract declares. */
export const join = (platform: Platform, call: Call['addToPlacementGroup']) =>
  act(platform, servers, call, async (tx, { id, status }) => {
    const { scope, body } = call
    await refuseLocked(tx.query, scope, servers.ref(id))
    if (!allows(status, 'addToPlacementGroup')) throw new ApiError('server_not_stopped', 'the server must be off')
    const [current] = await membersAmong(tx.query, scope, [id])
    if (current) {
      const message = `the server is in placement group with ID ${current.groupId} already`
      throw invalidInput([{ field: 'placement_group', message }], message)
    }
    const power = (await isConnected(tx.query, scope, id)) ? 'on' : 'off'
    await setPower(tx, scope, id, { power, manner: 'hard', status: 'migrating' })
    await state.renew(tx, scope, [id])
    const member = { groupId: Number(body.placement_group), serverId: id }
    await joinGroup(tx, scope, member, () => groupMissing(member.groupId))
    return toStart({ definition: addToPlacementGroup, input: { server: id }, ...onServer(id) })
  })

/** A server stays where it runs: its place is only bound no longer. Errors: `locked`. */
export const leave = (platform: Platform, call: Call['removeFromPlacementGroup']) =>
  act(platform, servers, call, async (tx, { id }) => {
    await refuseLocked(tx.query, call.scope, servers.ref(id))
    await state.renew(tx, call.scope, [id])
    await leaveGroup(tx, call.scope, id)
    return recordOf(removeFromPlacementGroup, servers.ref(id))
  })
