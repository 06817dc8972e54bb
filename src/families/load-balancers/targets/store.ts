/**
 * Targets of Load Balancers in the database. A match is a server that the selector of a target matches now.
 */

import { drawId, type Queries, type Transaction } from '../../../kernel/data/db.ts'
import { preparedScoped, preparedScopedMany, scoped } from '../../../kernel/data/scoped.ts'
import { rowsBelow } from '../../../kernel/data/steps.ts'
import { type AtOnce, after } from '../../../kernel/process/at-once.ts'
import { defineSelectors } from '../../../kernel/resource/stored-selectors.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { LoadBalancerTargetRow } from '../tables.ts'
import type { NewTarget, ResolvedTarget, Target } from './domain.ts'

export const selectors = defineSelectors('load_balancer_target')

// ---- Reading -------------------------------------------------------------------------------------------------------

/** All targets of some Load Balancers, by balancer, and then oldest first, those that are being removed among them. */
export async function targetsOf(
  query: Queries,
  scope: ProjectScope,
  balancerIds: readonly number[],
): Promise<Target[]> {
  const found: Target[] = []
  await rowsBelow(query, scope, targetsBelow, balancerIds, (rows) => found.push(...rows.map(fromRow)))
  return found
}

/** The same with the servers that their selectors match: too many to read them while others wait. */
export async function resolvedTargetsOf(
  query: Queries,
  scope: ProjectScope,
  balancerIds: readonly number[],
): Promise<ResolvedTarget[]> {
  const targets = (await targetsOf(query, scope, balancerIds)).map((target) => ({ ...target, matched: [] as number[] }))
  const selective = new Map(targets.filter(({ selector }) => selector !== null).map(({ id, matched }) => [id, matched]))
  await rowsBelow(query, scope, matchesBelow, [...selective.keys()], (rows) => {
    for (const { target_id, server_id } of rows) selective.get(target_id)!.push(server_id)
  })
  return targets
}

const targetsBelow = { table: 'load_balancer_target', parent: 'load_balancer_id', order: ['id'] } as const
const matchesBelow = { table: 'load_balancer_match', parent: 'target_id', order: ['server_id'] } as const

function fromRow(row: LoadBalancerTargetRow): Target {
  return {
    id: row.id,
    balancerId: row.load_balancer_id,
    serverId: row.server_id,
    selector: row.selector,
    ip: row.ip,
    usesPrivateIp: row.use_private_ip === 1,
    status: row.status,
  }
}

/** The targets that name some servers, oldest first. */
export function targetsNaming(
  query: Queries,
  scope: ProjectScope,
  serverIds: readonly number[],
): AtOnce<readonly Target[]> {
  // Asked for an order, SQLite would go through all that the Project has.
  return after(naming(query, scope, serverIds), (rows) => rows.map(fromRow).sort((a, b) => a.id - b.id))
}

const naming = preparedScopedMany((rows, ids: readonly number[]) =>
  rows.selectFrom('load_balancer_target').selectAll().where('server_id', 'in', ids),
)

/** The selective targets that match a server, with their Load Balancers. */
export async function matchesOfServer(
  query: Queries,
  scope: ProjectScope,
  serverId: number,
): Promise<Map<number, number>> {
  const rows = await matchesOf(query, scope, serverId)
  return new Map(rows.map((row) => [row.target_id, row.load_balancer_id]))
}

const matchesOf = preparedScoped((rows, serverId: number) =>
  rows.selectFrom('load_balancer_match').select(['target_id', 'load_balancer_id']).where('server_id', '=', serverId),
)

/** The targets that a server is, by itself or as one that their selectors match. */
export async function targetsOfServer(
  query: Queries,
  scope: ProjectScope,
  serverId: number,
): Promise<readonly Target[]> {
  const matching = await matchesOfServer(query, scope, serverId)
  const named = await targetsNaming(query, scope, [serverId])
  if (matching.size === 0) return named
  const rows = await scoped(query, scope)
    .selectFrom('load_balancer_target')
    .selectAll()
    .where('id', 'in', [...matching.keys()])
    .execute()
  return [...named, ...rows.map(fromRow)]
}

