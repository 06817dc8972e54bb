/** Servers in networks, in the database. */

import { sql } from 'kysely'
import type { Sort } from '../../../kernel/contract/contract.ts'
import { drawId, type Queries, type Transaction } from '../../../kernel/data/db.ts'
import { KeptItems } from '../../../kernel/data/kept.ts'
import { preparedStatements } from '../../../kernel/data/prepared.ts'
import { preparedScopedMany, type Scoped, scoped } from '../../../kernel/data/scoped.ts'
import { byChunks, packedBelow, rowsBelow } from '../../../kernel/data/steps.ts'
import { type AtOnce, after } from '../../../kernel/process/at-once.ts'
import type { ProjectId, ProjectScope } from '../../../kernel/scope.ts'
import { numberOfIpv4 } from '../../../protocols/net/ip.ts'
import { holdsAddress, type Route, type Span } from '../domain.ts'
import type { NetworkAttachmentRow } from '../tables.ts'
import type { MemberKind, MemberRow, MemberRows, Occupancy } from './attachment.ts'
import type { MemberStatus, PrivateTarget, ServerPlace } from './domain.ts'

function fromRow(row: NetworkAttachmentRow): ServerPlace {
  return {
    networkId: row.network_id,
    serverId: row.server_id,
    ip: row.ip,
    aliasIps: row.alias_ips === '[]' ? [] : (JSON.parse(row.alias_ips) as string[]),
    formerAliasIps: row.former_alias_ips === null ? null : (JSON.parse(row.former_alias_ips) as string[]),
    status: row.status,
  }
}

/** The servers in some networks, by network and server. */
export async function serversIn(
  query: Queries,
  scope: ProjectScope,
  networkIds: readonly number[],
): Promise<ServerPlace[]> {
  const found: ServerPlace[] = []
  await rowsBelow(query, scope, attachmentsBelow, networkIds, (rows) => found.push(...rows.map(fromRow)))
  return found
}

const attachmentsBelow = { table: 'network_attachment', parent: 'network_id', order: ['server_id'] } as const

/** Selects the servers in a network as its members. */
export function serverRows(tables: Scoped, networkId: number): MemberRows {
  const rows = tables
    .selectFrom('network_attachment')
    .select([sql.lit('server').as('type'), 'server_id as id', 'ip', 'address', 'alias_ips', 'status'])
    .where('network_id', '=', networkId)
  return rows as unknown as MemberRows
}

/** Which members of a network a page is about, in the order of fields of theirs and then by id. */
interface MembersAsked {
  readonly networkId: number
  /** All that can be of the types that are asked for. */
  readonly kinds: readonly Pick<MemberKind, 'type' | 'rows'>[]
  readonly statuses: readonly MemberStatus[] | undefined
  /** They have an address in one of these spans; undefined for any address. */
  readonly spans: readonly Span[] | undefined
  readonly sort: readonly Sort[]
}

/** The statements of one page of members, whatever they are: they are in one order. */
export function memberPage(
  query: Queries,
  { projectId }: ProjectScope,
  { networkId, kinds, statuses, spans, sort }: MembersAsked,
) {
  const kind = JSON.stringify([kinds.map(({ type }) => type), sort])
  const given = { projectId, networkId, statuses, spans: spans?.flatMap(({ first, last }) => [first, last]) }
  const select = (given: MembersGiven, columns = (rows: MemberRows) => rows) =>
    kinds
      .map(({ rows }) => columns(narrowed(rows(scoped(query, given), given.networkId), given)))
      .reduce((all, one) => all.unionAll(one))
  return {
    read: (skip: number, take: number) =>
      pages(query, `${kind} ${take}`, { ...given, skip }, (given) =>
        inOrder(select(given), sort).limit(take).offset(given.skip),
      ),
    async count() {
      const [row] = await counts(query, kind, given, (given) => counted(query, select(given, onlyAddress)))
      return row!.total
    },
  }
}

const pages = preparedStatements<MemberRow>()
const counts = preparedStatements<{ readonly total: number }>()

interface MembersGiven {
  readonly projectId: ProjectId
  readonly networkId: number
  readonly statuses: readonly MemberStatus[] | undefined
  /** The first and the last address of each span. */
  readonly spans: readonly number[] | undefined
}

