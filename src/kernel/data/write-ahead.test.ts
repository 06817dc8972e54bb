import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { lostCommits } from './write-ahead.ts'

/** A database that is written to until the test ends, and a place for copies of it. */
function open(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-log-'))
  const [path, copy] = ['used.db', 'copy.db'].map((name) => join(folder, name)) as [string, string]
  const database = new DatabaseSync(path)
  t.after(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })
  database.exec('pragma journal_mode = wal; pragma cache_size = 5; create table t (a)')
  return {
    write: (bytes: number, end = 'commit') =>
      database.exec(`begin; insert into t values (randomblob(${bytes})); ${end}`),
    database,
    /** As the files are if the process ends now. */
    crashed() {
      for (const end of ['', '-wal']) copyFileSync(path + end, copy + end)
      return copy
    },
  }
}

test('a log that was left by a process is whole at every moment, whatever earlier rounds left in it', (t) => {
  const { database, write, crashed } = open(t)
  database.exec('pragma wal_autocheckpoint = 20')
  for (let i = 0; i < 60; i++) {
    write(1_000 + (i % 7) * 20_000)
    // More than the cache holds, so that it lies in the log although it never happened.
    if (i % 5 === 0) write(90_000, 'rollback')
    assert.equal(lostCommits(crashed()), 0, `after commit ${i}`)
  }
})

test('there is nothing to lose without a log, in an empty one and in the beginning of one', (t) => {
  const { database, crashed } = open(t)
  const path = crashed()
  database.exec('pragma wal_checkpoint(truncate)')
  assert.equal(lostCommits(crashed()), 0)
  writeFileSync(`${path}-wal`, 'x'.repeat(31))
  assert.equal(lostCommits(path), 0)
  rmSync(`${path}-wal`)
  assert.equal(lostCommits(path), 0)
})
