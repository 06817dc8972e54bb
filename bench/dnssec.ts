/**
 * Compares queries per second about a signed zone, for clients that want signatures, with those about one with the same names that
 * is not signed, in alternating rounds on one server. Needs Debian's `dnsperf` and `dig`.
 */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { makeZone, names, queriesPerSecond } from './dns.ts'
import { freePort, sources, type Workshop } from './processes.ts'
import type { Row } from './report.ts'
import { type Effort, inTurns } from './rounds.ts'

const run = promisify(execFile)

/** Labels of queries by load. Names that do not exist are different in each round, so that each needs a signature. */
const loads: Readonly<Record<string, (index: number, round: number) => string>> = {
  'known names': (i) => `n${i}`,
  'missing names': (i, round) => `x${i}-${round}`,
}

export async function dnssec(workshop: Workshop, { rounds, seconds }: Effort): Promise<Row[]> {
  if (!(await Promise.all([run('dig', ['-v']), run('dnsperf', ['-h'])]).catch(() => undefined))) {
    console.error('dnssec is not measured: dig and dnsperf are not installed')
    return []
  }
  const port = await freePort()
  const more = ['--dns-listen', `127.0.0.1:${port}`, '--dns-signatures', '100000000']
  const { url } = await workshop.serve('memory', { more })
  await makeZone(url, 'example.com')
  await makeZone(url, 'example.net')
  const database = `memory:${new URL(url).port}`
  await run(process.execPath, [sources, 'dnssec', 'enable', 'example.net', '--database', database])
  await untilSigned(port)
  const rows: Row[] = []
  for (const [name, label] of Object.entries(loads)) {
    let round = 0
    const measure = async (zone: string) => {
      const file = workshop.file('queries.txt')
      const count = name === 'known names' ? names : 100_000
      round++
      writeFileSync(file, Array.from({ length: count }, (_, i) => `${label(i, round)}.${zone} A`).join('\n'))
      return queriesPerSecond(port, file, seconds, ['-D'])
    }
    await measure('example.net')
    await measure('example.com')
    const turns = { wolke: () => measure('example.net'), bare: () => measure('example.com') }
    rows.push({ name: `dnssec, signed beside unsigned: ${name}`, unit: 'queries/s', ...(await inTurns(rounds, turns)) })
  }
  return rows
}

/** The server does within a minute what a command asks for. */
async function untilSigned(port: number): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    const { stdout } = await run('dig', ['@127.0.0.1', '-p', String(port), '+short', 'example.net', 'DNSKEY'])
    if (stdout.trim() !== '') return
    await delay(100)
  }
  throw new Error('the zone is not signed')
}
