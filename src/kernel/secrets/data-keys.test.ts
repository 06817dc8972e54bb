/** Keys of Projects are replaced while they are used, and nothing is lost wherever that ends. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { forEachBareDatabase, run } from '../../../test/kit/database/bare-database.ts'
import { createProject } from '../access/projects.ts'
import type { Database } from '../data/db.ts'
import type { ProjectScope } from '../scope.ts'
import { countOutdated, keyStateOf, renewKeys } from './data-keys.ts'
import { rotateKek, unlock } from './installation.ts'
import { randomKey, toKek } from './kek.ts'
import type { SealedColumn, Secrets } from './secrets.ts'

const [first, second] = [toKek(randomKey()), toKek(randomKey())]
const columns: readonly SealedColumn[] = [
  { table: 'sealed_one', column: 'secret', key: 'id' },
  { table: 'sealed_two', column: 'secret', key: 'thing_id' },
]
const names = ['a', 'b', 'c']
/** More than one batch in each column. */
const ofEach = 25

/** A database whose nth transaction, from 1, is never begun, because its process has ended. */
function ending(db: Database, nth: number): Database {
  let count = 0
  const transact: Database['transact'] = (work, options) =>
    ++count === nth ? Promise.reject(new Error('killed')) : db.transact(work, options)
  return Object.create(db, { transact: { value: transact } }) as Database
}

