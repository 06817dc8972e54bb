/**
 * `npm run bench`: compares the real server with a bare fastify server that returns the same bytes. Rounds alternate
 * within one run, so the reported ratios hold on any machine. Options: --only NAME (repeatable), --json FILE, --quick.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { actions, setRules } from './actions.ts'
import { balancers } from './balancers.ts'
import { certificates } from './certificates.ts'
import { clock } from './clock.ts'
import { consolePages } from './console.ts'
import { dns } from './dns.ts'
import { floatingIps, images, metadata } from './families.ts'
import { footprint } from './footprint.ts'
import { history } from './history.ts'
import { lab } from './lab.ts'
import { besideLargeReads } from './large-reads.ts'
import { library } from './library.ts'
import { lists } from './lists.ts'
import { neighbour } from './neighbour.ts'
import { networks } from './networks.ts'
import { parserCosts } from './parsers.ts'
import { postgres } from './postgres.ts'
import { Workshop } from './processes.ts'
import { recording } from './recording.ts'
import { type Row, table } from './report.ts'
import { get, post } from './requests.ts'
import type { Effort } from './rounds.ts'
import { servers } from './servers.ts'

const benchmarks: Record<string, (workshop: Workshop, effort: Effort) => Promise<Row[]>> = {
  get,
  list: lists,
  history,
  post,
  recording,
  'set-rules': setRules,
  actions,
  'floating-ips': floatingIps,
  servers,
  networks,
  images,
  metadata,
  certificates,
  start: footprint,
  postgres,
  dns,
  neighbour,
  parsers: parserCosts,
  'large-reads': besideLargeReads,
  balancers,
  console: consolePages,
  lab,
  clock,
  library,
}

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: Object.keys(benchmarks) },
    json: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
})
const effort: Effort = options.quick ? { rounds: 3, seconds: 1 } : { rounds: 7, seconds: 3 }

const unknown = options.only.find((name) => !(name in benchmarks))
if (unknown !== undefined) {
  console.error(`bench: no benchmark '${unknown}'; there are ${Object.keys(benchmarks).join(', ')}`)
  // Nothing runs yet that would need cleaning up.
  process.exit(2)
}

const rows: Row[] = []
for (const name of options.only) rows.push(...(await measure(name)))
console.log(table(rows))
if (options.json) writeFileSync(options.json, `${JSON.stringify(machineReadable(rows), null, 2)}\n`)
process.exitCode = rows.some((row) => row.bar?.met === false) ? 1 : 0

/** Runs one benchmark with its own directory and processes. */
async function measure(name: string): Promise<Row[]> {
  console.error(`measuring ${name} ...`)
  // /tmp may be in memory, where waiting for the disk costs nothing.
  const workshop = new Workshop(mkdtempSync(join(import.meta.dirname, '../node_modules/.bench-')))
  try {
    return await benchmarks[name]!(workshop, effort)
  } finally {
    await workshop.close()
    rmSync(workshop.directory, { recursive: true, force: true })
  }
}

function machineReadable(rows: readonly Row[]) {
  const processors = cpus()
  const machine = { processors: processors.length, model: processors[0]?.model, node: process.version }
  return { at: new Date().toISOString(), machine, effort, rows }
}
