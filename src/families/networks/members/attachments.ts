/** Everything that can be in networks. Adding a kind is one line here. */
import type { ActionStart } from '../../../kernel/actions/store.ts'
import type { Queries, Transaction } from '../../../kernel/data/db.ts'
import type { AtOnce } from '../../../kernel/process/at-once.ts'
import { type Page, type PageQuery, pageBy } from '../../../kernel/resource/listing.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { loadBalancerMembers } from '../../load-balancers/places/attachment.ts'
import { holdServers } from '../../servers/reads.ts'
import type { Span } from '../domain.ts'
import type { MemberKind, MemberRow } from './attachment.ts'
import { interfaces } from './desired.ts'
import { type Member, type MemberStatus, type MemberType, memberTypes } from './domain.ts'
import {
  memberPage,
  occupancyOf as occupancyOfServers,
  placesOf,
  removeServers,
  serverIdsIn,
  serverRows,
  serversIn,
} from './store.ts'

const serverMembers: MemberKind = {
  type: 'server',
  rows: serverRows,
  async within(query, scope, networkIds) {
    const places = await serversIn(query, scope, networkIds)
    return places.map(({ serverId, ...place }) => ({ ...place, type: 'server', id: serverId }))
  },
  idsWithin: serverIdsIn,
  occupancy: (tx, scope, networkId) => occupancyOfServers(tx.query, scope, networkId),
  async othersOf(tx, scope, networkId) {
    const places = await placesOf(tx.query, scope, await holdAll(tx, scope, networkId))
    return places.map((place) => place.networkId).filter((id) => id !== networkId)
  },
  async leave(tx, scope, networkId) {
    const servers = await holdAll(tx, scope, networkId)
    await removeServers(tx, scope, networkId)
    await interfaces.renew(tx, scope, servers)
    return []
  },
}

/** The servers in a network, which nobody changes meanwhile; one that was deleted just now is not among them. */
async function holdAll(tx: Transaction, scope: ProjectScope, networkId: number): Promise<number[]> {
  const places = await serversIn(tx.query, scope, [networkId])
  const servers = places.map(({ serverId }) => serverId)
  return [...(await holdServers(tx, scope, servers))]
}

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

/** One page of what is in a network. */
export function pageOfMembers(
  query: Queries,
  scope: ProjectScope,
  networkId: number,
  {
    type = memberTypes,
    status: statuses,
    spans,
    sort,
    ...request
  }: PageQuery & {
    readonly type?: readonly MemberType[] | undefined
    readonly status?: readonly MemberStatus[] | undefined
    readonly spans: readonly Span[] | undefined
  },
): AtOnce<Page<MemberRow>> {
  const kinds = memberKinds.filter((kind) => type.includes(kind.type))
  return pageBy(request, memberPage(query, scope, { networkId, kinds, statuses, spans, sort }))
}

/** The ids of everybody in some networks, by kind and network. */
export async function memberIdsOf(query: Queries, scope: ProjectScope, networkIds: readonly number[]) {
  const read = memberKinds.map(
    async ({ type, idsWithin }) => [type, await idsWithin(query, scope, networkIds)] as const,
  )
  return Object.fromEntries(await Promise.all(read)) as Record<MemberType, ReadonlyMap<number, string>>
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
