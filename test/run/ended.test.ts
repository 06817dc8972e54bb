import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { until } from '../kit/database/bare-database.ts'
import { postgresVariable } from '../kit/database/postgres.ts'
import { RUN_FOLDER_VARIABLE } from './leftovers.ts'

const onLinux = { skip: process.platform === 'linux' ? false : 'only Linux tells which processes there are' }
const root = join(import.meta.dirname, '../..')

test('the first signal ends a run with everything that it started, however often it comes', onLinux, async (t) => {
  const place = mkdtempSync(join(tmpdir(), 'ended-'))
  t.after(() => rmSync(place, { recursive: true }))
  const note = join(place, 'note.json')
  const folder = mkdtempSync(join(place, 'temporary-'))
  // As open as other temporary folders: PostgreSQL runs under another account.
  for (const path of [place, folder]) chmodSync(path, 0o1777)
  const { [postgresVariable]: _, [RUN_FOLDER_VARIABLE]: __, ...rest } = process.env
  const env = { ...rest, TMPDIR: folder, WOLKE_TEST_HANGING: note }
  const run = spawn(process.execPath, ['test/run/run.ts', 'test/fixtures/hanging.ts'], {
    cwd: root,
    env,
    stdio: 'ignore',
  })
  t.after(() => run.kill('SIGKILL'))
  const ended = once(run, 'exit')
  await until(() => existsSync(note) || run.exitCode !== null, 'the test hangs')
  const { pids, postgres } = JSON.parse(readFileSync(note, 'utf8')) as { pids: number[]; postgres?: string }
  run.kill('SIGTERM')
  await until(() => !isThere(pids[0]!), 'the test is ended')
  // npm hands the signal on that the group got already.
  run.kill('SIGTERM')
  assert.deepEqual(await ended, [143, null])
  assert.deepEqual(pids.filter(isThere), [])
  assert.deepEqual(readdirSync(folder), [])
  if (postgres) await assert.rejects(new pg.Client({ connectionString: postgres }).connect(), { code: 'ECONNREFUSED' })
})

/** Whether a process runs: one that has ended may still wait for its parent to hear of it. */
function isThere(pid: number): boolean {
  try {
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
