/** Everything that can be in networks. Adding a kind is one line here. */
import type { ActionStart } from '../../../kernel/actions/store.ts'
import type { Queries, Transaction } from '../../../kernel/data/db.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { loadBalancerMembers } from '../../load-balancers/places/attachment.ts'
import type { MemberKind } from './attachment.ts'
import type { Member } from './domain.ts'
import { serverMembers } from './servers.ts'

export const memberKinds: readonly MemberKind[] = [serverMembers, loadBalancerMembers]

/** Takes everybody out of a network that the transaction has locked; returns the actions to start. */
export async function leaveNetwork(tx: Transaction, scope: ProjectScope, networkId: number): Promise<ActionStart[]> {
  for (const { hold } of memberKinds) await hold?.(tx, scope, networkId)
  const starts: ActionStart[] = []
  for (const { leave } of memberKinds) starts.push(...(await leave(tx, scope, networkId)))
  return starts
}

/** Everybody in some networks, by id. */
export async function membersOf(query: Queries, scope: ProjectScope, networkIds: readonly number[]): Promise<Member[]> {
  const kinds = await Promise.all(memberKinds.map(({ within }) => within(query, scope, networkIds)))
  return kinds.flat().sort((a, b) => a.id - b.id)
}

/** How much is in a network that the transaction has locked, and every address that nobody else can get there. */
export async function occupancyOf(
  tx: Transaction,
  scope: ProjectScope,
  networkId: number,
): Promise<{ readonly members: number; readonly addresses: ReadonlySet<string> }> {
  const kinds = await Promise.all(memberKinds.map(({ occupancy }) => occupancy(tx, scope, networkId)))
  return {
    members: kinds.reduce((sum, { members }) => sum + members, 0),
    addresses: new Set(kinds.flatMap(({ addresses }) => addresses)),
  }
}
