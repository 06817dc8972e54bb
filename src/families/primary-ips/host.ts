/** What the name server asks about Primary IPs: a DNS query knows an address and no Project. */
import type { Queries } from '../../kernel/data/db.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import type { ReverseName } from '../addresses/reverse-names.ts'

/** The reverse names of a Primary IP by its address or network alone; undefined when there is none. */
export async function primaryIpNames(query: Queries, ip: string): Promise<ReverseName[] | undefined> {
  const row = await acrossProjects(query)
    .selectFrom('primary_ip')
    .select('dns_ptr')
    .where('ip', '=', ip)
    .executeTakeFirst()
  return row && (JSON.parse(row.dns_ptr) as ReverseName[])
}
