/**
 * `npm run attack`: attacks real installations on both databases and compares the outcome with the promises. The printed
 * seed reproduces a run. Options: --only NAME (repeatable), --database sqlite|postgres, --seed N, --scale short|long,
 * --json FILE, --write FILE (inserts the results, such as into docs/reliability.md; with --only those of these attacks).
 */
import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { closeAdmin } from '../test/kit/database/postgres.ts'
import { type EngineName, engines } from '../test/kit/harness.ts'
import type { Scale } from './attack.ts'
import { attacks } from './attacks.ts'
import { carryOut, clearAll } from './carry-out.ts'
import { type Row, table, writeInto, writeSomeInto } from './report.ts'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    database: { type: 'string' },
    seed: { type: 'string', default: String(randomInt(1_000_000_000)) },
    scale: { type: 'string', default: 'long' },
    json: { type: 'string' },
    write: { type: 'string' },
  },
})

function refuse(reason: string): never {
  console.error(`attack: ${reason}`)
  // Nothing runs yet that would need cleaning up.
  process.exit(2)
}

const names = attacks.map(({ name }) => name)
const unknown = options.only?.find((name) => !names.includes(name))
if (unknown !== undefined) refuse(`there is no attack '${unknown}'; there are ${names.join(', ')}`)
if (options.database && !engines.includes(options.database as EngineName)) refuse(`--database ${engines.join('|')}`)
if (!/^\d{1,15}$/.test(options.seed)) refuse('--seed takes a number')
if (!['short', 'long'].includes(options.scale)) refuse('--scale short|long')
if (options.write && (options.database || options.scale !== 'long')) {
  refuse('--write takes the figures of a long run on both databases: leave out --database and --scale')
}

const seed = Number(options.seed)
const scale = options.scale as Scale
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // An attack cannot be interrupted; end what it started, and then this process.
  process.once(signal, () => void clearAll().finally(() => process.exit(130)))
}

console.error(`seed ${seed}`)
const rows: Row[] = []
const failures: string[] = []
for (const attack of attacks.filter(({ name }) => options.only?.includes(name) ?? true)) {
  for (const database of attack.databases.filter((one) => one === (options.database ?? one))) {
    const start = performance.now()
    console.error(`${attack.name} on ${database} ...`)
    try {
      const findings = await carryOut(attack, { database, seed, scale, log: (line) => console.error(`  ${line}`) })
      rows.push(...findings.map((finding) => ({ ...finding, attack: attack.name, database })))
    } catch (error) {
      failures.push(
        `${attack.name} on ${database} could not be carried out: ${(error as Error).stack?.slice(0, 2_000)}`,
      )
    }
    console.error(`  ${Math.round((performance.now() - start) / 1_000)} s`)
  }
}
await closeAdmin()

const missed = rows.filter(({ held }) => !held).length
const machine = `${cpus().length} processors, Node.js ${process.version}`
console.log(table(rows))
for (const failure of failures) console.log(failure)
console.log(`\nseed ${seed}: ${rows.length - missed} held, ${missed} missed, ${failures.length} not carried out`)
if (options.json) writeFileSync(options.json, `${JSON.stringify({ seed, scale, machine, rows, failures }, null, 2)}\n`)
if (options.write && failures.length === 0) {
  const day = new Date().toISOString().slice(0, 10)
  const write = options.only ? writeSomeInto : writeInto
  write(options.write, rows, `Measured on ${day} with seed ${seed} (${machine}): ${missed} missed.`)
}
process.exitCode = missed + failures.length > 0 ? 1 : 0
