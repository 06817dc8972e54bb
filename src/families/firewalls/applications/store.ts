/**
 * What firewalls are applied to, in the database. An application is an entry of `applied_to`; a match is a server that
 * its selector matches now.
 */

import { sql } from 'kysely'
import { drawId, type Queries, type Transaction } from '../../../kernel/data/db.ts'
import { preparedScoped, preparedScopedMany, type Scoped, scoped } from '../../../kernel/data/scoped.ts'
import { byChunks, packedBelow, rowsBelow, unpack } from '../../../kernel/data/steps.ts'
import { type AtOnce, after, inSteps, type Steps, value } from '../../../kernel/process/at-once.ts'
import { defineSelectors } from '../../../kernel/resource/stored-selectors.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Rule } from '../domain.ts'
import type { FirewallApplicationRow } from '../tables.ts'
import type { Application, Coverage, Target } from './domain.ts'

// ---- Reading -------------------------------------------------------------------------------------------------------

/** The applications of some firewalls, by firewall, and then oldest first. */
export function applicationsOf(
  query: Queries,
  scope: ProjectScope,
  firewallIds: readonly number[],
): AtOnce<readonly Application[]> {
  const found: Application[] = []
  const read = rowsBelow(query, scope, applicationsBelow, firewallIds, (rows) => found.push(...rows.map(fromRow)))
  return after(read, () => found)
}

/** What firewalls are applied to, by firewall; those that are applied to nothing are missing. */
export function coverageOf(
  query: Queries,
  scope: ProjectScope,
  firewallIds: readonly number[],
): AtOnce<ReadonlyMap<number, Coverage>> {
  return inSteps(readCoverage(query, scope, firewallIds))
}

function* readCoverage(
  query: Queries,
  scope: ProjectScope,
  firewallIds: readonly number[],
): Steps<ReadonlyMap<number, Coverage>> {
  const targets = yield* value(packedBelow(query, scope, targetsBelow, firewallIds))
  const idsIn = (id: number) => selectiveAmong(targets.get(id)!)
  const selective = [...targets.keys()].filter((id) => idsIn(id).length > 0)
  const found = yield* value(byChunks(selective.flatMap(idsIn), (ids) => applicationsWith(query, scope, ids)))
  const selectors = new Map(found.map(({ id, selector }) => [id, selector]))
  const matched = yield* value(packedBelow(query, scope, matchedBelow, selective))
  const coverage = new Map<number, Coverage>()
  for (const [id, { targets: packed }] of targets) {
    const own = idsIn(id).filter((one) => selectors.has(one))
    coverage.set(id, {
      ...{ id, targets: packed, servers: '', applications: '' },
      ...matched.get(id),
      selectors: JSON.stringify(own.map((one) => [one, selectors.get(one)])),
    })
  }
  return coverage
}

const targetsBelow = {
  table: 'firewall_application',
  parent: 'firewall_id',
  order: 'id',
  numbers: { targets: sql<number>`coalesce(server_id, -id)` },
} as const
const matchedBelow = {
  table: 'firewall_match',
  parent: 'firewall_id',
  order: 'server_id',
  numbers: { servers: sql.ref<number>('server_id'), applications: sql.ref<number>('application_id') },
} as const

/** The ids of applications that have a selector. */
function selectiveAmong({ targets }: Pick<Coverage, 'targets'>): number[] {
  if (!targets.includes('-')) return []
  return unpack(targets).flatMap((target) => (target < 0 ? -target : []))
}

const applicationsWith = preparedScopedMany((rows, ids: readonly number[]) =>
  rows.selectFrom('firewall_application').select(['id', 'selector']).where('id', 'in', ids),
)

/** The oldest applications of a firewall, at most so many. */
export async function oldestApplications(
  query: Queries,
  scope: ProjectScope,
  firewallId: number,
  most: number,
): Promise<Application[]> {
  const rows = await scoped(query, scope)
    .selectFrom('firewall_application')
    .selectAll()
    .where('firewall_id', '=', firewallId)
    .orderBy('id')
    .limit(most)
    .execute()
  return rows.map(fromRow)
}

/** The servers that selectors of a firewall match, by id: those of one application, or of all. */
export async function matchedServers(
  query: Queries,
  scope: ProjectScope,
  firewallId: number,
  applicationId?: number,
): Promise<number[]> {
  const found: number[] = []
  await rowsBelow(query, scope, matchesBelow, [firewallId], (rows) => {
    for (const { application_id, server_id } of rows) {
      if (applicationId === undefined || application_id === applicationId) found.push(server_id)
    }
  })
  return found
}

function fromRow({ id, firewall_id, server_id, selector }: FirewallApplicationRow): Application {
  return { id, firewallId: firewall_id, serverId: server_id, selector }
}

const applicationsBelow = { table: 'firewall_application', parent: 'firewall_id', order: ['id'] } as const
const matchesBelow = { table: 'firewall_match', parent: 'firewall_id', order: ['server_id'] } as const

