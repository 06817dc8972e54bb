/**
 * `npm run bench:hosts`: what the API takes on the hosts of a lab, beside what an operator's command line takes for the
 * same. Both take turns within one run. The lab ends with it, and with the lab what it has made. Options: --quick.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { migrate } from '../src/kernel/data/migrate.ts'
import { openDatabase } from '../src/kernel/data/open.ts'
import { runningClock } from '../src/kernel/process/clock.ts'
import { migrations } from '../src/migrations/index.ts'
import { numberFromNow, optionsOf, theLab } from '../test/hosts/kit/cluster.ts'
import { filters } from './hosts-filters.ts'
import { reconcile } from './hosts-reconcile.ts'
import { createToSsh, floatingIp } from './hosts-servers.ts'
import { Workshop } from './processes.ts'
import { type Row, table } from './report.ts'

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const effort = options.quick
  ? { rounds: 2, servers: 10, rules: 50, resources: 50 }
  : { rounds: 7, servers: 100, rules: 50, resources: 1_000 }

const lab = theLab()
const directory = mkdtempSync(join(import.meta.dirname, '../node_modules/.bench-'))
const workshop = new Workshop(directory)
const file = workshop.file('wolke.db')
const open = () =>
  openDatabase({ engine: 'sqlite', path: file }, { clock: runningClock(), postgres: { connections: 1 } })
const rows: Row[] = []
try {
  const fresh = await open()
  await migrate(fresh, migrations)
  await numberFromNow(fresh)
  await fresh.close()
  const wolke = await workshop.serve(`sqlite:${file}`, { more: optionsOf(lab) })
  const bench = { lab, url: wolke.url, ...effort }
  for (const measure of [createToSsh, floatingIp, filters]) {
    console.error(`measuring ${measure.name} ...`)
    rows.push(...(await measure(bench)))
  }
  console.error('measuring reconcile ...')
  rows.push(await reconcile(bench, open))
} finally {
  // The table has what was measured before something failed, too.
  console.log(table(rows))
  await workshop.close()
  rmSync(directory, { recursive: true, force: true })
}