function narrowed(rows: MemberRows, { statuses, spans }: MembersGiven): MemberRows {
  const some = statuses ? rows.where('status', 'in', statuses) : rows
  if (!spans) return some
  const ends = Array.from({ length: spans.length / 2 }, (_, at) => [spans[2 * at]!, spans[2 * at + 1]!] as const)
  return some.where((is) => is.or(ends.map(([first, last]) => is.between('address', first, last))))
}

/** In the order of a page: those that are equal are by id, whatever the direction. No two have the same address. */
function inOrder(rows: MemberRows, sort: readonly Sort[]): MemberRows {
  const isTotal = sort.some(({ field }) => field === 'id' || field === 'ip')
  const complete = isTotal ? sort : [...sort, { field: 'id', descending: false }]
  return complete.reduce((some, { field, descending }) => {
    const column = field === 'ip' ? 'address' : (field as keyof MemberRow)
    return some.orderBy(column, descending ? 'desc' : 'asc')
  }, rows)
}

/** All that is counted of members, so that their index is all that is looked at. */
const onlyAddress = (rows: MemberRows) => rows.clearSelect().select('address') as unknown as MemberRows

const counted = (query: Queries, rows: MemberRows) =>
  query.selectFrom(rows.as('member')).select(sql<number>`count(*)`.as('total'))

/** The ids of the servers in some networks, packed, by network. */
export async function serverIdsIn(query: Queries, scope: ProjectScope, networkIds: readonly number[]) {
  const read = await packedBelow(query, scope, serverIdsBelow, networkIds)
  return new Map([...read].map(([id, { servers }]) => [id, servers]))
}

const serverIdsBelow = {
  table: 'network_attachment',
  parent: 'network_id',
  order: 'server_id',
  numbers: { servers: sql.ref<number>('server_id') },
} as const

/** How many servers are in a network, and the addresses that they have or may come back to. Few of them have aliases. */
export async function occupancyOf(query: Queries, scope: ProjectScope, networkId: number): Promise<Occupancy> {
  const all = () => scoped(query, scope).selectFrom('network_attachment').where('network_id', '=', networkId)
  const own = await all().select('ip').execute()
  const more = await all()
    .select(['alias_ips', 'former_alias_ips'])
    .where(sql<boolean>`(alias_ips <> '[]' or former_alias_ips is not null)`)
    .execute()
  const aliases = more.flatMap((row) => [...JSON.parse(row.alias_ips), ...JSON.parse(row.former_alias_ips ?? '[]')])
  return { members: own.length, addresses: [...own.map(({ ip }) => ip), ...aliases] }
}

/** Where some servers are, from the oldest place. */
export const placesOf = (
  query: Queries,
  scope: ProjectScope,
  serverIds: readonly number[],
): AtOnce<readonly ServerPlace[]> =>
  byChunks(serverIds, (some) => after(places(query, scope, some), (rows) => rows.map((row) => kept.of(row))))

const kept = new KeptItems(fromRow)

const places = preparedScopedMany((rows, ids: readonly number[]) =>
  rows.selectFrom('network_attachment').selectAll().where('server_id', 'in', ids).orderBy('id'),
)

/** Those who have one of some addresses, as their own or as an alias; in all networks unless some are named. */
export async function placesWith(
  query: Queries,
  scope: ProjectScope,
  addresses: readonly string[],
  networkIds?: readonly number[],
): Promise<ServerPlace[]> {
  if (addresses.length === 0 || networkIds?.length === 0) return []
  const { projectId } = scope
  const rows = await holders(query, '', { projectId, networkIds, addresses }, (given) => {
    const all = scoped(query, given).selectFrom('network_attachment').selectAll()
    const some = given.networkIds ? all.where('network_id', 'in', given.networkIds) : all
    return some.where('ip', 'in', given.addresses).unionAll(some.where(hasAlias(given.addresses)))
  })
  const found = new Map(rows.map((row) => [row.id, row]))
  return [...found.values()].sort((a, b) => a.network_id - b.network_id).map(fromRow)
}

/**
 * Whether one of some addresses is an alias. That there are aliases is written out, so that the index of those with aliases
 * serves. SQLite would prepare a statement with `like` anew for each value.
 */
const hasAlias = (addresses: readonly string[]) => {
  const without = addresses.map((address) => sql`replace(alias_ips, '"' || ${address} || '"', '') <> alias_ips`)
  return sql<boolean>`alias_ips <> '[]' and (${sql.join(without, sql` or `)})`
}

const holders = preparedStatements<NetworkAttachmentRow>()

