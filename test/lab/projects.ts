/** Projects of labs, as tests of their reset look at them. */
import { sql } from 'kysely'
import { wolkeBase } from '../../src/kernel/contract/bases.ts'
import { ownedTables } from '../../src/kernel/data/emptying.ts'
import { manager } from '../../src/management/proof.ts'
import type { World } from '../kit/harness.ts'
import { done } from '../kit/proof.ts'

/** The two Projects of a world, and their reset. */
export async function projectsOf(world: World) {
  const client = await manager(world)
  const base = `${new URL(world.baseUrl).origin}${wolkeBase}`
  const { projects } = await done(client.get(`${base}/projects`))
  const idOf = (wanted: string): number => projects.find(({ name }: { readonly name: string }) => name === wanted).id
  const [first, second] = [idOf('first'), idOf('second')]
  return { first, second, reset: (id: number = first) => client.post(`${base}/projects/${id}/reset`) }
}

/** The rows of a Project, by table. */
export async function rowsOf({ db }: World, projectId: number): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const { name } of await ownedTables(db.query)) {
    if (name === 'audit' || name === 'token') continue
    const { rows } = await sql`select * from ${sql.table(name)} where project_id = ${projectId}`.execute(db.query)
    if (rows.length > 0) found[name] = JSON.stringify(rows)
  }
  return found
}

/** How many objects there are of each kind in the infrastructure. */
export const objectsOf = ({ simulation: { world } }: World) =>
  Object.fromEntries(Object.entries(world).map(([kind, objects]) => [kind, (objects as Map<number, unknown>).size]))
