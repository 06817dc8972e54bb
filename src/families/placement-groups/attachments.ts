/** Who can be in placement groups. */
import type { Transaction } from '../../kernel/data/db.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { serverState } from '../servers/effects.ts'
import { holdServers } from '../servers/reads.ts'
import { membersOfGroups } from './store.ts'

/**
 * Tells the infrastructure that the servers of a group are bound no longer. Servers are locked before groups. Returns those
 * that were in the group by then.
 */
export async function releaseMembers(
  tx: Transaction,
  scope: ProjectScope,
  groupId: number,
): Promise<ReadonlySet<number>> {
  const members = (await membersOfGroups(tx.query, scope, [groupId])).map(({ serverId }) => serverId)
  const held = await holdServers(tx, scope, members)
  await serverState.renew(tx, scope, [...held])
  return held
}