/** Which firewalls each server has, directly or by a selector; each pair once. */
function selectPairs(rows: Scoped, serverIds: readonly number[]) {
  const direct = rows
    .selectFrom('firewall_application')
    .select(['firewall_id', 'server_id'])
    .where('server_id', 'in', serverIds)
  const bySelector = rows
    .selectFrom('firewall_match')
    .select(['firewall_id', 'server_id'])
    .where('server_id', 'in', serverIds)
  return direct.union(bySelector)
}

/** Which firewalls some servers have. */
export function pairsOfServers(query: Queries, scope: ProjectScope, serverIds: readonly number[]) {
  return pairs(query, scope, serverIds) as AtOnce<
    readonly { readonly firewall_id: number; readonly server_id: number }[]
  >
}

const pairs = preparedScopedMany((rows, ids: readonly number[]) => selectPairs(rows, ids).orderBy('firewall_id'))

/** The servers that have a firewall, by id. */
export async function serversUnder(query: Queries, scope: ProjectScope, firewallId: number): Promise<number[]> {
  const applications = await applicationsOf(query, scope, [firewallId])
  const named = applications.flatMap(({ serverId }) => serverId ?? [])
  return [...new Set([...named, ...(await matchedServers(query, scope, firewallId))])].sort((a, b) => a - b)
}

/** The rules of each firewall of a server. */
export async function firewallRulesOf(
  query: Queries,
  scope: ProjectScope,
  serverId: number,
): Promise<{ rules: Rule[] }[]> {
  const rows = await rulesOfServer(query, scope, serverId)
  return rows.map(({ rules }) => ({ rules: JSON.parse(rules) as Rule[] }))
}

const rulesOfServer = preparedScoped((rows, serverId: number) =>
  rows
    .selectFrom('firewall')
    .select('rules')
    // For a join, SQLite would go through all firewalls of the Project in the order asked for.
    .where('id', 'in', ({ selectFrom }) => selectFrom(selectPairs(rows, [serverId]).as('pair')).select('firewall_id'))
    .orderBy('id'),
)

export const selectors = defineSelectors('firewall_application')

/** The application that matches a server, by firewall. */
export async function matchesOfServer(
  query: Queries,
  scope: ProjectScope,
  serverId: number,
): Promise<Map<number, number>> {
  const rows = await matchesOf(query, scope, serverId)
  return new Map(rows.map((row) => [row.firewall_id, row.application_id]))
}

const matchesOf = preparedScoped((rows, serverId: number) =>
  rows.selectFrom('firewall_match').select(['firewall_id', 'application_id']).where('server_id', '=', serverId),
)

/** The firewalls that are applied to a server by its id. */
export async function directFirewalls(query: Queries, scope: ProjectScope, serverId: number): Promise<Set<number>> {
  const rows = await scoped(query, scope)
    .selectFrom('firewall_application')
    .select('firewall_id')
    .where('server_id', '=', serverId)
    .execute()
  return new Set(rows.map((row) => row.firewall_id))
}

// ---- Writing -------------------------------------------------------------------------------------------------------

/** Adds an entry of `applied_to` and returns its id. */
export async function insertApplication(
  tx: Transaction,
  scope: ProjectScope,
  firewallId: number,
  target: Target,
): Promise<number> {
  const id = await drawId(tx)
  const server_id = 'serverId' in target ? target.serverId : null
  const columns = await selectors.columns(tx.query, scope, 'selector' in target ? target.selector : null)
  const row = { id, firewall_id: firewallId, server_id, ...columns }
  await scoped(tx.query, scope).insertInto('firewall_application', [row]).execute()
  return id
}

/** Nothing happens when it is gone already. */
export async function deleteApplication(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  await scoped(tx.query, scope).deleteFrom('firewall_application').where('id', '=', id).execute()
}

/** Counts servers as matched by an application of the firewall, and by no other one. */
export async function putMatches(
  tx: Transaction,
  scope: ProjectScope,
  { firewallId, applicationId }: { firewallId: number; applicationId: number },
  serverIds: readonly number[],
): Promise<void> {
  for (let from = 0; from < serverIds.length; from += 1_000) {
    const rows = serverIds.slice(from, from + 1_000).map((server_id) => ({
      firewall_id: firewallId,
      server_id,
      application_id: applicationId,
    }))
    await scoped(tx.query, scope)
      .insertInto('firewall_match', rows)
      .onConflict((conflict) =>
        conflict.columns(['firewall_id', 'server_id']).doUpdateSet({ application_id: applicationId }),
      )
      .execute()
  }
}

/** Counts servers as matched by no selector of the firewall. */
export async function dropMatches(
  tx: Transaction,
  scope: ProjectScope,
  firewallId: number,
  serverIds: readonly number[],
): Promise<void> {
  if (serverIds.length === 0) return
  await scoped(tx.query, scope)
    .deleteFrom('firewall_match')
    .where('firewall_id', '=', firewallId)
    .where('server_id', 'in', serverIds)
    .execute()
}

/** Removes a server from all firewalls. */
export async function forgetServer(tx: Transaction, scope: ProjectScope, serverId: number): Promise<void> {
  for (const table of ['firewall_application', 'firewall_match'] as const) {
    await scoped(tx.query, scope).deleteFrom(table).where('server_id', '=', serverId).execute()
  }
}
