/** What is asked about the networks of all Projects at once. */
import type { Queries } from '../../kernel/data/db.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import type { Subnet } from './domain.ts'

/** The ids of the networks of all Projects with a subnet in one of some network zones. */
export async function networksIn(query: Queries, zones: ReadonlySet<string>): Promise<ReadonlySet<number>> {
  const rows = await acrossProjects(query).selectFrom('network').select(['id', 'subnets']).execute()
  const isIn = ({ subnets }: { subnets: string }) =>
    (JSON.parse(subnets) as Subnet[]).some(({ networkZone }) => zones.has(networkZone))
  return new Set(rows.filter(isIn).map(({ id }) => id))
}
