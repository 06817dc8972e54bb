/** What the name server asks about Primary IPs: a DNS query knows an address and no Project. */
import type { Queries } from '../../kernel/data/db.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import type { ReverseName } from '../addresses/domain.ts'

/** The reverse names of a Primary IP by its address or network alone; undefined when there is none. */
export async function primaryIpNames(query: Queries, ip: string): Promise<ReverseName[] | undefined> {
  const row = await acrossProjects(query)
    .selectFrom('primary_ip')
    .select('dns_ptr')
    .where('ip', '=', ip)
    .executeTakeFirst()
  return row && (JSON.parse(row.dns_ptr) as ReverseName[])
}

/** How many Primary IPs of each type some Projects have in each location. */
export async function primaryIpsByPrice(query: Queries, ids: readonly ProjectId[]) {
  return acrossProjects(query)
    .selectFrom('primary_ip')
    .select(({ fn }) => ['project_id', 'type', 'location as location', fn.countAll().as('count')])
    .where('project_id', 'in', ids)
    .groupBy(['project_id', 'type', 'location'])
    .execute()
}