forEachBareDatabase('keys of Projects', (openBare) => {
  async function open() {
    const bare = await openBare({ file: true })
    const { db } = bare
    for (const { table, key } of columns)
      await run(db, `create table ${table} (${key} bigint primary key, project_id bigint not null, secret text)`)
    const secrets = await unlock(db, { current: first })
    const scopes: ProjectScope[] = []
    for (const name of names) {
      const { id } = await db.transact((tx) => createProject(tx, name, '2026-11-21T12:00:00Z'))
      scopes.push({ projectId: id })
    }
    const rows: { readonly scope: ProjectScope; readonly column: SealedColumn; readonly id: number }[] = []
    for (const [index, scope] of scopes.entries())
      for (const column of columns)
        for (let number = 1; number <= ofEach; number++) rows.push({ scope, column, id: index * 100 + number })
    const put = (by: Secrets, { scope, column, id }: (typeof rows)[number], text: string) =>
      db.transact(async (tx) => {
        const sealed = await by.seal(tx, scope, { ...column, id }, text)
        const { table, key } = column
        await sql`
          insert into ${sql.table(table)} (${sql.ref(key)}, project_id, secret) values (${id}, ${scope.projectId}, ${sealed})
          on conflict (${sql.ref(key)}) do update set secret = ${sealed}
        `.execute(tx.query)
      })
    const textOf = ({ scope, column, id }: (typeof rows)[number]) => `${column.table} ${id} of ${scope.projectId}`
    for (const row of rows) await put(secrets, row, textOf(row))
    const sealedIn = async ({ column: { table, key }, id }: (typeof rows)[number]) =>
      (await run<{ secret: string }>(db, `select secret from ${table} where ${key} = ${id}`))[0]!.secret
    const opensAll = async (by: Secrets) => {
      for (const row of rows) {
        const { scope, column, id } = row
        assert.equal(await by.open(db.query, scope, { ...column, id }, await sealedIn(row)), textOf(row))
      }
    }
    const keyIds = async () => (await run<{ id: number }>(db, 'select id from project_key')).map(({ id }) => id)
    return { ...bare, secrets, scopes, rows, put, textOf, sealedIn, opensAll, keyIds }
  }

  test('are all replaced, and what they sealed is sealed again', async () => {
    const { db, secrets, opensAll, keyIds, rows, sealedIn } = await open()
    const before = await keyIds()
    const copy = await sealedIn(rows[0]!)
    const { keys, secrets: sealed, damaged } = await renewKeys(db, secrets, columns)
    assert.deepEqual({ keys, sealed, damaged }, { keys: 3, sealed: rows.length, damaged: [] })
    await opensAll(secrets)
    const after = await keyIds()
    assert.equal(after.length, 3)
    assert.ok(after.every((id) => !before.includes(id)))
    const state = await keyStateOf(db.query)
    assert.deepEqual({ ...state, oldest: typeof state.oldest }, { inUse: 3, oldest: 'string', retired: 0 })
    const { scope, column } = rows[1]!
    await assert.rejects(secrets.open(db.query, scope, { ...column, id: 99_999 }, copy), /is gone/)
    assert.deepEqual(await renewKeys(db, secrets, []), { keys: 3, secrets: 0, damaged: [] }, 'it begins anew')
  })

  test('are replaced completely by the next call when a call ends anywhere', async () => {
    const { db, secrets, opensAll, keyIds, rows } = await open()
    let before: number[] = []
    let nth = 1
    for (let isDone = false; !isDone; nth++) {
      const whole = await keyStateOf(db.query)
      if (whole.retired === 0) before = await keyIds()
      await renewKeys(ending(db, nth), secrets, columns).then(
        () => {
          isDone = true
        },
        (error: Error) => assert.equal(error.message, 'killed'),
      )
      await opensAll(secrets)
      const { retired } = await keyStateOf(db.query)
      const outdated = await countOutdated(db.query, columns)
      if (retired === 0) assert.equal(outdated, 0, 'no key is gone before what it sealed is sealed again')
      if (isDone) break
      const again = await renewKeys(db, secrets, columns)
      assert.deepEqual(again.damaged, [])
      await opensAll(secrets)
      assert.deepEqual(await keyStateOf(db.query).then((state) => state.retired), 0)
      const after = await keyIds()
      assert.equal(after.length, 3)
      assert.ok(after.every((id) => !before.includes(id)))
    }
    assert.ok(nth > 5, `it ended in ${nth} places`)
    assert.equal(await countOutdated(db.query, columns), 0)
    assert.equal(rows.length, 150)
  })

  test('are replaced while others seal and open', async () => {
    const { another, db, secrets, rows, put, textOf, sealedIn, opensAll } = await open()
    const otherDb = await another()
    const others = await unlock(otherDb, { current: first })
    let isOver = false
    let done = 0
    const use = async (offset: number) => {
      for (let turn = offset; !isOver; turn++) {
        const row = rows[turn % rows.length]!
        const { scope, column, id } = row
        const sealed = await sealedIn(row)
        // Whatever happens in between, what was read can be opened.
        await new Promise(setImmediate)
        assert.equal(await others.open(otherDb.query, scope, { ...column, id }, sealed), textOf(row))
        if (turn % 3 === 0) await put(others, row, textOf(row))
        done++
      }
    }
    const users = [0, 40, 80].map(use)
    for (let times = 1; times <= 3; times++) {
      const result = await renewKeys(db, secrets, columns)
      assert.deepEqual({ keys: result.keys, damaged: result.damaged }, { keys: 3, damaged: [] })
    }
    isOver = true
    await Promise.all(users)
    assert.ok(done > 0)
    assert.equal(await countOutdated(db.query, columns), 0)
    await opensAll(secrets)
  })

  test('that sealed what is damaged are kept, and the others are replaced', async () => {
    const { db, secrets, rows, sealedIn } = await open()
    const { column, id } = rows[3]!
    const sealed = await sealedIn(rows[3]!)
    const broken = `${sealed.slice(0, -4)}AAAA`
    await run(db, `update ${column.table} set secret = '${broken}' where ${column.key} = ${id}`)
    for (let times = 1; times <= 2; times++) {
      const { damaged } = await renewKeys(db, secrets, columns)
      assert.deepEqual(damaged, [{ ...column, id }])
      assert.equal((await keyStateOf(db.query)).retired, 1)
      assert.equal(await sealedIn(rows[3]!), broken)
    }
  })

  test('are wrapped with the key that all processes have until wolke secrets rotate moves on', async () => {
    const { db, secrets, opensAll, scopes, put, rows } = await open()
    const both = await unlock(db, { current: second, previous: first })
    await renewKeys(db, both, columns)
    const { id } = await db.transact((tx) => createProject(tx, 'd', '2026-11-21T12:00:00Z'))
    const row = { ...rows[0]!, scope: { projectId: id }, id: 900 }
    await put(both, row, 'of a new Project')
    await both.ofInstallation(db, 'own', async () => 'own secret')
    await opensAll(secrets)
    assert.equal(await secrets.ofInstallation(db, 'own', () => assert.fail('it is there')), 'own secret')
    assert.equal(scopes.length, 3)
    await rotateKek(db, { current: second, previous: first })
    await opensAll(await unlock(db, { current: second }))
  })
})
