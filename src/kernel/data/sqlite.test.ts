/** These tests need SQLite: its file, its log and its disk. */
import assert from 'node:assert/strict'
import { readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { test } from 'node:test'
import { type BareDatabase, forEachBareDatabase, run, until } from '../../../test/kit/database/bare-database.ts'
import { ids, insert, upTo, withTable } from '../../../test/kit/database/entries.ts'
import { ApiError } from '../errors.ts'
import { onBehalfOf } from '../process/behalf.ts'
import { lockForServing } from '../process/process-lock.ts'
import type { ProjectId } from '../scope.ts'
import { OutcomeUnknown } from './db.ts'
import { databaseFailure } from './dialect.ts'

forEachBareDatabase(
  'the file',
  (openBare) => {
    const open = async () => withTable(await openBare({ file: true }))
    const pathOf = ({ url }: BareDatabase) => (url as { path: string }).path

    test('its log is on disk before it is moved to the file, and every table is strict', async () => {
      const { db } = await openBare({ file: true })
      assert.deepEqual(await run(db, 'pragma synchronous'), [{ synchronous: 1 }])
      assert.deepEqual(await run(db, 'pragma journal_mode'), [{ journal_mode: 'wal' }])
      assert.deepEqual(await run(db, 'pragma foreign_keys'), [{ foreign_keys: 1 }])
      const tables = await run<{ name: string; sql: string }>(db, "select * from sqlite_schema where type = 'table'")
      assert.ok(tables.length > 5)
      for (const { name, sql } of tables) assert.match(sql, /\) strict(, without rowid)?$/, name)
    })

    test('nobody but its owner reads it, nor what SQLite keeps beside it', async () => {
      const bare = await openBare({ file: true })
      for (const end of ['', '-wal', '-shm']) assert.equal(statSync(pathOf(bare) + end).mode & 0o077, 0, end)
    })

    test('a writer waits for another process without stopping the event loop', async (t) => {
      const bare = await open()
      // SQLite itself stops the event loop while it waits, so it waits for no more than a moment at a time.
      assert.deepEqual(await run(bare.db, 'pragma busy_timeout'), [{ timeout: 20 }])
      const rival = new DatabaseSync(pathOf(bare))
      bare.later(async () => rival.close())
      rival.exec('begin immediate')
      let tries = 0
      const { run: really } = StatementSync.prototype
      t.mock.method(StatementSync.prototype, 'run', function (this: StatementSync, ...values: never) {
        if (this.sourceSQL === 'begin immediate') tries++
        return really.apply(this, values)
      })
      const writing = bare.db.transact((tx) => insert(tx, 1))
      await until(() => tries >= 3, 'the event loop turns while it tries again and again')
      rival.exec("insert into entry values (7, 1, 'rival'); commit")
      await writing
      assert.deepEqual(await ids(bare.db), [1, 7])
    })

    test('who waits with a thousand transactions keeps others from one place in each round', async () => {
      const { db } = await open()
      const order: string[] = []
      const write = (project: number) => () =>
        db.transact(async (tx) => {
          order.push(`${project}`)
          await insert(tx, order.length)
        })
      const projects = [...upTo(1_000).map(() => 1), 2, 2, 3]
      await Promise.all(projects.map((project) => onBehalfOf(project as ProjectId, write(project))))
      assert.equal(order.length, projects.length)
      assert.deepEqual(order.slice(0, 7), ['1', '2', '3', '1', '2', '1', '1'])
    })

    test('transactions that take long share no commit, so that a read waits for one of them at most', async () => {
      const { db } = await open()
      const count = 20
      let done = 0
      const writing = upTo(count).map((i) =>
        db.transact(async (tx) => {
          const end = performance.now() + 6
          while (performance.now() < end);
          await insert(tx, i)
          done++
        }),
      )
      await Promise.race(writing)
      const seen = await ids(db)
      assert.ok(seen.length < count && done < count, `${seen.length} were there before the read`)
      await Promise.all(writing)
    })

    test('who need not be durable keeps those who must from nothing but one group in between', async () => {
      const { db } = await open()
      const order: string[] = []
      const write = (isDurable: boolean) =>
        db.transact(
          async (tx) => {
            order.push(isDurable ? 'durable' : 'other')
            await insert(tx, order.length)
          },
          { isDurable },
        )
      await Promise.all([...upTo(1_000).map(() => write(false)), write(true)])
      assert.ok(order.indexOf('durable') <= 64, `after ${order.indexOf('durable')} others`)
      assert.equal(order.length, 1_001)
    })

    test('only one server at a time has the file, and commands beside it can still write', async () => {
      const bare = await open()
      const lock = lockForServing(pathOf(bare))
      assert.ok(lock)
      const folder = dirname(pathOf(bare))
      symlinkSync(pathOf(bare), join(folder, 'link'))
      symlinkSync('link', join(folder, 'link-to-link'))
      symlinkSync(folder, join(folder, 'folder'))
      for (const other of [
        'wolke.db',
        './folder/../wolke.db',
        'link',
        'link-to-link',
        'folder/link',
        'folder/wolke.db',
      ]) {
        assert.equal(lockForServing(`${folder}/${other}`), undefined, other)
      }
      const command = await bare.another()
      await command.transact((tx) => insert(tx, 1))
      lock.release()
      const next = lockForServing(pathOf(bare))
      assert.ok(next)
      next.release()
    })

    test('a start that fails takes away what it made, and nothing that was there', async () => {
      const bare = await open()
      const folder = dirname(pathOf(bare))
      lockForServing(pathOf(bare))!.release()
      const before = readdirSync(folder).sort()
      lockForServing(pathOf(bare))!.abandon()
      symlinkSync('new.db', join(folder, 'dangling'))
      for (const path of ['new/deep/wolke.db', 'dangling', 'new.db']) {
        const key = join(folder, `${path.replaceAll('/', '-')}.key`)
        const lock = lockForServing(join(folder, path), [key, pathOf(bare)])
        assert.ok(lock)
        const database = new DatabaseSync(join(folder, path))
        database.exec('pragma journal_mode = wal; create table a (b)')
        database.close()
        writeFileSync(key, 'key')
        lock.abandon()
      }
      assert.deepEqual(readdirSync(folder).sort(), [...before, 'dangling'].sort())
      assert.deepEqual(await ids(bare.db), [])
    })

    test('a full disk makes writes unavailable, leaves reads alone, and is over when there is room', async () => {
      const bare = await open()
      const { db } = bare
      const big = 'x'.repeat(50_000)
      await db.transact((tx) => insert(tx, 1))
      const [{ page_count: pages } = { page_count: 0 }] = await run<{ page_count: number }>(db, 'pragma page_count')
      // The writing connection is the only one, so a read can set its limit.
      await run(db, `pragma max_page_count = ${pages + 5}`)
      const outcomes = await Promise.allSettled(
        [2, 3, 4].map((id) => db.transact((tx) => insert(tx, id, id === 3 ? big : undefined))),
      )
      const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
      assert.ok(refusals.length > 0)
      for (const refusal of refusals) assert.ok(refusal instanceof ApiError && refusal.code === 'unavailable')
      const kept = outcomes.flatMap((outcome, i) => (outcome.status === 'fulfilled' ? [i + 2] : []))
      assert.deepEqual(await ids(db), [1, ...kept], 'exactly what was promised is there')
      await run(db, 'pragma max_page_count = 1000000')
      await db.transact((tx) => insert(tx, 3, big))
      assert.deepEqual(await run(db, 'pragma integrity_check'), [{ integrity_check: 'ok' }])
    })

    test('whose commit meets a disk that fails hears of an unknown outcome, and of a full one that nothing happened', async (t) => {
      const { db } = await open()
      const { run: really } = StatementSync.prototype
      const failWith = (errcode: number, isWritten: boolean) =>
        t.mock.method(StatementSync.prototype, 'run', function (this: StatementSync, ...values: never) {
          if (this.sourceSQL !== 'commit') return really.apply(this, values)
          if (isWritten) really.apply(this, values)
          throw Object.assign(new Error('from the disk'), { code: 'ERR_SQLITE_ERROR', errcode })
        }).mock
      const told: unknown[] = []
      db.onTrouble((error) => told.push(error))
      const [full, notSynced, notWritten] = [13, 1034, 778]
      const cases: [errcode: number, isWritten: boolean][] = [
        [notSynced, true],
        [notSynced, false],
        [notWritten, false],
        [full, false],
      ]
      for (const [id, [errcode, isWritten]] of cases.entries()) {
        const failing = failWith(errcode, isWritten)
        const error = await db.transact((tx) => insert(tx, id)).catch((reason: unknown) => reason)
        failing.restore()
        if (errcode === full) assert.ok(error instanceof ApiError && error.code === 'unavailable')
        else assert.ok(error instanceof OutcomeUnknown && databaseFailure(error) === undefined)
      }
      assert.deepEqual(await ids(db), [0])
      assert.equal(told.length, cases.length)
    })
  },
  ['sqlite'],
)
