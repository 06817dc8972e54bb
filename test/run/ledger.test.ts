import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { postgresVariable } from '../kit/database/postgres.ts'
import { onPostgres } from '../kit/engines.ts'
import { form, judgeLedger, type Ledger, ledgerVariable } from './ledger.ts'
import { partsOf } from './statement-parts.ts'

const place = 'src/families/things/store.ts:7'

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

/** What is judged of a process that gave statements to the databases. */
function judged(t: TestContext, ledger: Ledger, exempt: Parameters<typeof judgeLedger>[1] = []): readonly string[] {
  const folder = folderFor(t)
  // Each database is given its statements in another process.
  writeFileSync(join(folder, '1.json'), JSON.stringify({ sqlite: ledger.sqlite, postgres: {} }))
  writeFileSync(join(folder, '2.json'), JSON.stringify({ sqlite: {}, postgres: ledger.postgres }))
  return judgeLedger(folder, exempt)
}

test('a process notes what the program makes, and only that is judged', onPostgres, async (t) => {
  const folder = folderFor(t)
  await promisify(execFile)(process.execPath, ['test/run/batch.ts', 'test/fixtures/planted-statements.ts'], {
    env: {
      ...process.env,
      // A server that others use has a migrated template already, so that nobody would see it migrated.
      [postgresVariable]: undefined,
      [ledgerVariable]: folder,
      WOLKE_TEST_DATABASES: 'sqlite,postgres',
      WOLKE_TEST_ONLY: '[]',
    },
  })
  const [found = '', ...more] = judgeLedger(folder, [])
  assert.deepEqual(more, [])
  assert.match(
    found,
    /^src\/kernel\/access\/projects\.ts:\d+ gives sqlite alone: update project set name = \? where id = \?\n/,
  )
  assert.match(found, /: project: set name = \?$/m)
})

const asRoot = { skip: process.getuid?.() === 0 ? false : 'only root gives a process its number' }

test('processes that were given one number, one after the other, each keep their notes', asRoot, async (t) => {
  const folder = folderFor(t)
  const note = `
    const { noteStatements } = await import('./test/run/ledger.ts')
    noteStatements(${JSON.stringify(folder)})
    console.log(process.pid)`
  for (let run = 0; run < 2; run++) {
    const node = [process.execPath, '--input-type=module', '--eval', note]
    const { stdout } = await promisify(execFile)('unshare', ['--pid', '--fork', ...node])
    assert.equal(stdout, '1\n')
  }
  assert.equal(readdirSync(folder).length, 2)
})

test('a statement that one database alone was given is found, with its place', (t) => {
  const statements = { 'select id from thing where name = ?': place }
  for (const [engine, other] of [
    ['sqlite', 'postgres'],
    ['postgres', 'sqlite'],
  ] as const) {
    const ledger = { [engine]: statements, [other]: {} } as unknown as Ledger
    const [found, ...more] = judged(t, ledger)
    assert.equal(
      found,
      [
        `${place} gives ${engine} alone: select id from thing where name = ?`,
        'of which the other one was not given: thing: where name = ?',
        'of which the other one was not given: select id from thing where …',
      ].join('\n  '),
    )
    assert.deepEqual(more, [])
  }
})

test('what both databases were given is no finding, whoever gave it to the other and with whatever else', (t) => {
  const both = { 'select id from thing where name = ?': place }
  assert.deepEqual(judged(t, { sqlite: both, postgres: both }), [])
  assert.deepEqual(judged(t, { sqlite: both, postgres: { 'select id from thing where name = ?': '' } }), [])
  const apart = { 'select id from thing where size = ?': '', 'select * from thing where name = ? order by id': '' }
  assert.deepEqual(judged(t, { sqlite: both, postgres: apart }), [])
})

test('what only tests make is no finding', (t) => {
  assert.deepEqual(judged(t, { sqlite: { 'delete from audit': '' }, postgres: {} }), [])
})

