import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
    /** Copies the files as they are if the process ends now. */
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

test('commits are lost behind a damage when others follow them; the last one alone may just be torn', (t) => {
  const { write, crashed } = open(t)
  for (let i = 0; i < 5; i++) write(10_000)
  const path = crashed()
  const log = readFileSync(`${path}-wal`)
  const starts = Array.from({ length: (log.length - 32) / 4_120 }, (_, i) => 32 + i * 4_120)
  const commits = starts.filter((start) => log.readUInt32BE(start + 4) !== 0)
  for (const start of starts) {
    for (const [from, to] of [
      [start + 24, start + 4_120],
      [start, start + 4_120],
    ] as const) {
      writeFileSync(`${path}-wal`, Buffer.from(log).fill(0xff, from, to))
      const behind = commits.filter((commit) => commit >= start).length
      const lost = lostCommits(path)
      // The first frame after one that is damaged as a whole cannot be told from noise.
      assert.ok(lost <= Math.max(0, behind - 1) && lost >= behind - 2, `${start}: ${lost}`)
    }
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
