/** Trees made by somebody who wants to see or change what is outside of the box, or to be in the way. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { box, kinds, type Logged, makeGround, megabyte, openAt } from './kit/grounds.ts'

const isRoot = process.getuid?.() === 0

/** Makes a directory a link to `target` and a directory again, as fast as it can, until the test ends. */
async function swap(t: TestContext, directory: string, target: string): Promise<void> {
  const program = `
    const { renameSync, symlinkSync } = require('node:fs')
    const [at, target] = process.argv.slice(1)
    symlinkSync(target, at + '.link')
    process.stdout.write('ready')
    const steps = [[at, at + '.folder'], [at + '.link', at], [at, at + '.link'], [at + '.folder', at]]
    for (let other = 0; ; ) {
      try {
        for (const [from, to] of steps) renameSync(from, to)
      } catch {
        // Somebody else has made a directory there.
        try { renameSync(at, at + '.other-' + other++) } catch {}
        try { renameSync(at + '.folder', at) } catch {}
      }
    }`
  const child = spawn(process.execPath, ['-e', program, directory, target], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  await once(child.stdout, 'data')
}

for (const { kind, skip } of kinds) {
  describe(`A hostile box (${kind})`, { skip }, () => {
    test('makes no directory outside, whatever stands where a home should be', async (t) => {
      const directory = await makeGround(t, kind)
      const warnings: Logged[] = []
      const store = await openAt(directory, { kind, warnings })
      await store.apply(box(1))
      const { files } = await store.paths(1)
      const outside = join(directory, 'outside')
      mkdirSync(outside)
      symlinkSync(outside, join(files, 'link'))
      symlinkSync('../../../../outside', join(files, 'up'))
      writeFileSync(join(files, 'file'), '')
      const accounts = ['link/made', 'link', 'up/made', 'file/made', '../../outside/made', 'good'].map((home) => ({
        home,
      }))
      await store.apply(box(1, { generation: 2, accounts }))
      assert.deepEqual(readdirSync(outside), [])
      assert.deepEqual(await store.folders(1, ''), ['good', 'outside'])
      assert.equal(warnings.length, 4)
    })

    test('gets nothing from outside into a snapshot, and changes nothing there', { skip: !isRoot }, async (t) => {
      const directory = await makeGround(t, kind)
      const store = await openAt(directory, { kind })
      await store.apply(box(1))
      const { files } = await store.paths(1)
      const outside = join(directory, 'outside')
      mkdirSync(join(outside, 'deeper'), { recursive: true })
      writeFileSync(join(outside, 'secret'), 'secret')
      writeFileSync(join(outside, 'deeper', 'secret'), 'secret')
      for (let folder = 0; folder < 20; folder++) {
        mkdirSync(join(files, `${folder}`, 'deeper'), { recursive: true })
        for (let file = 0; file < 20; file++) writeFileSync(join(files, `${folder}`, `${file}`), 'mine')
        writeFileSync(join(files, `${folder}`, 'secret'), 'mine')
      }
      await store.changed(1)
      for (const folder of [0, 7, 19]) await swap(t, join(files, `${folder}`), outside)
      for (let round = 0; round < 8; round++) {
        await store.createSnapshot(1, `${round}`)
        const copy = (await store.paths(1)).bySnapshot.get(`${round}`)!
        const found = execFileSync('grep', ['-rLx', 'mine', copy, '--include=*'], { encoding: 'utf8' }).trim()
        assert.equal(found, '')
        await store.folders(1, '7/deeper').catch(() => undefined)
        await store
          .apply(box(1, { generation: round + 2, accounts: [{ home: `7/made-${round}` }] }))
          .catch(() => undefined)
        await store.usage(1)
        await store.deleteSnapshot(1, `${round}`)
      }
      assert.deepEqual(readdirSync(outside).sort(), ['deeper', 'secret'])
      await store.remove(1, 99)
      assert.equal(readFileSync(join(outside, 'deeper/secret'), 'utf8'), 'secret')
    })

    test('is copied as it is while files vanish', async (t) => {
      const store = await openAt(await makeGround(t, kind), { kind })
      await store.apply(box(1))
      const { files } = await store.paths(1)
      for (let file = 0; file < 500; file++) writeFileSync(join(files, `stays-${file}`), 'stays')
      const program = `
        const { writeFileSync, renameSync, unlinkSync, mkdirSync, rmdirSync } = require('node:fs')
        process.chdir(process.argv[1])
        process.stdout.write('ready')
        for (let round = 0; ; round = (round + 1) % 300) {
          writeFileSync('goes-' + round, 'goes')
          renameSync('goes-' + round, 'moved-' + round)
          unlinkSync('moved-' + round)
          mkdirSync('folder-' + round)
          rmdirSync('folder-' + round)
        }`
      const child = spawn(process.execPath, ['-e', program, files], { stdio: ['ignore', 'pipe', 'inherit'] })
      await once(child.stdout, 'data')
      await store.changed(1)
      for (let round = 0; round < 5; round++) {
        await store.createSnapshot(1, `${round}`)
        const names = readdirSync((await store.paths(1)).bySnapshot.get(`${round}`)!)
        assert.equal(names.filter((name) => name.startsWith('stays-')).length, 500)
      }
      await store.usage(1)
      child.kill('SIGKILL')
      await once(child, 'exit')
    })

    test('may be deep, have 10,000 files and links in circles', async (t) => {
      const directory = await makeGround(t, kind)
      const store = await openAt(directory, { kind })
      await store.apply(box(1, { bytes: 400 * megabyte }))
      const { files } = await store.paths(1)
      const deep = `${'d/'.repeat(1_500)}end`
      mkdirSync(join(files, deep), { recursive: true })
      symlinkSync('.', join(files, 'circle'))
      symlinkSync('circle', join(files, 'circle-2'))
      for (let folder = 0; folder < 100; folder++) {
        mkdirSync(join(files, `${folder}`))
        for (let file = 0; file < 100; file++) writeFileSync(join(files, `${folder}`, `${file}`), `${file}`)
      }
      linkSync(join(files, '1', '1'), join(files, 'linked'))
      await store.changed(1)
      await store.createSnapshot(1, 'one')
      rmSync(join(files, 'd'), { recursive: true })
      await store.rollback(1, 'one', [], 1)
      assert.ok(existsSync(join(files, deep)))
      assert.equal(execFileSync('find', [files, '-type', 'f', '-printf', 'x']).length, 10_001)
      await store.deleteSnapshot(1, 'one')
      await store.remove(1, 2)
      assert.deepEqual(readdirSync(join(directory, 'store/boxes')), [])
      assert.deepEqual(readdirSync(join(directory, 'store/making')), [])
    })

    test('whose paths are too long for any call is removed all the same', async (t) => {
      const directory = await makeGround(t, kind)
      const store = await openAt(directory, { kind })
      await store.apply(box(1))
      const { files } = await store.paths(1)
      execFileSync(
        'sh',
        ['-c', 'for i in $(seq 40); do mkdir "$1" && cd -P "$1" || exit; done', 'sh', 'n'.repeat(200)],
        {
          cwd: files,
          stdio: 'ignore',
        },
      )
      await store.changed(1)
      await store.usage(1)
      await store.remove(1, 2)
      assert.deepEqual(readdirSync(join(directory, 'store/making')), [])
    })
  })
}
