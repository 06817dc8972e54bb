/** What the host's side asks about Load Balancers: a DNS query knows an address and no Project. */
import { sql } from 'kysely'
import type { Queries } from '../../kernel/data/db.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import type { ProjectId, ProjectScope } from '../../kernel/scope.ts'
import { familyOf } from '../../protocols/net/ip.ts'
import type { ReverseName } from '../addresses/domain.ts'

/** The reverse names of an own address of a Load Balancer, by IPv4 address or IPv6 network; undefined when there is none. */
export async function loadBalancerNames(query: Queries, ip: string): Promise<ReverseName[] | undefined> {
  const family = ip.includes(':') ? 6 : 4
  const [column, primary] = family === 4 ? (['ipv4', 'ipv4_primary'] as const) : (['ipv6', 'ipv6_primary'] as const)
  const row = await acrossProjects(query)
    .selectFrom('load_balancer')
    .select('dns_ptr')
    .where(column, '=', ip)
    .where(primary, 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  return (JSON.parse(row.dns_ptr) as ReverseName[]).filter((name) => familyOf(name.ip) === family)
}

/** A Load Balancer with its Project. */
export interface Known {
  readonly id: number
  readonly scope: ProjectScope
}

/** Load Balancers of all Projects, past an id. */
export async function someBalancers(query: Queries, after: number, limit: number): Promise<Known[]> {
  const rows = await acrossProjects(query)
    .selectFrom('load_balancer')
    .select(['id', 'project_id'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ id: row.id, scope: { projectId: row.project_id } }))
}

/** Those of some ids that are Load Balancers of any Project. */
export async function existing(query: Queries, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  const rows = await acrossProjects(query).selectFrom('load_balancer').select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}

/** The ids of the Load Balancers of all Projects at some locations. */
export async function balancersAt(query: Queries, locations: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await acrossProjects(query)
    .selectFrom('load_balancer')
    .select('id')
    .where('location', 'in', locations)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** The Load Balancers of some Projects that have services and targets, and whether any server or address is behind these. */
export async function balancersInUse(query: Queries, ids: readonly ProjectId[]) {
  const targets = sql`select 1 from load_balancer_target where load_balancer_id = load_balancer.id`
  const matches = sql`select 1 from load_balancer_match where load_balancer_id = load_balancer.id`
  const isFilled = sql<
    0 | 1
  >`case when exists (${targets} and selector is null) or exists (${matches}) then 1 else 0 end`
  const rows = await acrossProjects(query)
    .selectFrom('load_balancer')
    .select(['id', 'project_id', isFilled.as('is_filled')])
    .where('project_id', 'in', ids)
    .where('services', '!=', '[]')
    .where(sql<boolean>`exists (${targets})`)
    .execute()
  return rows.map(({ id, project_id: projectId, is_filled }) => ({ id, projectId, isFilled: is_filled === 1 }))
}

/** How many Load Balancers of each type some Projects have in each location. */
export async function balancersByPrice(query: Queries, ids: readonly ProjectId[]) {
  return acrossProjects(query)
    .selectFrom('load_balancer')
    .select(({ fn }) => ['project_id', 'load_balancer_type', 'location', fn.countAll().as('count')])
    .where('project_id', 'in', ids)
    .groupBy(['project_id', 'load_balancer_type', 'location'])
    .execute()
}
