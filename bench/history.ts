/** Compares the first page of a list of actions with a short and a long history. */
import { DatabaseSync } from 'node:sqlite'
import { createProject } from '../src/kernel/access/projects.ts'
import { enterHistory } from '../src/kernel/actions/history.ts'
import type { Action } from '../src/kernel/actions/tables.ts'
import { publicBase } from '../src/kernel/contract/bases.ts'
import type { Transaction } from '../src/kernel/data/db.ts'
import { migrate } from '../src/kernel/data/migrate.ts'
import { openDatabase } from '../src/kernel/data/open.ts'
import { insertRows } from '../src/kernel/data/prepared.ts'
import { timestamp } from '../src/kernel/process/clock.ts'
import { migrations } from '../src/migrations/index.ts'
import { compareSizes, listSites, timeAlone } from './lists.ts'
import type { Workshop } from './processes.ts'
import type { Row } from './report.ts'
import type { Effort } from './rounds.ts'

const sizes = [
  { count: 1_000, name: '1k actions' },
  { count: 300_000, name: '300k actions' },
]

const queries = ['', 'sort=status:desc', 'sort=started:desc', 'sort=command', 'status=error']

export async function history(workshop: Workshop, effort: Effort): Promise<Row[]> {
  const paths = queries.map((query) => `${publicBase}/firewalls/actions?${query}`)
  const files = await Promise.all(sizes.map(async ({ count, name }) => ({ name, path: await fill(workshop, count) })))
  const sites = await listSites(workshop, files, paths)
  const generate = workshop.generator()
  const rows: Row[] = []
  for (const [index, path] of paths.entries()) {
    const what = queries[index] || 'by id'
    rows.push(...(await compareSizes(sites, { what, most: 1.5 }, effort, timeAlone(generate, path))))
  }
  return rows
}

const atOnce = 1_000

/** Fills a file with many ended actions of Project default. */
async function fill(workshop: Workshop, count: number): Promise<string> {
  const path = workshop.file('history.db')
  const now = Date.now()
  const db = await openDatabase({ engine: 'sqlite', path }, { clock: { now: () => now } })
  await migrate(db, migrations)
  const { id } = await db.transact((tx) => createProject(tx, 'default', timestamp(now)))
  for (let from = 0; from < count; from += atOnce) {
    await db.transact((tx) => insertSome(tx, { projectId: id as Action['project_id'], from, now }))
  }
  await db.close()
  const file = new DatabaseSync(path)
  file.exec('pragma wal_checkpoint(truncate)')
  file.close()
  return path
}

interface Some {
  readonly projectId: Action['project_id']
  readonly from: number
  readonly now: number
}

async function insertSome(tx: Transaction, { projectId, from, now }: Some): Promise<void> {
  const ids = await tx.drawIds(atOnce)
  const commands = ['create_firewall', 'set_firewall_rules', 'apply_firewall', 'remove_firewall']
  const actions = ids.map((id, index): Action => {
    const number = from + index
    const started = timestamp(now - 60 * 86_400_000 + number * 10_000)
    const failed = number % 50 === 0
    return {
      id,
      project_id: projectId,
      definition: 'firewalls/set_firewall_rules',
      command: commands[number % commands.length]!,
      status: failed ? 'error' : 'success',
      progress: 100,
      started,
      finished: started,
      error_code: failed ? 'action_failed' : null,
      error_message: failed ? 'it failed' : null,
      input: '{}',
      resources: [{ type: 'firewall', id: 1 + (number % 100) }],
      step: 1,
      phase: 'forward',
      worker: null,
      lease_until: null,
      fence: 1,
      attempts: 1,
      run_after: 0,
    }
  })
  const rows = actions.map((action) => ({ ...action, resources: JSON.stringify(action.resources) }))
  await insertRows(tx, 'action', rows)
  await enterHistory(tx, actions)
}
