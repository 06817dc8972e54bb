/** Measures the time from start to first answer, the memory of a server, and the size of the package. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { publicBase } from '../src/kernel/contract/bases.ts'
import type { Running, Workshop } from './processes.ts'
import type { Row } from './report.ts'
import { type Compared, type Effort, inTurns } from './rounds.ts'

const settleMs = 3_000

export async function footprint(workshop: Workshop, { rounds }: Effort): Promise<Row[]> {
  const startBare = () => workshop.bare([{ method: 'GET', path: '/', status: 200, body: '{}' }])
  const kept = `sqlite:${workshop.file('kept.db')}`
  // The very first start compiles code and creates the schema, so it is not measured.
  await (await workshop.serve(kept)).stop()
  const again = await starts(rounds, () => workshop.serve(kept), startBare)
  const anew = await starts(rounds, () => workshop.serve(`sqlite:${workshop.file('new.db')}`), startBare)
  return [
    { name: 'start to first 200', unit: 'ms', ...again, bar: within(again, 1.15) },
    { name: 'start to first 200, new database', unit: 'ms', ...anew, bar: within(anew, 1.35) },
    ...(await memory(workshop, startBare)),
    packageSize(),
  ]
}

/** The promise of at most so many times what the bare server takes. */
function within({ ratio }: Compared, most: number) {
  return { text: `<= ${most.toFixed(2)}x`, met: ratio <= most }
}

/** What `npm publish` would send. */
function packageSize(): Row {
  const cwd = join(import.meta.dirname, '..')
  const told = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    ...{ cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  })
  const [{ size }] = JSON.parse(told) as [{ size: number }]
  return { name: 'npm package', unit: 'kB', wolke: size / 1_000, bar: { text: '<= 2000 kB', met: size <= 2_000_000 } }
}

function starts(rounds: number, serve: () => Promise<Running>, bare: () => Promise<Running>): Promise<Compared> {
  const timeOf = async (started: Promise<Running>) => {
    const { startMs, stop } = await started
    await stop()
    return startMs
  }
  return inTurns(rounds, { wolke: () => timeOf(serve()), bare: () => timeOf(bare()) })
}

async function memory(workshop: Workshop, startBare: () => Promise<Running>): Promise<Row[]> {
  const wolke = await workshop.serve(`sqlite:${workshop.file('memory.db')}`)
  const bare = await startBare()
  await delay(settleMs)
  const idle = readBoth(wolke, bare)
  const generate = workshop.generator()
  const job = { method: 'GET', connections: 32, seconds: 5 } as const
  await generate({ ...job, url: `${wolke.url}${publicBase}/firewalls` })
  await generate({ ...job, url: `${bare.url}/` })
  await delay(settleMs)
  const loaded = readBoth(wolke, bare)
  return [
    { name: 'resident memory, idle', unit: 'MB', ...idle, bar: within(idle, 1.1) },
    { name: 'resident memory, after load', unit: 'MB', ...loaded, bar: within(loaded, 1.2) },
  ]
}

function readBoth(wolke: Running, bare: Running) {
  const [own, other] = [wolke.residentMb(), bare.residentMb()]
  return { wolke: own, bare: other, ratio: own / other }
}
