/** Files that go with their cloud are gone when it has ended, however they were kept and however it ended. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { PassingStorage } from '../../../src/drivers/storage/open.ts'
import { box, kinds, type Logged, makeGround } from './kit/grounds.ts'
import { passingAt } from './kit/passing.ts'

/** Nothing is left of any box, nor of what the file system was told about it. */
function assertEmpty(directory: string, kind: string, names: readonly string[] = []): void {
  assert.deepEqual(readdirSync(directory), names)
  if (kind !== 'btrfs') return
  assert.equal(execFileSync('btrfs', ['subvolume', 'list', directory], { encoding: 'utf8' }), '')
  const groups = execFileSync('btrfs', ['qgroup', 'show', directory], { encoding: 'utf8' })
  assert.doesNotMatch(groups, /^[1-9]\d*\/\d/m)
}

/** A process with two clouds that have boxes and snapshots, which ends only when it is killed. Returns its folder and its end. */
async function beginAndKill(t: TestContext, directory: string): Promise<{ folder: string; kill(): Promise<void> }> {
  const program = join(import.meta.dirname, 'kit/passing.ts')
  const child = spawn(process.execPath, ['--expose-gc', program, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const [told] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  const kill = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { folder: String(told).trim(), kill }
}

for (const { kind, skip } of kinds) {
  test(`boxes and snapshots of a cloud in memory go with it, or with the process (${kind})`, { skip }, async (t) => {
    const directory = realpathSync(await makeGround(t, kind))
    const warnings: Logged[] = []
    const storage = await PassingStorage.open(passingAt(directory, warnings))
    const fill = async (cloud: ReturnType<typeof storage.cloud>) => {
      const driver = await cloud.driver()
      for (const id of [1, 2]) await driver.apply({ ...box(id), accounts: [] })
      const [folder] = readdirSync(directory)
      const clouds = readdirSync(join(directory, folder!)).filter((name) => /^\d+$/.test(name))
      writeFileSync(join(directory, folder!, clouds.at(-1)!, 'boxes/1/files/file'), 'content')
      await driver.createSnapshot(1, 'kept')
      return clouds
    }
    const first = storage.cloud()
    assert.deepEqual(await fill(first), ['1'])
    first.end()
    assert.deepEqual(await fill(storage.cloud()), ['2'])
    await storage.close()
    assertEmpty(directory, kind)
    assert.deepEqual(warnings, [])
  })

  test(`those of a process that was killed go with the next one, and no others (${kind})`, { skip }, async (t) => {
    const directory = realpathSync(await makeGround(t, kind))
    const [killed, running] = await Promise.all([beginAndKill(t, directory), beginAndKill(t, directory)])
    // Nobody knows whether who has made this one, without a lock, still runs.
    mkdirSync(join(directory, 'wolke-storage-other'))
    await killed.kill()
    const warnings: Logged[] = []
    const next = await PassingStorage.open(passingAt(directory, warnings))
    while (readdirSync(directory).includes(killed.folder)) await delay(20)
    assert.deepEqual(readdirSync(directory).sort(), [running.folder, 'wolke-storage-other'].sort())
    assert.deepEqual(readdirSync(join(directory, running.folder, '1/boxes')), ['1', '2'])
    await next.close()
    await running.kill()
    const last = await PassingStorage.open(passingAt(directory, warnings))
    while (readdirSync(directory).includes(running.folder)) await delay(20)
    await last.close()
    assertEmpty(directory, kind, ['wolke-storage-other'])
    assert.deepEqual(warnings, [])
  })
}

test('a directory that was made for them goes too', async (t) => {
  const directory = join(await makeGround(t, 'plain'), 'made/for')
  const storage = await PassingStorage.open(passingAt(directory, []))
  await (await storage.cloud().driver()).apply({ ...box(1), accounts: [] })
  assert.equal(readdirSync(directory).length, 1)
  await storage.close()
  assert.deepEqual(readdirSync(join(directory, '../..')), [])
})
