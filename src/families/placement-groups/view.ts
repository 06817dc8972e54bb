/** Placement groups as the API shows them. */

import type { Static } from 'typebox'
import { constantFormWith } from '../../kernel/contract/constant.ts'
import type { Queries } from '../../kernel/data/db.ts'
import { keptParts } from '../../kernel/data/kept.ts'
import { type AtOnce, after, inSteps, type Steps, value } from '../../kernel/process/at-once.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { PlacementGroup as Wire } from './contract.ts'
import type { PlacementGroup } from './domain.ts'
import { type Member, membersAmong, membersOfGroups, placementGroups } from './store.ts'

type GroupWire = Static<typeof Wire>

/** The wire form of each group, in order, with one read for the members of all. */
export function placementGroupsToWire(
  query: Queries,
  scope: ProjectScope,
  groups: readonly PlacementGroup[],
): AtOnce<readonly GroupWire[]> {
  const ids = groups.map(({ id }) => id)
  return after(membersOfGroups(query, scope, ids), (members) => {
    const own = serversOf(members)
    return groups.map((group) => toWire(group, own(group.id)))
  })
}

const serversOf = keptParts(
  ({ groupId }: Member) => groupId,
  (members) => members.map(({ serverId }) => serverId),
)

const toWire = constantFormWith(({ id, name, labels, type, created }: PlacementGroup, servers: number[]): GroupWire => {
  return { id, name, labels, type, servers, created }
})

export interface GroupOfServer {
  readonly serverId: number
  readonly group: GroupWire
}

/** The wire form of the group that each of some servers is in; servers in none are missing. */
export function placementGroupsOfServers(
  query: Queries,
  scope: ProjectScope,
  serverIds: readonly number[],
): AtOnce<readonly GroupOfServer[]> {
  return inSteps(groupsOf(query, scope, serverIds))
}

function* groupsOf(query: Queries, scope: ProjectScope, serverIds: readonly number[]): Steps<GroupOfServer[]> {
  const members = yield* value(membersAmong(query, scope, serverIds))
  if (members.length === 0) return []
  const groups = yield* value(placementGroups.byIds(query, scope, [...new Set(members.map(({ groupId }) => groupId))]))
  const shown = new Map((yield* value(placementGroupsToWire(query, scope, groups))).map((group) => [group.id, group]))
  return members.flatMap(({ serverId, groupId }) => {
    const group = shown.get(groupId)
    return group ? [{ serverId, group }] : []
  })
}
