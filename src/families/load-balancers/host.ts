/** What the host's side asks about Load Balancers: a DNS query knows an address and no Project. */
import type { Queries } from '../../kernel/data/db.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import type { ProjectId, ProjectScope } from '../../kernel/scope.ts'
import { familyOf } from '../../net/ip.ts'
import type { ReverseName } from '../addresses/reverse-names.ts'

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

/** The Load Balancers of some Projects that have services and targets, each with how many servers and addresses these are. */
export async function balancersInUse(query: Queries, ids: readonly ProjectId[]) {
  const rows = await acrossProjects(query)
    .selectFrom('load_balancer')
    .innerJoin('load_balancer_target', 'load_balancer_target.load_balancer_id', 'load_balancer.id')
    .leftJoin('load_balancer_match', 'load_balancer_match.target_id', 'load_balancer_target.id')
    .select(({ fn }) => [
      'load_balancer.id',
      'load_balancer.project_id',
      fn.count('load_balancer_target.server_id').as('servers'),
      fn.count('load_balancer_target.ip').as('addresses'),
      fn.count('load_balancer_match.server_id').as('matches'),
    ])
    .where('load_balancer.project_id', 'in', ids)
    .where('services', '!=', '[]')
    .groupBy(['load_balancer.id', 'load_balancer.project_id'])
    .execute()
  return rows.map(({ id, project_id: projectId, servers, addresses, matches }) => ({
    ...{ id, projectId },
    behind: Number(servers) + Number(addresses) + Number(matches),
  }))
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
