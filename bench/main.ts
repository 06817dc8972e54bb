/**
 * `npm run bench`: compares the real server with a bare fastify server that returns the same bytes. Rounds alternate
 * within one run, so the reported ratios hold on any machine. Options: --only NAME (repeatable), --json FILE, --quick; or
 * --check, which tells whether the program got slower than that of the commit before (--against COMMIT: of another one) and
 * than the figures in check/figures.json, which --keep writes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { actions, setRules } from './actions.ts'
import { balancers } from './balancers.ts'
import { certificates } from './certificates.ts'
import { check } from './check/check.ts'
import { clock } from './clock.ts'
import { consolePages } from './console.ts'
import { dns } from './dns.ts'
import { dnssec } from './dnssec.ts'
import { floatingIps, images, metadata } from './families.ts'
import { footprint } from './footprint.ts'
import { history } from './history.ts'
import { lab } from './lab.ts'
import { besideLargeReads } from './large-reads.ts'
import { library } from './library.ts'
import { lists } from './lists.ts'
import { metrics } from './metrics.ts'
import { neighbour } from './neighbour.ts'
import { networks } from './networks.ts'
import { type Asked, Refusal, readOptions } from './options.ts'
import { outages } from './outages.ts'
import { parserCosts } from './parsers.ts'
import { postgres } from './postgres.ts'
import { Workshop } from './processes.ts'
import { recording } from './recording.ts'
import { type Row, table } from './report.ts'
import { get, post } from './requests.ts'
import type { Effort } from './rounds.ts'
import { servers } from './servers.ts'
import { storage } from './storage.ts'

const benchmarks: Record<string, (workshop: Workshop, effort: Effort) => Promise<Row[]>> = {
  get,
  list: lists,
  history,
  post,
  recording,
  metrics,
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
  dnssec,
  neighbour,
  parsers: parserCosts,
  'large-reads': besideLargeReads,
  balancers,
  outages,
  console: consolePages,
  lab,
  clock,
  library,
  ...storage,
}

try {
  const options = readOptions(process.argv.slice(2), Object.keys(benchmarks))
  const isGood = options.check ? await inWorkshop((workshop) => check(workshop, options.check!)) : await run(options)
  process.exitCode = isGood ? 0 : 1
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  console.error(`bench: ${error.message}`)
  process.exitCode = 2
}

/** Runs benchmarks; returns whether each is as fast as it has to be. One that fails takes no figures of others with it. */
async function run({ only, json, quick }: Asked): Promise<boolean> {
  const effort: Effort = quick ? { rounds: 3, seconds: 1 } : { rounds: 7, seconds: 3 }
  const rows: Row[] = []
  let isGood = true
  for (const name of only) {
    console.error(`measuring ${name} ...`)
    try {
      rows.push(...(await inWorkshop((workshop) => benchmarks[name]!(workshop, effort))))
    } catch (error) {
      console.error(`${name} failed:`, error)
      isGood = false
    }
  }
  console.log(table(rows))
  if (json) writeFileSync(json, `${JSON.stringify(machineReadable(rows, effort), null, 2)}\n`)
  return isGood && !rows.some((row) => row.bar?.met === false)
}

/** Does something with its own directory and processes. */
async function inWorkshop<T>(work: (workshop: Workshop) => Promise<T>): Promise<T> {
  // /tmp may be in memory, where waiting for the disk costs nothing.
  const workshop = new Workshop(mkdtempSync(join(import.meta.dirname, '../node_modules/.bench-')))
  try {
    return await work(workshop)
  } finally {
    await workshop.close()
    rmSync(workshop.directory, { recursive: true, force: true })
  }
}

function machineReadable(rows: readonly Row[], effort: Effort) {
  const processors = cpus()
  const machine = { processors: processors.length, model: processors[0]?.model, node: process.version }
  return { at: new Date().toISOString(), machine, effort, rows }
}
