/** The attacks of `npm run attack` in their short form: what is counted is asserted, what is timed is not. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Attack, atMost } from '../../attack/attack.ts'
import { attacks } from '../../attack/attacks.ts'
import { carryOut } from '../../attack/carry-out.ts'
import { check, checkActions } from '../../attack/crash/check.ts'
import { crash } from '../../attack/crash/crash.ts'
import { Ledger } from '../../attack/crash/ledger.ts'
import { Writer } from '../../attack/crash/writer.ts'
import { writeKinds } from '../../attack/crash/writes.ts'
import { fuzz } from '../../attack/fuzz/fuzz.ts'
import { Random } from '../../attack/random.ts'
import { writeInto, writeSomeInto } from '../../attack/report.ts'
import { checkDatabase } from '../kit/consistency.ts'
import { until } from '../kit/database/bare-database.ts'
import { closeAdmin } from '../kit/database/postgres.ts'
import { type EngineName, engines, forProjects, type World } from '../kit/harness.ts'
import { build } from '../run/built.ts'
import { bundle } from './kit/program.ts'

const seed = Number(process.env.WOLKE_TEST_SEED ?? 20_261_121)
before(build)
after(closeAdmin)

/** Those that no other test has in a short form. Killed processes of PostgreSQL hold their actions for too long for one. */
const some: readonly (readonly [Attack, EngineName])[] = [
  [crash, 'sqlite'],
  [fuzz, 'sqlite'],
  [fuzz, 'postgres'],
]

for (const [attack, database] of some.filter(([, database]) => engines.includes(database))) {
  test(`${attack.name} on ${database} breaks no promise (seed ${seed})`, async (t) => {
    const log = (line: string) => t.diagnostic(line)
    const findings = await carryOut(attack, { database, seed, scale: 'short', log, program: bundle })
    const missed = findings.filter(({ kind, held }) => kind === 'fact' && !held)
    assert.deepEqual(missed, [])
  })
}

forProjects('The attack crash', (open) => {
  /** What writers were told by a world that works, until every kind of write was acknowledged. */
  async function written(world: World): Promise<Ledger> {
    const ledger = new Ledger()
    const writers = Array.from(
      { length: 6 },
      (_, i) => new Writer(ledger, world.api, new Random(`${seed} ${i}`), `${i}`),
    )
    const all = until(() => ledger.counts.size === writeKinds.length, 'the clients have written everything')
    await Promise.race([all, Promise.all(writers.map(({ done }) => done))])
    await Promise.all(writers.map((writer) => writer.stop()))
    await world.settle()
    return ledger
  }

  test('writes to every endpoint, finds out what was lost, and what nobody asked for', async () => {
    const world = await open({ addressPool: ['10.0.0.0/8', '2001:db8::/32'] })
    const ledger = await written(world)
    assert.deepEqual([ledger.unexplained, await checkActions(world.api, ledger)], [[], []])
    assert.deepEqual({ ...(await check(world.api, ledger, true)) }, { lost: [], stray: [] })
    await checkDatabase(world.db, world.clock)
    const { id } = (await world.api.post('/firewalls', { name: 'stray', rules: [] })).body.firewall
    await world.api.put(`/firewalls/${id}`, { labels: { version: 'v1' } })
    const known = [...ledger.known.values()].find(({ family, answered }) => family === 'ssh_keys' && answered)
    assert.ok(known, 'an SSH key is there')
    await world.api.delete(`/${known.key}`)
    const { lost, stray } = await check(world.api, ledger, true)
    assert.deepEqual([lost.length, stray.length], [1, 1])
  })
})

describe('A run of attacks', () => {
  test('does the same with the same seed', () => {
    const numbers = (text: string) => {
      const random = new Random(text)
      return Array.from({ length: 100 }, () => random.below(1_000))
    }
    assert.deepEqual(numbers('1 crash sqlite'), numbers('1 crash sqlite'))
    assert.notDeepEqual(numbers('1 crash sqlite'), numbers('2 crash sqlite'))
    const drawn = numbers('3')
    assert.ok(Math.min(...drawn) >= 0 && Math.max(...drawn) < 1_000 && new Set(drawn).size > 80)
  })

  test('holds a figure that is unknown against the promise', () => {
    assert.equal(atMost('memory', Number.NaN, 'MB', 60).held, false)
  })

  test('writes its figures between the marks of a document, and nothing else', (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'wolke-attack-'))
    t.after(() => rmSync(directory, { recursive: true }))
    const file = join(directory, 'a.md')
    writeFileSync(file, '# A\n<!-- attack: begin -->\nold\n<!-- attack: end -->\nend\n')
    const finding = atMost('little memory', 61.25, 'MB', 60)
    writeInto(file, [{ ...finding, attack: 'edge', database: 'postgres' }], 'Measured.')
    const text = readFileSync(file, 'utf8')
    assert.match(text, /^# A\n<!-- attack: begin -->\nMeasured\.\n[\s\S]+<!-- attack: end -->\nend\n$/)
    assert.match(text, /\| edge \| little memory \| {2}\| 61\.3 MB \(<= 60\) \*\*missed\*\* \|/)
    const again = { ...atMost('it ends', 1, 's', 2), attack: 'edge', database: 'sqlite' as const }
    writeInto(file, [again, { ...again, attack: 'disk' }], 'Measured.')
    writeSomeInto(file, [{ ...again, promise: 'it ends soon' }], 'Measured again.')
    writeSomeInto(file, [{ ...again, promise: 'it ends at once' }], 'Measured later.')
    const lines = readFileSync(file, 'utf8').split('\n').slice(2, -3)
    assert.deepEqual(
      lines.filter((line) => line !== '' && !line.startsWith('|--') && !line.startsWith('| attack')),
      [
        'Measured.',
        '`edge`: Measured later.',
        '| edge | it ends at once | 1 s (<= 2) |  |',
        '| disk | it ends | 1 s (<= 2) |  |',
      ],
    )
    assert.throws(() => writeInto(join(import.meta.dirname, 'kit/program.ts'), [], ''), /no place/)
  })
})

test('docs/reliability.md names every attack, and tests that there are', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/reliability.md'), 'utf8')
  const named = new Set([...text.matchAll(/attack `(\w+)`/g)].map(([, name]) => name))
  assert.deepEqual([...named].sort(), attacks.map(({ name }) => name).sort())
  for (const [, path] of text.matchAll(/`((?:src|test)\/[\w/.-]+\.test\.ts)`/g)) {
    assert.ok(existsSync(join(import.meta.dirname, '../..', path!)), `${path} is not there`)
  }
})
