/** These tests need SQLite: a disk for which commits wait. */
import assert from 'node:assert/strict'
import { fstatSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { forEachBareDatabase, gate, run, until } from '../../../test/kit/database/bare-database.ts'
import { ids, insert, upTo, withTable } from '../../../test/kit/database/entries.ts'
import { type Database, OutcomeUnknown } from './db.ts'
import { openGrouped } from './group-commit.ts'
import { type SyncFile, syncFile } from './log-syncs.ts'

forEachBareDatabase(
  'waiting for the disk',
  (openBare) => {
    /** A handle on a file that waits for the disk by `sync`. */
    const openWith = async (sync: SyncFile) => {
      const bare = await withTable(await openBare({ file: true }))
      const { path } = bare.url as { path: string }
      const db = openGrouped(path, bare.clock, { sync })
      bare.later(() => db.close())
      return { db, path, bare }
    }
    /** A disk on which the next wait lasts until it is let go. */
    const slowDisk = () => {
      let held: ReturnType<typeof gate> | undefined
      const sync: SyncFile = async (file) => {
        await held?.pass()
        await syncFile(file)
      }
      const hold = () => {
        held = gate()
        return held
      }
      return { sync, hold }
    }
    const write = (db: Database, id: number, isDurable = true) => db.transact((tx) => insert(tx, id), { isDurable })
    /** Turns of the event loop in which whatever is not held goes on. */
    const turns = async () => {
      for (let i = 0; i < 50; i++) await new Promise(setImmediate)
    }

    test('nobody hears of a commit before its log is on disk: not its caller, its listeners, nor who reads it', async () => {
      const disk = slowDisk()
      const { db } = await openWith(disk.sync)
      const heard: string[] = []
      const note = (what: string) => () => void heard.push(what)
      db.listen('actions', note('listener'))
      const held = disk.hold()
      const all: Promise<unknown>[] = [
        db
          .transact(async (tx) => {
            tx.signal('actions')
            await insert(tx, 1)
          })
          .then(note('caller')),
      ]
      await until(() => held.arrived === 1)
      all.push(
        ids(db).then((seen) => note(`reader of ${seen}`)()),
        db.transact(async () => 'nothing').then(note('who changes nothing')),
        write(db, 1).catch(note('who is refused because of it')),
        db.transact((tx) => insert(tx, 2), { isDurable: false }).then(note('who need not be durable')),
      )
      await turns()
      assert.equal(heard.join(), '')
      held.open()
      await Promise.all(all)
      assert.deepEqual(heard.slice(0, 2), ['listener', 'caller'])
      assert.equal(heard.length, 6)
      assert.ok(heard.includes('reader of 1'))
    })

    test('what need not be durable waits for no disk', async () => {
      const disk = slowDisk()
      const { db } = await openWith(disk.sync)
      disk.hold()
      await write(db, 1, false)
      assert.deepEqual(await ids(db), [1])
    })

    test('a file without a log is waited for by its commits', async () => {
      const { db, path, bare } = await openWith(syncFile)
      const copy = `${path}-copy`
      writeFileSync(copy, await db.image!())
      const file = new DatabaseSync(copy)
      file.exec('pragma journal_mode = delete')
      file.close()
      const other = openGrouped(copy, bare.clock, { create: false, sync: async () => assert.fail() })
      bare.later(() => other.close())
      await write(other, 1)
      assert.deepEqual(await ids(other), [1])
      assert.deepEqual(await run(other, 'pragma synchronous'), [{ synchronous: 2 }])
    })

    test('transactions run while others wait for the disk, and one wait is for all that are made before it begins', async () => {
      const disk = slowDisk()
      const { db } = await openWith(disk.sync)
      const ran: number[] = []
      const noted = (id: number, isDurable = true) =>
        db.transact(
          async (tx) => {
            await insert(tx, id)
            ran.push(id)
          },
          { isDurable },
        )
      const first = disk.hold()
      const written = [write(db, 1)]
      await until(() => first.arrived === 1)
      for (const id of [2, 3, 4]) {
        written.push(noted(id, id === 2))
        await until(() => ran.includes(id))
      }
      const gathering = upTo(5).map((i) => noted(4 + i))
      await turns()
      assert.deepEqual(ran, [2, 3, 4], 'others gather behind the next wait')
      const second = disk.hold()
      first.open()
      await until(() => second.arrived === 1)
      const third = disk.hold()
      second.open()
      await Promise.all(written)
      third.open()
      await Promise.all(gathering)
      assert.deepEqual(await ids(db), upTo(9))
    })

    test('what waits for the disk is the log', async () => {
      const files: number[] = []
      const { db, path } = await openWith(async (file) => {
        files.push(fstatSync(file).ino)
        await syncFile(file)
      })
      await write(db, 1)
      assert.deepEqual(files, [statSync(`${path}-wal`).ino])
    })

    test('a disk that fails makes outcomes unknown and reads unavailable, and all is written again once it works', async () => {
      let works = true
      const times: bigint[] = []
      const { db, path, bare } = await openWith(async (file) => {
        times.push(fstatSync(file, { bigint: true }).mtimeNs)
        if (!works) throw Object.assign(new Error('i/o error'), { code: 'EIO' })
        await syncFile(file)
      })
      const told: unknown[] = []
      db.onTrouble((error) => told.push(error))
      await write(db, 1)
      works = false
      const outcomes = await Promise.allSettled([2, 3].map((id) => write(db, id)))
      for (const outcome of outcomes)
        assert.ok(outcome.status === 'rejected' && outcome.reason instanceof OutcomeUnknown)
      await assert.rejects(ids(db), { code: 'unavailable' })
      assert.ok(told.length >= 2)
      works = true
      // The system may have dropped what it could not write, and would not try again by itself.
      const before = statSync(`${path}-wal`, { bigint: true }).mtimeNs
      assert.deepEqual(await ids(db), [1, 2, 3])
      assert.ok(times.at(-1)! > before)
      await write(db, 4)
      assert.deepEqual(await ids(await bare.another()), [1, 2, 3, 4])
    })
  },
  ['sqlite'],
)

forEachBareDatabase('transactions that share a commit', (openBare) => {
  test('one that fails before it has changed something costs the others nothing, and one that fails later a second run', async () => {
    const { db } = await withTable(await openBare())
    const runs = async (fails: number, after: boolean) => {
      let count = 0
      const base = fails * 100
      await Promise.allSettled(
        upTo(10).map((i) =>
          db.transact(async (tx) => {
            count++
            if (i === 5 && !after) throw new Error('no')
            await insert(tx, base + i)
            if (i === 5) throw new Error('no')
          }),
        ),
      )
      return count
    }
    assert.equal(await runs(1, false), 10)
    let fails = 2
    let count = await runs(fails, true)
    // A slow machine ends groups early, and one that begins with the failure has nothing to repeat. PostgreSQL has no groups.
    while (count === 10 && fails < 10) count = await runs(++fails, true)
    assert.ok(count <= 20)
    assert.equal(await runs(++fails, true), 10)
    const kept = upTo(10).filter((i) => i !== 5)
    assert.deepEqual(
      await ids(db),
      upTo(fails).flatMap((run) => kept.map((i) => run * 100 + i)),
    )
  })
})
