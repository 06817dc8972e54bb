/** Generates SQLite files with many resources, bypassing the server; they are kept, because a million takes a while. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createProject } from '../src/kernel/access/projects.ts'
import { migrate } from '../src/kernel/data/migrate.ts'
import { openDatabase } from '../src/kernel/data/open.ts'
import { firstId } from '../src/kernel/ids.ts'
import { migrations } from '../src/migrations/index.ts'

const cache = join(import.meta.dirname, '../node_modules/.cache/bench')
const created = '2026-11-21T12:00:00Z'
const idsLeftFree = 1_000
/** Number of firewalls that share a value of the label `app`, independent of the total. */
export const perApp = 100

export const rules = [
  {
    direction: 'in',
    protocol: 'tcp',
    port: '443',
    sourceIps: ['0.0.0.0/0', '::/0'],
    destinationIps: [],
    description: 'HTTPS from anywhere',
  },
  {
    direction: 'in',
    protocol: 'tcp',
    port: '22',
    sourceIps: ['10.0.0.0/8'],
    destinationIps: [],
    description: null,
  },
]

/** The id of the firewall with a number, counted from 0. */
export const idOf = (number: number) => firstId + idsLeftFree + number

/**
 * Realistic labels: `env` and `tier` are common and independent of each other, `app` is rare. A multiplicative hash
 * keeps the common labels from repeating in step with `app`.
 */
export function labelsOf(number: number, count: number): Record<string, string> {
  const spread = Math.imul(number, 2_654_435_761) >>> 0
  return {
    env: ['prod', 'staging', 'dev'][spread % 3]!,
    tier: ['web', 'api', 'db', 'worker'][Math.floor(spread / 3) % 4]!,
    app: `app-${number % Math.max(1, Math.floor(count / perApp))}`,
  }
}

/** The path of a file with `count` firewalls in Project default, which is created on first use. */
export async function filledFile(count: number): Promise<string> {
  return keptFile(`${count}`, [rules, labelsOf.toString()], async (draft) => {
    const projectId = await createSchema(draft)
    fill(draft, ['firewall', 'label'], (database) => insertFirewalls(database, projectId, count))
  })
}

/** The path of a file that `make` makes, unless it is there from an earlier run with the same ingredients. */
export async function keptFile(
  name: string,
  ingredients: unknown,
  make: (draft: string) => Promise<void>,
): Promise<string> {
  const digest = createHash('sha256').update(JSON.stringify({ migrations, ingredients }))
  const path = join(cache, `${name}-${digest.digest('hex').slice(0, 12)}.db`)
  if (existsSync(path)) return path
  mkdirSync(cache, { recursive: true })
  const draft = `${path}.${process.pid}`
  await make(draft)
  renameSync(draft, path)
  for (const rest of ['-wal', '-shm', '-serve-lock']) rmSync(draft + rest, { force: true })
  return path
}

/** Inserts many rows into tables whose indexes are built afterwards, so that each is written in its own order. */
export function fill(path: string, tables: readonly string[], insert: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -256000')
  const indexes = database
    .prepare("select name, tbl_name as owner, sql from sqlite_schema where type = 'index' and sql is not null")
    .all() as { name: string; owner: string; sql: string }[]
  const theirs = indexes.filter(({ owner }) => tables.includes(owner))
  database.exec('begin')
  for (const { name } of theirs) database.exec(`drop index ${name}`)
  insert(database)
  for (const { sql } of theirs) database.exec(sql)
  database.exec('commit')
  database.exec('pragma journal_mode = wal')
  database.close()
}

/** Makes an empty database at a path, with Project default, and returns the id of that. */
export async function createSchema(path: string): Promise<number> {
  const db = await openDatabase({ engine: 'sqlite', path }, { clock: { now: () => Date.parse(created) } })
  await migrate(db, migrations)
  const project = await db.transact((tx) => createProject(tx, 'default', created))
  await db.close()
  return project.id
}

function insertFirewalls(database: DatabaseSync, projectId: number, count: number): void {
  const firewall = database.prepare(
    `insert into firewall (id, project_id, name, labels, rules, created, version) values (?, ?, ?, ?, ?, ?, 1)`,
  )
  const label = labelWriter(database, 'firewall', projectId)
  const text = JSON.stringify(rules)
  for (let number = 0; number < count; number++) {
    const id = idOf(number)
    const labels = labelsOf(number, count)
    firewall.run(id, projectId, `firewall-${number}`, JSON.stringify(labels), text, created)
    label(id, labels)
  }
  database.prepare('update id_sequence set next = ?').run(idOf(count))
}

/** Returns a function that files the labels of a resource of one kind. */
export function labelWriter(database: DatabaseSync, kind: string, projectId: number) {
  const label = database.prepare(`insert into label (project_id, kind, resource_id, key, value) values (?, ?, ?, ?, ?)`)
  return (id: number, labels: Readonly<Record<string, string>>): void => {
    for (const [key, value] of Object.entries(labels)) label.run(projectId, kind, id, key, value)
  }
}
