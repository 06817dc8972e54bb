/** Load Balancers in networks, in the database. */
import { sql } from 'kysely'
import type { Queries, Transaction } from '../../../kernel/data/db.ts'
import { type Scoped, scoped } from '../../../kernel/data/scoped.ts'
import { rowsBelow } from '../../../kernel/data/steps.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { numberOfIpv4 } from '../../../protocols/net/ip.ts'
import type { MemberRows } from '../../networks/members/attachment.ts'
import type { LoadBalancerPlaceRow } from '../tables.ts'

/** Where a Load Balancer is in a network. */
export interface BalancerPlace {
  readonly balancerId: number
  readonly networkId: number
  readonly ip: string
  readonly status: LoadBalancerPlaceRow['status']
}

const fromRow = ({ id, network_id, ip, status }: LoadBalancerPlaceRow): BalancerPlace => {
  return { balancerId: id, networkId: network_id, ip, status }
}

/** The places of some Load Balancers; each has one at most. */
export async function placesOfBalancers(
  query: Queries,
  scope: ProjectScope,
  ids: readonly number[],
): Promise<BalancerPlace[]> {
  if (ids.length === 0) return []
  const rows = await scoped(query, scope).selectFrom('load_balancer_place').selectAll().where('id', 'in', ids).execute()
  return rows.map(fromRow)
}

/** The Load Balancers in some networks. */
export async function balancersIn(
  query: Queries,
  scope: ProjectScope,
  networkIds: readonly number[],
): Promise<BalancerPlace[]> {
  const found: BalancerPlace[] = []
  await rowsBelow(query, scope, placesBelow, networkIds, (rows) => found.push(...rows.map(fromRow)))
  return found
}

const placesBelow = { table: 'load_balancer_place', parent: 'network_id', order: ['ip'] } as const

/** Selects the Load Balancers in a network as its members. */
export function placeRows(tables: Scoped, networkId: number): MemberRows {
  const rows = tables
    .selectFrom('load_balancer_place')
    .select([sql.lit('load_balancer').as('type'), 'id', 'ip', 'address', sql.lit('[]').as('alias_ips'), 'status'])
    .where('network_id', '=', networkId)
  return rows as unknown as MemberRows
}

/** Puts a Load Balancer into a network that the transaction has locked. */
export async function insertPlace(
  tx: Transaction,
  scope: ProjectScope,
  { balancerId, networkId, ip }: Omit<BalancerPlace, 'status'>,
): Promise<void> {
  const row = { id: balancerId, network_id: networkId, ip, address: numberOfIpv4(ip), status: 'attaching' as const }
  await scoped(tx.query, scope).insertInto('load_balancer_place', [row]).execute()
}

/** Marks a Load Balancer as leaving its network. */
export async function markLeaving(tx: Transaction, scope: ProjectScope, balancerId: number): Promise<void> {
  await scoped(tx.query, scope)
    .updateTable('load_balancer_place')
    .set({ status: 'detaching' })
    .where('id', '=', balancerId)
    .execute()
}

/** Ends a change: a place in one status goes away, and any other stays. */
export async function settlePlace(
  tx: Transaction,
  scope: ProjectScope,
  balancerId: number,
  leaving: 'attaching' | 'detaching',
): Promise<void> {
  const [place] = await placesOfBalancers(tx.query, scope, [balancerId])
  if (!place || place.status === 'ok') return
  if (place.status === leaving) return deletePlace(tx, scope, balancerId)
  await scoped(tx.query, scope)
    .updateTable('load_balancer_place')
    .set({ status: 'ok' })
    .where('id', '=', balancerId)
    .execute()
}

export async function deletePlace(tx: Transaction, scope: ProjectScope, balancerId: number): Promise<void> {
  await scoped(tx.query, scope).deleteFrom('load_balancer_place').where('id', '=', balancerId).execute()
}

/** The network that a Load Balancer is in; null when it is in none. */
export async function networkOf(query: Queries, scope: ProjectScope, balancerId: number): Promise<number | null> {
  const [place] = await placesOfBalancers(query, scope, [balancerId])
  return place?.networkId ?? null
}
