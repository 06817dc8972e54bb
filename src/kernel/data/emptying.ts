/** Empties the tables of tenants, whatever tables there are, for databases that belong to one process (SQLite). */
import { sql } from 'kysely'
import type { ProjectScope } from '../scope.ts'
import type { Queries, Transaction } from './db.ts'
import { handleOf } from './prepared.ts'

/** The rows of a table belong to Projects. */
export interface OwnedTable {
  readonly name: string
  /** True when its rows have ids that no row of another table has. */
  readonly hasIds: boolean
  /** True when its rows refer to none of other tables, and none refer to them. */
  readonly isApart: boolean
}

/** The tables with rows of Projects; those whose rows refer to rows of another one come before it. */
export async function ownedTables(query: Queries): Promise<readonly OwnedTable[]> {
  const { rows } = await sql<{ name: string; hasIds: 0 | 1 }>`
    select own.name as name, max(columns.name = 'id') as "hasIds"
    from sqlite_schema as own join pragma_table_info(own.name) as columns
    where own.type = 'table' group by own.name having max(columns.name = 'project_id') = 1 order by own.name
  `.execute(query)
  const { rows: references } = await sql<{ child: string; parent: string }>`
    select own.name as child, keys."table" as parent
    from sqlite_schema as own join pragma_foreign_key_list(own.name) as keys where own.type = 'table'
  `.execute(query)
  const ordered: OwnedTable[] = []
  const isApart = (name: string) => references.every(({ child, parent }) => child !== name && parent !== name)
  const left = new Map(rows.map(({ name, hasIds }) => [name, { name, hasIds: hasIds === 1, isApart: isApart(name) }]))
  while (left.size > 0) {
    const isFree = (name: string) =>
      references.every(({ child, parent }) => parent !== name || child === name || !left.has(child))
    const free = [...left.values()].filter(({ name }) => isFree(name))
    if (free.length === 0) throw new Error(`these tables refer to each other: ${[...left.keys()].join(', ')}`)
    for (const table of free) left.delete(table.name)
    ordered.push(...free)
  }
  return ordered
}

/** Deletes all rows of a Project from tables in the order of `ownedTables`; returns their ids. */
export async function emptyTables(
  tx: Transaction,
  { projectId }: ProjectScope,
  tables: readonly OwnedTable[],
): Promise<ReadonlySet<number>> {
  // Most tables are empty, so that building their statements would take longer than running them.
  const { run } = handleOf(tx.query)
  const ids = new Set<number>()
  for (const { name, hasIds, isApart } of tables) {
    const own = 'where project_id = ?'
    if (hasIds) {
      const { rows } = await run(`delete from ${name} ${own} returning id`, [projectId])
      for (const { id } of rows as { readonly id: number }[]) ids.add(id)
      continue
    }
    // Of an index SQLite reads such ranges, and not all that is not equal.
    const others = `select 1 from ${name} where project_id < ? or project_id > ? or project_id is null limit 1`
    const isShared = !isApart || (await run(others, [projectId, projectId])).rows.length > 0
    // SQLite drops all rows of such a table together, without looking at each and at its place in every index.
    await (isShared ? run(`delete from ${name} ${own}`, [projectId]) : run(`delete from ${name}`, []))
  }
  return ids
}
