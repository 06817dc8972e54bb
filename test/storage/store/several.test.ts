/** Several processes on one directory, and a box that is written to while its snapshot is made. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { box, kinds, makeGround, megabyte, openAt, skipsImages } from './kit/grounds.ts'

const rounds = 4

describe('Processes that share a directory', () => {
  for (const { kind, skip } of kinds) {
    test(`change a box one after the other (${kind})`, { skip }, async (t) => {
      const directory = await makeGround(t, kind)
      const store = await openAt(directory, { kind })
      await store.apply(box(1, { bytes: 400 * megabyte }))
      const { files } = await store.paths(1)
      for (let file = 0; file < 50; file++) writeFileSync(join(files, `${file}`), 'kept')
      await store.changed(1)
      const names = ['a', 'b', 'c']
      const ends = names.map(async (name) => {
        const args = [join(import.meta.dirname, 'kit/beside.ts'), join(directory, 'store'), kind, name, `${rounds}`]
        const [code] = await once(spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] }), 'exit')
        return code
      })
      let areDone = false
      void Promise.all(ends).finally(() => {
        areDone = true
      })
      // Readers wait for nobody.
      while (!areDone) assert.ok((await store.paths(1)).files)
      assert.deepEqual(await Promise.all(ends), [0, 0, 0])
      const { bySnapshot } = await store.paths(1)
      const expected = [
        ...names.map((name) => `${name}-${rounds - 1}`),
        ...Array.from({ length: rounds }, (_, n) => `all-${n}`),
      ]
      assert.deepEqual([...bySnapshot.keys()].sort(), expected.sort())
      for (const path of [files, ...bySnapshot.values()]) assert.equal(readdirSync(path).length, 50)
      assert.deepEqual(readdirSync(join(directory, 'store/making')), [])
      assert.equal((await store.usage(1)).bySnapshot.size, expected.length)
    })
  }
})

/** Writes blocks that say how many came before, 50 MB a second at most, and closes a file after each megabyte. */
const writing = `
const { openSync, writeSync, closeSync } = require('node:fs')
const [directory] = process.argv.slice(1)
const block = Buffer.alloc(65_536)
process.stdout.write('ready')
const began = performance.now()
let number = 0
for (let file = 0; ; file++) {
  const open = openSync(directory + '/' + String(file).padStart(6, '0'), 'w')
  for (let inFile = 0; inFile < 16; inFile++) {
    block.fill(0)
    block.writeDoubleLE(number++)
    writeSync(open, block)
    const ahead = (number * 65_536) / 50_000 - (performance.now() - began)
    if (ahead > 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ahead)
  }
  closeSync(open)
}`

/**
 * Counts the blocks of a tree that follow each other from the first one on. Fails where one is there without those before it.
 */
function prefixIn(directory: string): number {
  let number = 0
  const names = readdirSync(directory).sort()
  for (const [index, name] of names.entries()) {
    const content = readFileSync(join(directory, name))
    if (index < names.length - 1) assert.equal(content.length, 16 * 65_536, `${name} of ${names.length}`)
    assert.equal(content.length % 65_536, 0)
    for (let at = 0; at < content.length; at += 65_536) assert.equal(content.readDoubleLE(at), number++)
  }
  return number
}

/** Stops a process, which is still within a call when the signal is sent. */
async function stop({ pid }: ChildProcess): Promise<AsyncDisposable> {
  process.kill(pid!, 'SIGSTOP')
  while (!/\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await delay(1)
  return {
    async [Symbol.asyncDispose]() {
      process.kill(pid!, 'SIGCONT')
    },
  }
}

describe('A snapshot on btrfs', { skip: skipsImages }, () => {
  test('of files that are written all the time has what was written first, and nothing after a gap', async (t) => {
    let writer: ChildProcess | undefined
    const pause = () => stop(writer!)
    const store = await openAt(await makeGround(t, 'btrfs', 1_024), { kind: 'btrfs', pause })
    await store.apply(box(1, { bytes: 800 * megabyte }))
    const { files } = await store.paths(1)
    writer = spawn(process.execPath, ['-e', writing, files], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(writer.stdout!, 'data')
    const began = performance.now()
    for (let round = 0; round < 10; round++) {
      // The next one is made when more was written.
      const seen = readdirSync(files).length
      while (readdirSync(files).length < seen + 10) await delay(5)
      await store.createSnapshot(1, `${round}`)
    }
    writer.kill('SIGKILL')
    await once(writer, 'exit')
    const seconds = (performance.now() - began) / 1_000
    const { bySnapshot } = await store.paths(1)
    const prefixes = Array.from({ length: 10 }, (_, round) => prefixIn(bySnapshot.get(`${round}`)!))
    for (const [round, prefix] of prefixes.entries()) assert.ok(prefix > (prefixes[round - 1] ?? 0), `${prefixes}`)
    assert.throws(() => writeFileSync(join(bySnapshot.get('0')!, 'more'), ''), { code: 'EROFS' })
    const speed = (prefixIn(files) * 65_536) / megabyte / seconds
    t.diagnostic(`snapshots had ${prefixes.join(', ')} blocks of 64 KiB, written at ${speed.toFixed()} MB/s`)
  })
})
