/** Generates SQLite files with many firewalls, bypassing the server; they are kept, because a million takes a while. */
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
function labelsOf(number: number, count: number): Record<string, string> {
  const spread = Math.imul(number, 2_654_435_761) >>> 0
  return {
    env: ['prod', 'staging', 'dev'][spread % 3]!,
    tier: ['web', 'api', 'db', 'worker'][Math.floor(spread / 3) % 4]!,
    app: `app-${number % Math.max(1, Math.floor(count / perApp))}`,
  }
}

/** The path of a file with `count` firewalls in Project default, which is created on first use. */
export async function filledFile(count: number): Promise<string> {
  const digest = createHash('sha256').update(JSON.stringify({ migrations, rules, made: labelsOf.toString() }))
  const path = join(cache, `${count}-${digest.digest('hex').slice(0, 12)}.db`)
  if (existsSync(path)) return path
  mkdirSync(cache, { recursive: true })
  const draft = `${path}.${process.pid}`
  const projectId = await createSchema(draft)
  const database = new DatabaseSync(draft)
  database.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -256000')
  insertAll(database, projectId, count)
  database.exec('pragma journal_mode = wal')
  database.close()
  renameSync(draft, path)
  for (const rest of ['-wal', '-shm']) rmSync(draft + rest, { force: true })
  return path
}

async function createSchema(path: string): Promise<number> {
  const db = await openDatabase({ engine: 'sqlite', path }, { clock: { now: () => Date.parse(created) } })
  await migrate(db, migrations)
  const project = await db.transact((tx) => createProject(tx, 'default', created))
  await db.close()
  return project.id
}

function insertAll(database: DatabaseSync, projectId: number, count: number): void {
  const indexes = database
    .prepare("select name, sql from sqlite_schema where type = 'index' and sql is not null and tbl_name in (?, ?)")
    .all('firewall', 'label') as { name: string; sql: string }[]
  database.exec('begin')
  // An index built after the inserts is written in its own order.
  for (const { name } of indexes) database.exec(`drop index ${name}`)
  const firewall = database.prepare(
    `insert into firewall (id, project_id, name, labels, rules, created, version) values (?, ?, ?, ?, ?, ?, 1)`,
  )
  const label = database.prepare(
    `insert into label (project_id, kind, resource_id, key, value) values (?, 'firewall', ?, ?, ?)`,
  )
  const text = JSON.stringify(rules)
  for (let number = 0; number < count; number++) {
    const id = idOf(number)
    const labels = labelsOf(number, count)
    firewall.run(id, projectId, `firewall-${number}`, JSON.stringify(labels), text, created)
    for (const [key, value] of Object.entries(labels)) label.run(projectId, id, key, value)
  }
  for (const { sql } of indexes) database.exec(sql)
  database.prepare('update id_sequence set next = ?').run(idOf(count))
  database.exec('commit')
}
