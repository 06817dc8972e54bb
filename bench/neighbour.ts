/** Measures how one Project is affected by another one that imports large zones. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createProject } from '../src/kernel/access/projects.ts'
import { createToken } from '../src/kernel/access/tokens.ts'
import { publicBase } from '../src/kernel/contract/bases.ts'
import { migrate } from '../src/kernel/data/migrate.ts'
import { openDatabase } from '../src/kernel/data/open.ts'
import { migrations } from '../src/migrations/index.ts'
import { call } from './client.ts'
import type { Imports } from './importer.ts'
import type { Running, Workshop } from './processes.ts'
import { median, type Row } from './report.ts'
import type { Effort } from './rounds.ts'

const imports = 64
/** Together with the SOA record and the name servers, these are 20,000 records. */
const records = 19_996
const clients = 4
const promisedMs = 60
const created = '2026-11-21T12:00:00Z'

/** Small writes and reads of one Project while another imports 64 zones of 20,000 records, compared with idle. */
export async function neighbour(workshop: Workshop, { rounds }: Effort): Promise<Row[]> {
  const path = workshop.file('neighbour.db')
  const token = await neighbourToken(path)
  const wolke = await workshop.serve(`sqlite:${path}`, { watch: true })
  const zones = Array.from({ length: imports }, (_, i) => `zone-${i}.example`)
  for (const name of zones) await call('POST', `${wolke.url}${publicBase}/zones`, { name, mode: 'primary' })
  const { text } = await call('GET', `${wolke.url}${publicBase}/zones/${zones[0]}/zonefile`)
  const apex = (JSON.parse(text).zonefile as string).replace(/^\$.*\n/gm, '')
  const importer = fork(join(import.meta.dirname, 'importer.ts'))
  workshop.keep(async () => void importer.kill())
  const load = async () => {
    importer.send({ url: wolke.url, zones, records, nameservers: apex } satisfies Imports)
    const [{ error }] = (await once(importer, 'message')) as [{ error?: string }]
    if (error) throw new Error(error)
  }
  const idle: number[][] = []
  const loaded: number[][] = []
  const seconds: number[] = []
  let stallMs = 0
  for (let round = 0; round < Math.ceil(rounds / 3); round++) {
    idle.push(await probe(wolke, token, new Promise((resolve) => setTimeout(resolve, 3_000))))
    const start = performance.now()
    stallMs = await wolke.stallDuring(async () => void loaded.push(await probe(wolke, token, load())))
    seconds.push((performance.now() - start) / 1_000)
  }
  const p99 = (times: number[][]) => median(times.map((some) => at(some, 0.99)))
  const p50 = (times: number[][]) => median(times.map((some) => at(some, 0.5)))
  const of = `${imports} imports in ${median(seconds).toFixed(1)} s, max ${Math.max(...loaded.flat()).toFixed(0)} ms, stall ${stallMs.toFixed(0)} ms`
  return [
    { name: 'a neighbour, idle', unit: 'ms', wolke: p99(idle), p50Ms: p50(idle), p99Ms: p99(idle) },
    {
      name: 'a neighbour, beside large imports',
      unit: 'ms',
      wolke: p99(loaded),
      p50Ms: p50(loaded),
      p99Ms: p99(loaded),
      bar: { text: `p99 < ${promisedMs} ms`, met: p99(loaded) < promisedMs },
      note: of,
    },
  ]
}

/** Creates a Project and returns its token. */
async function neighbourToken(path: string): Promise<string> {
  const db = await openDatabase({ engine: 'sqlite', path }, { clock: { now: Date.now } })
  try {
    await migrate(db, migrations)
    return await db.transact(async (tx) => {
      const { id: projectId } = await createProject(tx, 'neighbour', created)
      return createToken(tx, { projectId, name: 'bench', readOnly: false, created })
    })
  } finally {
    await db.close()
  }
}

/** Sorted latencies in milliseconds while `work` runs: each of a few clients alternates between a write and a read. */
async function probe(wolke: Running, token: string, work: Promise<unknown>): Promise<number[]> {
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  const times: number[] = []
  const ask = async (method: string, path: string, body?: object) => {
    const start = performance.now()
    const response = await fetch(`${wolke.url}${publicBase}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const reply = await response.text()
    times.push(performance.now() - start)
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${reply}`)
    return reply === '' ? undefined : JSON.parse(reply)
  }
  const client = async () => {
    while (!isOver) {
      const { firewall } = await ask('POST', '/firewalls', { name: `probe-${process.pid}-${Math.random()}` })
      await ask('GET', `/firewalls/${firewall.id}`)
      await ask('DELETE', `/firewalls/${firewall.id}`)
    }
  }
  await Promise.all([over, ...Array.from({ length: clients }, client)])
  return times.sort((a, b) => a - b)
}

const at = (sorted: readonly number[], share: number) => sorted[Math.floor(sorted.length * share)]!