test('an exemption is for its database, its file and its parts, and one that exempts nothing is found', (t) => {
  const exempt = {
    engine: 'sqlite',
    file: 'src/families/things/store.ts',
    parts: /^delete from thing$/,
    why: 'test',
  } as const
  const only = { 'delete from thing': place }
  assert.deepEqual(judged(t, { sqlite: only, postgres: {} }, [exempt]), [])
  const idle = 'test/run/ledger.ts exempts nothing of src/families/things/store.ts by /^delete from thing$/'
  assert.deepEqual(judged(t, { sqlite: only, postgres: only }, [exempt]), [idle])
  for (const ledger of [
    { sqlite: {}, postgres: only },
    { sqlite: { 'delete from thing': 'src/families/things/work.ts:7' }, postgres: {} },
    { sqlite: { 'delete from thing where id = ?': place }, postgres: {} },
  ]) {
    const found = judged(t, ledger, [exempt])
    assert.equal(found.length, 2)
    assert.equal(found[1], idle)
  }
})

test('an exemption of a part spares no other statement that has it', (t) => {
  const parts = /^thing: where name = \?$|^select id from thing where …$/
  const exempt = { engine: 'sqlite', file: 'src/families/things/store.ts', parts, why: 'test' } as const
  const other = { 'select size from thing where name = ?': 'src/families/things/work.ts:7' }
  const found = judged(t, { sqlite: { 'select id from thing where name = ?': place, ...other }, postgres: {} }, [
    exempt,
  ])
  assert.equal(found.length, 1)
  assert.match(
    found[0]!,
    /^src\/families\/things\/work\.ts:7 gives .*\n.*: thing: where name = \?\n.*: select size from/,
  )
})

test('both databases have one form of a statement', () => {
  const sqlite = 'select "id"\n from "mail" where "id" in (?, ?) and "at" < wolke_now() limit 5'
  const postgres = `select "id" from "mail" where "id" in ($1)
    and "at" < (extract(epoch from clock_timestamp()) * 1000)::bigint limit $2 for no key update skip locked`
  assert.equal(form(sqlite), 'select id from mail where id in (?) and at < now limit ?')
  assert.equal(form(postgres), form(sqlite))
})

test('rows and parts that are alike make no other form, however many there are', () => {
  const row = '(?, coalesce(?, (select name from project where id = ?)))'
  const inserted = `insert into audit (time, project_name) values ${row}`
  assert.equal(form(`${inserted}, ${row}, ${row}`), form(inserted))
  assert.equal(form(`${inserted}, ${row} returning id`), form(`${inserted} returning id`))
  assert.notEqual(form(`${inserted}, (?, ?)`), form(inserted))
  const part = 'select id from label where key = ? and value in (?, ?)'
  const joined = (...parts: string[]) => `select thing.* from (${parts.join(' union all ')} order by id limit 3) as ids`
  assert.equal(form(joined(part, part, part, part)), form(joined(part, part)))
  assert.notEqual(form(joined(part, part)), form(joined(part)))
  assert.notEqual(form(joined(part, 'select id from thing')), form(joined(part, part)))
})

test('a statement has the parts that its text names', () => {
  const claim = `with claimed as ( select id from action as free where status = 'running' and at not between now + 1 and now + ?
    and (lease is null or lease < now) and not exists (select 1 from lock where lock.id = free.id) order by id, at desc limit ? )
    update action set worker = ?, fence = fence + 1 where id in (select id from claimed) returning *`
  assert.deepEqual([...partsOf(form(claim))].sort(), [
    'action as free: order by at desc',
    'action as free: order by id',
    'action as free: where at not between now + 1 and now + ?',
    'action as free: where lease < now',
    'action as free: where lease is null',
    'action as free: where not exists (select 1 from lock where …)',
    "action as free: where status = 'running'",
    'action: set fence = fence + 1',
    'action: set worker = ?',
    'action: where id in (select id from claimed)',
    'lock: where lock.id = free.id',
    'with claimed as ( select id from action as free where … order by … limit ? ) update action set … where … returning *',
  ])
  assert.deepEqual(
    [...partsOf('insert into thing (id, name) values (?) on conflict (id) do nothing')],
    ['thing: insert id', 'thing: insert name', 'insert into thing … values (?) on conflict (id) do nothing'],
  )
  assert.deepEqual(
    [...partsOf('select id from a where b = ? union all select id from c where d = ? limit ?')],
    ['a: where b = ?', 'c: where d = ?', 'select id from a where … union all select id from c where … limit ?'],
  )
})
