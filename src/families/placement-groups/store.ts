/** Placement groups in the database. */

import type { Queries, Transaction } from '../../kernel/data/db.ts'
import { preparedScopedMany, scoped } from '../../kernel/data/scoped.ts'
import { ApiError } from '../../kernel/errors.ts'
import { type AtOnce, after } from '../../kernel/process/at-once.ts'
import { readLabels } from '../../kernel/resource/label-index.ts'
import { defineResource, nameTaken } from '../../kernel/resource/resource.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { spelling } from './contract.ts'
import { maxGroups, maxMembers, type PlacementGroup } from './domain.ts'
import type { PlacementGroupRow } from './tables.ts'

function fromRow({ labels, project_id: _, ...row }: PlacementGroupRow): PlacementGroup {
  return { ...row, labels: readLabels(labels) }
}

export const placementGroups = defineResource({
  ...spelling,
  fromRow,
  unique: { name: nameTaken() },
  most: maxGroups,
})

// ---- Which server is in which --------------------------------------------------------------------------------------

export interface Member {
  readonly serverId: number
  readonly groupId: number
}

/** The members of some groups, by the ids of the servers. */
export function membersOfGroups(
  query: Queries,
  scope: ProjectScope,
  groupIds: readonly number[],
): AtOnce<readonly Member[]> {
  return membersWhere(query, scope, 'placement_group_id', groupIds)
}

/** Those of some servers that are in a group. */
export function membersAmong(
  query: Queries,
  scope: ProjectScope,
  serverIds: readonly number[],
): AtOnce<readonly Member[]> {
  return membersWhere(query, scope, 'server_id', serverIds)
}

function membersWhere(
  query: Queries,
  scope: ProjectScope,
  column: 'server_id' | 'placement_group_id',
  ids: readonly number[],
): AtOnce<readonly Member[]> {
  return after(members[column](query, scope, ids), (rows) =>
    rows.map((row) => ({ serverId: row.server_id, groupId: row.placement_group_id })),
  )
}

const selectMembers = (column: 'server_id' | 'placement_group_id') =>
  preparedScopedMany((rows, ids: readonly number[]) =>
    rows
      .selectFrom('placement_group_member')
      .select(['server_id', 'placement_group_id'])
      .where(column, 'in', ids)
      .orderBy('server_id'),
  )
const members = { server_id: selectMembers('server_id'), placement_group_id: selectMembers('placement_group_id') }

/**
 * Puts a server that is in no group into one. Errors: those of `missing` for a group that is not there;
 * `placement_group_member_limit_reached`.
 */
export async function joinGroup(
  tx: Transaction,
  scope: ProjectScope,
  { groupId, serverId }: Member,
  missing: () => ApiError,
): Promise<void> {
  // Whoever else joins the group waits, so that its members are counted exactly.
  if (!(await placementGroups.hold(tx, scope, [groupId], 'update')).has(groupId)) throw missing()
  const members = await membersOfGroups(tx.query, scope, [groupId])
  if (members.length >= maxMembers) {
    throw new ApiError(
      'placement_group_member_limit_reached',
      `placement group with ID ${groupId} contains already ${maxMembers} servers`,
    )
  }
  const row = { server_id: serverId, placement_group_id: groupId }
  await scoped(tx.query, scope).insertInto('placement_group_member', [row]).execute()
}

/** Takes a server out of the group that it is in, if any. */
export async function leaveGroup(tx: Transaction, scope: ProjectScope, serverId: number): Promise<void> {
  await scoped(tx.query, scope).deleteFrom('placement_group_member').where('server_id', '=', serverId).execute()
}

/** Takes all servers out of a group that is going away. */
export async function dissolveGroup(tx: Transaction, scope: ProjectScope, groupId: number): Promise<void> {
  await scoped(tx.query, scope).deleteFrom('placement_group_member').where('placement_group_id', '=', groupId).execute()
}
