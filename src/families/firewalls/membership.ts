/**
 * What firewalls are applied to: the statements on applications and matches. An application is an entry of `applied_to`.
 * A match is a server that a selector of the firewall matches now.
 */
import type { Labels } from '../../kernel/contract/labels.ts'
import {
  canonical,
  conditionOf,
  conditionsMet,
  drivingTerms,
  matches,
  type Selector,
  storedSelector,
} from '../../kernel/contract/selectors.ts'
import { drawId, type Queries, type Transaction } from '../../kernel/data/db.ts'
import { prepared } from '../../kernel/data/prepared.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { ProjectId, ProjectScope } from '../../kernel/scope.ts'
import { maxFirewallsOfServer, type Rule } from './domain.ts'
import type { FirewallApplicationRow, FirewallMatchRow } from './tables.ts'

/** An entry of `applied_to` with the servers that it stands for. */
export interface Application {
  readonly id: number
  readonly firewallId: number
  readonly serverId: number | null
  readonly selector: string | null
  /** Servers that count as matched by this selector. */
  readonly matched: readonly number[]
}

// ---- Reading -------------------------------------------------------------------------------------------------------

/** The applications of some firewalls, oldest first. */
export async function applicationsOf(
  query: Queries,
  scope: ProjectScope,
  firewallIds: readonly number[],
): Promise<Application[]> {
  if (firewallIds.length === 0) return []
  const rows = await query
    .selectFrom('firewall_application')
    .selectAll()
    .where('project_id', '=', scope.projectId)
    .where('firewall_id', 'in', firewallIds)
    .orderBy('id')
    .execute()
  const selective = rows.some((row) => row.selector !== null)
  const matches = selective ? await matchesOf(query, scope, firewallIds) : []
  const byApplication = Map.groupBy(matches, (match) => match.application_id)
  return rows.map((row) => ({
    id: row.id,
    firewallId: row.firewall_id,
    serverId: row.server_id,
    selector: row.selector,
    matched: (byApplication.get(row.id) ?? []).map((match) => match.server_id),
  }))
}

async function matchesOf(
  query: Queries,
  scope: ProjectScope,
  firewallIds: readonly number[],
): Promise<FirewallMatchRow[]> {
  return query
    .selectFrom('firewall_match')
    .selectAll()
    .where('project_id', '=', scope.projectId)
    .where('firewall_id', 'in', firewallIds)
    .orderBy('server_id')
    .execute()
}

/** Which firewalls each server has, directly or by a selector; each pair once. */
function selectPairs(query: Queries, projectId: ProjectId, serverIds: readonly number[]) {
  return query
    .selectFrom('firewall_application')
    .select(['firewall_id', 'server_id'])
    .where('project_id', '=', projectId)
    .where('server_id', 'in', serverIds)
    .union(
      query
        .selectFrom('firewall_match')
        .select(['firewall_id', 'server_id'])
        .where('project_id', '=', projectId)
        .where('server_id', 'in', serverIds),
    )
}

/** Which firewalls some servers have. */
export async function pairsOfServers(query: Queries, scope: ProjectScope, serverIds: readonly number[]) {
  if (serverIds.length === 0) return []
  const pairs = selectPairs(query, scope.projectId, serverIds).orderBy('firewall_id')
  return (await pairs.execute()) as { firewall_id: number; server_id: number }[]
}

/** The servers that have a firewall, by id. */
export async function serversUnder(query: Queries, scope: ProjectScope, firewallId: number): Promise<number[]> {
  const applications = await applicationsOf(query, scope, [firewallId])
  const ids = applications.flatMap(({ serverId, matched }) => (serverId === null ? matched : [serverId]))
  return [...new Set(ids)].sort((a, b) => a - b)
}

/** The rules of each firewall of a server. */
export async function firewallRulesOf(
  query: Queries,
  scope: ProjectScope,
  serverId: number,
): Promise<{ rules: Rule[] }[]> {
  const rows = await rulesOfServer(query, scope.projectId, serverId)
  return rows.map(({ rules }) => ({ rules: JSON.parse(rules) as Rule[] }))
}

const rulesOfServer = prepared((query, projectId: ProjectId, serverId: number) =>
  query
    .selectFrom('firewall')
    .innerJoin(selectPairs(query, projectId, [serverId]).as('pair'), 'pair.firewall_id', 'firewall.id')
    .select('firewall.rules')
    .where('firewall.project_id', '=', projectId)
    .orderBy('firewall.id'),
)

const selectorsAtOnce = 200

/**
 * The selectors of the Project's firewalls that match some labels, oldest first. Only those are looked at whose leading
 * term the labels meet, some at a time: others get their turn in between.
 */