/** Adds a server to a network that the transaction has locked. */
export async function insertMember(
  tx: Transaction,
  scope: ProjectScope,
  { networkId, serverId, ip, aliasIps }: Pick<ServerPlace, 'networkId' | 'serverId' | 'ip' | 'aliasIps'>,
): Promise<void> {
  const addresses = { ip, address: numberOfIpv4(ip), alias_ips: JSON.stringify(aliasIps), former_alias_ips: null }
  const row = { id: await drawId(tx), network_id: networkId, server_id: serverId, ...addresses }
  await scoped(tx.query, scope)
    .insertInto('network_attachment', [{ ...row, status: 'attaching' }])
    .execute()
}

/** Changes a member; nothing happens when it is gone. */
export async function setMember(
  tx: Transaction,
  scope: ProjectScope,
  { networkId, serverId }: Pick<ServerPlace, 'networkId' | 'serverId'>,
  change: Partial<Pick<ServerPlace, 'aliasIps' | 'formerAliasIps' | 'status'>>,
): Promise<void> {
  const { aliasIps, formerAliasIps, status } = change
  const columns = {
    ...(aliasIps ? { alias_ips: JSON.stringify(aliasIps) } : {}),
    ...(formerAliasIps === undefined ? {} : { former_alias_ips: formerAliasIps && JSON.stringify(formerAliasIps) }),
    ...(status ? { status } : {}),
  }
  await scoped(tx.query, scope)
    .updateTable('network_attachment')
    .set(columns)
    .where('network_id', '=', networkId)
    .where('server_id', '=', serverId)
    .execute()
}

/** Takes a server out of a network. */
export async function removeMember(
  tx: Transaction,
  scope: ProjectScope,
  { networkId, serverId }: Pick<ServerPlace, 'networkId' | 'serverId'>,
): Promise<void> {
  await scoped(tx.query, scope)
    .deleteFrom('network_attachment')
    .where('network_id', '=', networkId)
    .where('server_id', '=', serverId)
    .execute()
}

/** Takes a server out of all its networks. */
export async function leaveNetworks(tx: Transaction, scope: ProjectScope, serverId: number): Promise<void> {
  await scoped(tx.query, scope).deleteFrom('network_attachment').where('server_id', '=', serverId).execute()
}

/** Takes all servers out of a network. */
export async function removeServers(tx: Transaction, scope: ProjectScope, networkId: number): Promise<void> {
  await scoped(tx.query, scope).deleteFrom('network_attachment').where('network_id', '=', networkId).execute()
}

// ---- The way of packets --------------------------------------------------------------------------------------------

/**
 * The servers that a packet of a server may pass or reach: those in its networks that have the address, and the gateways
 * of the routes to it, from which it may go on. Rather too many than too few of them.
 */
export async function onTheWay(
  query: Queries,
  scope: ProjectScope,
  from: number,
  to: PrivateTarget,
): Promise<readonly number[]> {
  const destinations = 'address' in to ? [to.address] : (await placesOf(query, scope, [to.server])).map(({ ip }) => ip)
  const met = new Set([from])
  for (let senders = [from]; senders.length > 0; ) {
    const holders = await nextHolders(query, scope, senders, destinations)
    senders = holders.map(({ serverId }) => serverId).filter((id) => !met.has(id))
    for (const id of senders) met.add(id)
  }
  met.delete(from)
  return [...met]
}

/** Finds who in the networks of some servers has one of the addresses, or that of the gateway of a route to one. */
async function nextHolders(
  query: Queries,
  scope: ProjectScope,
  senders: readonly number[],
  destinations: readonly string[],
): Promise<ServerPlace[]> {
  const around = await networksAround(query, scope, senders)
  const routes = around.flatMap((network) => JSON.parse(network.routes) as Route[])
  const leading = routes.filter(({ destination }) => destinations.some((address) => holdsAddress(destination, address)))
  const addresses = new Set([...destinations, ...leading.map(({ gateway }) => gateway)])
  return placesWith(
    query,
    scope,
    [...addresses],
    around.map(({ id }) => id),
  )
}

/** The networks that some servers are in, with their routes. */
const networksAround = preparedScopedMany((rows, serverIds: readonly number[]) =>
  rows
    .selectFrom('network_attachment', 'network')
    .select(['network.id', 'network.routes'])
    .distinct()
    .whereRef('network.id', '=', 'network_attachment.network_id')
    .where('network_attachment.server_id', 'in', serverIds)
    .orderBy('network.id'),
)
