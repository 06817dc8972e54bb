/** The table that tests of a bare database write to. */

import { sql } from 'kysely'
import type { Database, Transaction } from '../../../src/kernel/data/db.ts'
import { acrossProjects } from '../../../src/kernel/data/scoped.ts'
import { type BareDatabase, run } from './bare-database.ts'

export async function withTable<T extends BareDatabase>(bare: T): Promise<T> {
  await run(
    bare.db,
    'create table entry (id integer primary key, project_id integer, name text, unique (project_id, name))',
  )
  return bare
}

export function insert(tx: Transaction, id: number, name = `name ${id}`): Promise<unknown> {
  const row = { id, project_id: 1, name }
  return acrossProjects(tx.query)
    .insertInto('entry' as never)
    .values(row as never)
    .execute()
}

export async function ids(db: Database): Promise<number[]> {
  const rows = await acrossProjects(db.query)
    .selectFrom('entry' as never)
    .select('id' as never)
    .orderBy('id' as never)
    .execute()
  return rows.map((row) => (row as { id: number }).id)
}

export const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

export async function sqlIn<Row>(tx: Transaction, statement: string): Promise<Row[]> {
  return (await sql.raw<Row>(statement).execute(tx.query)).rows
}