export async function selectorsMatching(
  query: Queries,
  scope: ProjectScope,
  labels: Labels,
): Promise<FirewallApplicationRow[]> {
  const conditions = conditionsMet(labels)
  const found: FirewallApplicationRow[] = []
  for (let after = 0; ; ) {
    const some = await query
      .selectFrom('firewall_application')
      .selectAll()
      .where('project_id', '=', scope.projectId)
      .where('selector', 'is not', null)
      .where('leading_term', 'in', conditions)
      .where('id', '>', after)
      .orderBy('id')
      .limit(selectorsAtOnce)
      .execute()
    found.push(...some.filter(({ selector }) => matches(storedSelector(selector as string), labels)))
    if (some.length < selectorsAtOnce) return found
    after = some.at(-1)!.id
    await new Promise(setImmediate)
  }
}

/** Which selector of each firewall a server counts for now. */
export async function matchesOfServer(
  query: Queries,
  scope: ProjectScope,
  serverId: number,
): Promise<Map<number, number>> {
  const rows = await query
    .selectFrom('firewall_match')
    .select(['firewall_id', 'application_id'])
    .where('project_id', '=', scope.projectId)
    .where('server_id', '=', serverId)
    .execute()
  return new Map(rows.map((row) => [row.firewall_id, row.application_id]))
}

/** The firewalls that are applied to a server by its id. */
export async function directFirewalls(query: Queries, scope: ProjectScope, serverId: number): Promise<Set<number>> {
  const rows = await query
    .selectFrom('firewall_application')
    .select('firewall_id')
    .where('project_id', '=', scope.projectId)
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
  target: { serverId: number } | { selector: Selector },
): Promise<number> {
  const id = await drawId(tx)
  const server_id = 'serverId' in target ? target.serverId : null
  const selector = 'selector' in target ? target.selector.text : null
  const selector_key = 'selector' in target ? canonical(target.selector) : null
  const leading_term = 'selector' in target ? await leadingTerm(tx.query, scope, target.selector) : ''
  const row = { id, project_id: scope.projectId, firewall_id: firewallId, server_id, selector, selector_key }
  await tx.query
    .insertInto('firewall_application')
    .values({ ...row, leading_term })
    .execute()
  return id
}

/** The term of a selector that leads to the fewest others, so that no label leads to many. */
async function leadingTerm(query: Queries, scope: ProjectScope, selector: Selector): Promise<string> {
  const conditions = drivingTerms(selector).map(conditionOf)
  if (conditions.length < 2) return conditions[0] ?? ''
  const rows = await query
    .selectFrom('firewall_application')
    .select(['leading_term', (count) => count.fn.countAll<number>().as('selectors')])
    .where('project_id', '=', scope.projectId)
    .where('selector', 'is not', null)
    .where('leading_term', 'in', conditions)
    .groupBy('leading_term')
    .execute()
  const counts = new Map(rows.map((row) => [row.leading_term, Number(row.selectors)]))
  const count = (condition: string) => counts.get(condition) ?? 0
  return conditions.reduce((best, condition) => (count(condition) < count(best) ? condition : best))
}

/** Nothing happens when it is gone already. */
export async function deleteApplication(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  await tx.query
    .deleteFrom('firewall_application')
    .where('project_id', '=', scope.projectId)
    .where('id', '=', id)
    .execute()
}

/** Makes servers count for an application of the firewall, whatever they counted for before. */
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
      project_id: scope.projectId,
      application_id: applicationId,
    }))
    await tx.query
      .insertInto('firewall_match')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['firewall_id', 'server_id']).doUpdateSet({ application_id: applicationId }),
      )
      .execute()
  }
}

/** Makes servers count for no selector of the firewall any more. */
export async function dropMatches(
  tx: Transaction,
  scope: ProjectScope,
  firewallId: number,
  serverIds: readonly number[],
): Promise<void> {
  if (serverIds.length === 0) return
  await tx.query
    .deleteFrom('firewall_match')
    .where('project_id', '=', scope.projectId)
    .where('firewall_id', '=', firewallId)
    .where('server_id', 'in', serverIds)
    .execute()
}

/** Takes a server out of everything that firewalls are applied to. */
export async function forgetServer(tx: Transaction, scope: ProjectScope, serverId: number): Promise<void> {
  for (const table of ['firewall_application', 'firewall_match'] as const) {
    await tx.query
      .deleteFrom(table)
      .where('project_id', '=', scope.projectId)
      .where('server_id', '=', serverId)
      .execute()
  }
}

/** Errors: `resource_limit_exceeded` when a server now has more firewalls than it may. */
export async function checkFirewallLimit(
  tx: Transaction,
  scope: ProjectScope,
  serverIds: readonly number[],
): Promise<void> {
  const pairs = await pairsOfServers(tx.query, scope, serverIds)
  const counts = Map.groupBy(pairs, (pair) => pair.server_id)
  for (const [serverId, firewalls] of counts) {
    if (firewalls.length <= maxFirewallsOfServer) continue
    throw new ApiError(
      'resource_limit_exceeded',
      `server with ID '${serverId}' cannot have more than ${maxFirewallsOfServer} firewalls`,
      { details: { limits: [{ name: 'firewalls_per_server' }] } },
    )
  }
}
