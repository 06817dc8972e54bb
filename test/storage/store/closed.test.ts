/** A store that is closed leaves nothing running and nothing half done, and does not wait for the end of long copies. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '../../../src/drivers/storage/store/store.ts'
import { box, kinds, makeGround, megabyte, openAt } from './kit/grounds.ts'

const manyFiles = 5_000

/** The programs that work on the boxes of a ground: by their arguments, or by what a cell shows them. */
function programsOn(directory: string): string[] {
  const isOfCell = (line: string) => line.includes(basename(dirname(directory))) && line.includes('/boxes/')
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false
    try {
      const [said, seen] = ['cmdline', 'mountinfo'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8'))
      return said!.includes(`${directory}/store/`) || seen!.split('\n').some(isOfCell)
    } catch {
      // It has ended meanwhile.
      return false
    }
  })
}

function send(signal: NodeJS.Signals, pids: readonly string[]): void {
  for (const pid of pids) {
    try {
      process.kill(Number(pid), signal)
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
    }
  }
}

/** Opens a store whose first box has many files. */
async function openFull(t: TestContext, kind: 'plain' | 'reflink'): Promise<{ directory: string; store: Store }> {
  const directory = await makeGround(t, kind, 1_024)
  const store = await openAt(directory, { kind })
  await store.apply(box(1, { bytes: 900 * megabyte }))
  await store.apply(box(2))
  const { files } = await store.paths(1)
  mkdirSync(join(files, 'many'))
  for (let file = 0; file < manyFiles; file++) writeFileSync(join(files, 'many', `${file}`), 'kept')
  await store.changed(1)
  return { directory, store }
}

const failing = { message: 'The files of the Storage Box could not be changed.' }

for (const { kind, skip: lacking } of kinds) {
  if (kind === 'btrfs') continue
  const skip = process.platform === 'linux' ? lacking : 'programs are found by /proc'

  /** Closes the store when a copy has begun. What waits for it does not begin. */
  const closeWithin = async (directory: string, store: Store, long: Promise<void>) => {
    const ends = [assert.rejects(long, failing), assert.rejects(store.createSnapshot(1, 'later'), failing)]
    const half = join(directory, 'store/making/1/new/many')
    const begun = () => {
      try {
        return readdirSync(half).length
      } catch {
        return 0
      }
    }
    const isOver = long.then(
      () => true,
      () => true,
    )
    // A copy that has come so far stands still until it is ended, so that it is never too fast for this.
    for (;;) {
      const pids = programsOn(directory)
      send('SIGSTOP', pids)
      if (begun() > 0 && pids.length > 0) break
      send('SIGCONT', pids)
      assert.equal(await Promise.race([isOver, delay(1, false)]), false)
    }
    await store.close()
    assert.deepEqual(programsOn(directory), [])
    assert.deepEqual(readdirSync(join(directory, 'store/making')), [])
    await Promise.all(ends)
    await assert.rejects(store.createSnapshot(2, 'after'), failing)
  }

  test(`a copy for a snapshot ends with its store, and can be made later (${kind})`, { skip }, async (t) => {
    const { directory, store } = await openFull(t, kind)
    await closeWithin(directory, store, store.createSnapshot(1, 'cut off'))
    const next = await openAt(directory)
    assert.deepEqual(await next.snapshots(1), [])
    await next.createSnapshot(1, 'cut off')
    const { bySnapshot } = await next.paths(1)
    assert.equal(readdirSync(join(bySnapshot.get('cut off')!, 'many')).length, manyFiles)
  })

  test(`a copy for a rollback ends with its store, and the files are as they were (${kind})`, { skip }, async (t) => {
    const { directory, store } = await openFull(t, kind)
    await store.createSnapshot(1, 'whole')
    const { files } = await store.paths(1)
    writeFileSync(join(files, 'newer'), 'kept')
    await store.changed(1)
    await closeWithin(directory, store, store.rollback(1, 'whole', [], 1))
    const next = await openAt(directory)
    assert.deepEqual(readdirSync(files).sort(), ['many', 'newer'])
    assert.equal(readdirSync(join(files, 'many')).length, manyFiles)
    assert.deepEqual(await next.snapshots(1), ['whole'])
    await next.rollback(1, 'whole', [], 1)
    assert.deepEqual(readdirSync(files), ['many'])
  })
}
