/** Measures the time from start to first answer, and the memory of an idle server. */
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
  const slowest = Math.max(again.wolke, anew.wolke)
  const bar = { text: '<= 600 ms', met: slowest <= 600 }
  return [
    { name: 'start to first 200', unit: 'ms', ...again, bar },
    { name: 'start to first 200, new database', unit: 'ms', ...anew, bar },
    ...(await memory(workshop, startBare)),
  ]
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
  return [
    { name: 'resident memory, idle', unit: 'MB', ...idle, bar: { text: '<= 110 MB', met: idle.wolke <= 110 } },
    { name: 'resident memory, after load', unit: 'MB', ...readBoth(wolke, bare) },
  ]
}

function readBoth(wolke: Running, bare: Running) {
  const [own, other] = [wolke.residentMb(), bare.residentMb()]
  return { wolke: own, bare: other, ratio: own / other }
}
