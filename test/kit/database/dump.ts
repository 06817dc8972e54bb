/** What is stored in a database, as text. */
import assert from 'node:assert/strict'
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../../src/kernel/data/db.ts'
import type { DatabaseUrl } from '../../../src/kernel/data/dialect.ts'
import { schemaTables } from './schema.ts'
import { watchDatabase } from './watched-database.ts'
import { Writes } from './writes.ts'

const tables = schemaTables()

/** Tables that requests without effect write to as well, and those in which a job files actions that have ended. */
const besides = new Set(['audit', 'rate_limit', 'action_history', 'action_unfiled'])

/** The rows of some tables by their names, as texts. */
type Texts = Readonly<Record<string, string | null>>

/** What was read of the tables of a database before, and after how many writes of the table. */
interface Memory {
  readonly writes: Writes
  readonly texts: Map<string, { readonly text: string; readonly count: number }>
}

const memories = new WeakMap<DatabaseUrl, Memory>()
const memoryOf = new WeakMap<Database, Memory>()

/** Wraps a database, of which every write has to go through one that was wrapped with the same URL object. */
export function followWrites(db: Database, url: DatabaseUrl): Database {
  const memory = memories.get(url) ?? { writes: new Writes(), texts: new Map() }
  const followed = watchDatabase(db, () => memory.writes.begin(), memory.writes.outside)
  memories.set(url, memory)
  memoryOf.set(followed, memory)
  return followed
}

/**
 * All rows of all tables, or of one Project, as text: two dumps are equal when nothing changed. Tables that nobody may
 * have written since the last dump of a followed database are not read again.
 */
export async function dump(db: Database, projectId?: number): Promise<string> {
  const memory = memoryOf.get(db)
  const names = namesOf(projectId)
  if (!memory) return joined(names, await read(db, names, projectId))
  const { writes, texts } = memory
  const keyOf = (name: string) => `${name} ${projectId ?? ''}`
  const counts = new Map(names.map((name) => [name, writes.countOf(name)]))
  const stale = names.filter((name) => texts.get(keyOf(name))?.count !== counts.get(name))
  const found = await read(db, stale, projectId)
  for (const name of stale) texts.set(keyOf(name), { text: found[name] ?? '', count: counts.get(name)! })
  return joined(names, Object.fromEntries(names.map((name) => [name, texts.get(keyOf(name))!.text])))
}

/** The same, read anew. */
export async function freshDump(db: Database): Promise<string> {
  const names = namesOf()
  return joined(names, await read(db, names))
}

/** Asserts, of a database at rest, that what dumps remember of it is what is stored. */
export async function checkDumps(db: Database): Promise<void> {
  if (memoryOf.get(db)?.texts.size) assert.equal(await dump(db), await freshDump(db), 'a write was not followed')
}

function namesOf(projectId?: number): string[] {
  return tables
    .filter(({ name, columns }) => !besides.has(name) && (projectId === undefined || columns.includes('project_id')))
    .map(({ name }) => name)
}

function joined(names: readonly string[], texts: Texts): string {
  return names.map((name) => `${name}\n${texts[name] ?? ''}`).join('\n')
}

async function read(db: Database, names: readonly string[], projectId?: number): Promise<Texts> {
  if (names.length === 0) return {}
  const where = projectId === undefined ? sql`` : sql`where project_id = ${projectId}`
  return db.dialect.shared ? readTogether(db, names, where) : readOneByOne(db, names, where)
}

/** One statement for all tables, because each statement is a trip to the server. */
async function readTogether(db: Database, names: readonly string[], where: RawBuilder<unknown>): Promise<Texts> {
  const columns = names.map((name) => {
    const text = sql`(select string_agg(line, chr(10) order by line) from`
    return sql`${text} (select row.*::text as line from ${sql.table(name)} as row ${where}) as lines) as ${sql.ref(name)}`
  })
  const { rows } = await sql<Texts>`select ${sql.join(columns)}`.execute(db.query)
  return rows[0]!
}

async function readOneByOne(db: Database, names: readonly string[], where: RawBuilder<unknown>): Promise<Texts> {
  const texts: Record<string, string> = {}
  for (const name of names) {
    const { rows } = await sql`select * from ${sql.table(name)} ${where}`.execute(db.query)
    const lines = rows.map((row) => JSON.stringify(row))
    texts[name] = lines.sort().join('\n')
  }
  return texts
}
