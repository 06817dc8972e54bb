/** Placement groups as the API shows them. */
import type { Static } from 'typebox'
import type { Queries } from '../../kernel/data/db.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { PlacementGroup as Wire } from './contract.ts'
import type { PlacementGroup } from './domain.ts'
import { membersAmong, membersOfGroups, placementGroups } from './store.ts'

type GroupWire = Static<typeof Wire>

/** The wire form of each group, in order, with one read for the members of all. */
export async function placementGroupsToWire(
  query: Queries,
  scope: ProjectScope,
  groups: readonly PlacementGroup[],
): Promise<GroupWire[]> {
  const ids = groups.map(({ id }) => id)
  const members = Map.groupBy(await membersOfGroups(query, scope, ids), ({ groupId }) => groupId)
  return groups.map(({ id, name, labels, type, created }) => {
    const servers = (members.get(id) ?? []).map(({ serverId }) => serverId)
    return { id, name, labels, type, servers, created }
  })
}

/** The wire form of the group that each of some servers is in; servers in none are missing. */
export async function placementGroupsOfServers(
  query: Queries,
  scope: ProjectScope,
  serverIds: readonly number[],
): Promise<ReadonlyMap<number, GroupWire>> {
  const members = await membersAmong(query, scope, serverIds)
  const groups = await placementGroups.byIds(query, scope, [...new Set(members.map(({ groupId }) => groupId))])
  const shown = new Map((await placementGroupsToWire(query, scope, groups)).map((group) => [group.id, group]))
  return new Map(
    members.flatMap(({ serverId, groupId }) => {
      const group = shown.get(groupId)
      return group ? [[serverId, group]] : []
    }),
  )
}