// ---- Writing -------------------------------------------------------------------------------------------------------

/** Adds a target and returns its id. */
export async function insertTarget(
  tx: Transaction,
  scope: ProjectScope,
  balancerId: number,
  { to, usesPrivateIp }: NewTarget,
): Promise<number> {
  const id = await drawId(tx)
  const row = {
    id,
    load_balancer_id: balancerId,
    server_id: 'serverId' in to ? to.serverId : null,
    ip: 'ip' in to ? to.ip : null,
    ...(await selectors.columns(tx.query, scope, 'selector' in to ? to.selector : null)),
    use_private_ip: usesPrivateIp ? (1 as const) : (0 as const),
    status: 'adding' as const,
  }
  await scoped(tx.query, scope).insertInto('load_balancer_target', [row]).execute()
  return id
}

/** Marks targets as being removed. */
export async function markRemoved(tx: Transaction, scope: ProjectScope, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await scoped(tx.query, scope)
    .updateTable('load_balancer_target')
    .set({ status: 'removing' })
    .where('id', 'in', ids)
    .execute()
}

/** Ends a change of targets: what is in one status goes away, and the others stay. */
export async function settleTargets(
  tx: Transaction,
  scope: ProjectScope,
  balancerId: number,
  leaving: 'adding' | 'removing',
): Promise<void> {
  const changing = (await targetsOf(tx.query, scope, [balancerId])).filter(({ status }) => status !== 'ok')
  if (changing.length === 0) return
  await deleteTargets(
    tx,
    scope,
    changing.filter(({ status }) => status === leaving),
  )
  await scoped(tx.query, scope)
    .updateTable('load_balancer_target')
    .set({ status: 'ok' })
    .where('load_balancer_id', '=', balancerId)
    .execute()
}

/** Deletes targets with what their selectors match. Nothing happens to those that are gone already. */
export async function deleteTargets(
  tx: Transaction,
  scope: ProjectScope,
  targets: readonly Pick<Target, 'id'>[],
): Promise<void> {
  const ids = targets.map(({ id }) => id)
  if (ids.length === 0) return
  // Whoever adds a match at this moment holds the target until then.
  await scoped(tx.query, scope).deleteFrom('load_balancer_target').where('id', 'in', ids).execute()
  await scoped(tx.query, scope).deleteFrom('load_balancer_match').where('target_id', 'in', ids).execute()
}

/** Those of some targets that are still there, which stay until the transaction ends. */
export async function holdTargets(tx: Transaction, scope: ProjectScope, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await scoped(tx.query, scope)
    .selectFrom('load_balancer_target')
    .select('id')
    .where('id', 'in', ids)
    .orderBy('id')
    .modifyEnd(tx.dialect.lockRows('share'))
    .execute()
  return new Set(rows.map(({ id }) => id))
}

const matchesAtOnce = 1_000

/** Counts servers as matched by a target. */
export async function putMatches(
  tx: Transaction,
  scope: ProjectScope,
  { targetId, balancerId }: { readonly targetId: number; readonly balancerId: number },
  serverIds: readonly number[],
): Promise<void> {
  for (let from = 0; from < serverIds.length; from += matchesAtOnce) {
    const rows = serverIds.slice(from, from + matchesAtOnce).map((server_id) => {
      return { target_id: targetId, server_id, load_balancer_id: balancerId }
    })
    await scoped(tx.query, scope).insertInto('load_balancer_match', rows).execute()
  }
}

/** Counts a server as matched by some targets no longer. */
export async function dropMatches(
  tx: Transaction,
  scope: ProjectScope,
  serverId: number,
  targetIds: readonly number[],
): Promise<void> {
  if (targetIds.length === 0) return
  await scoped(tx.query, scope)
    .deleteFrom('load_balancer_match')
    .where('server_id', '=', serverId)
    .where('target_id', 'in', targetIds)
    .execute()
}
