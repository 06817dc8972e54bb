/** A process is killed at any moment, and the next one finishes what it left, or removes it. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Store, StoreKind } from '../../../src/drivers/storage/store/store.ts'
import { isLong } from '../../run/long.ts'
import { box, kinds, makeGround, megabyte, openAt } from './kit/grounds.ts'
import { filesOfVersion, type Intent } from './kit/worker.ts'

const cycles = isLong ? 200 : 12
/** A cycle of work takes about so long, in milliseconds. */
const longestLifeMs = 400
const worker = join(import.meta.dirname, 'kit/worker.ts')

/** The version that all files of a tree hold; undefined when they hold several, or some are missing. */
function versionIn(directory: string): number | undefined {
  const names = readdirSync(directory)
  const texts = new Set(names.map((name) => readFileSync(join(directory, name), 'utf8')))
  if (names.length !== filesOfVersion || texts.size !== 1) return undefined
  const [text] = texts
  const version = text!.slice(0, text!.length / 2_000)
  return text === version.repeat(2_000) ? Number(version) : undefined
}

/** Lets a worker work until it is killed, and returns all that it was about to do. */
async function liveAndDie(directory: string, kind: StoreKind, version: number): Promise<Intent[]> {
  const child: ChildProcess = spawn(process.execPath, [worker, directory, kind, `${version}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let told = ''
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (told += text))
  await once(child.stdout!, 'data')
  await delay(Math.random() * longestLifeMs)
  child.kill('SIGKILL')
  await once(child, 'close')
  const lines = told.split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as Intent)
}

async function checkAll(store: Store, last: Intent): Promise<void> {
  const { files, bySnapshot } = await store.paths(1)
  for (const [name, directory] of bySnapshot) {
    assert.equal(versionIn(directory), Number(name), `snapshot ${name} after ${JSON.stringify(last)}`)
  }
  if (last.does === 'write') return
  const live = versionIn(files)
  if (last.does === 'snapshot') assert.equal(live, last.version)
  if (last.does !== 'rollback' && last.does !== 'rolled back') return
  const isDone = live === last.version && last.version !== last.from
  if (last.does === 'rolled back') assert.equal(live, last.version)
  else if (!isDone) assert.equal(live, last.from)
  // A rollback that is done has removed all newer versions.
  for (const newer of last.newer) assert.equal(bySnapshot.has(`${newer}`), !isDone, JSON.stringify(last))
}

/** Returns how much a tree takes as the programs of the system say it. */
const blocksOf = (path: string) => Number.parseInt(execFileSync('du', ['-s', '-B1', path], { encoding: 'utf8' }), 10)

async function checkUsage(store: Store): Promise<void> {
  const { files, bySnapshot } = await store.paths(1)
  const usage = await store.usage(1)
  assert.deepEqual([...usage.bySnapshot.keys()].sort(), [...bySnapshot.keys()].sort())
  if (store.hasKernelQuota) return
  assert.equal(usage.data, blocksOf(files))
  for (const [name, directory] of bySnapshot) assert.equal(usage.bySnapshot.get(name)?.size, blocksOf(directory))
}

async function killAgainAndAgain(t: TestContext, kind: StoreKind): Promise<void> {
  const ground = await makeGround(t, kind)
  const first = await openAt(ground, { kind })
  await first.apply(box(1, { bytes: 400 * megabyte }))
  await first.close()
  const seen = new Set<string>()
  for (let cycle = 0, version = 1; cycle < cycles; cycle++) {
    const intents = await liveAndDie(join(ground, 'store'), kind, version)
    const last = intents.at(-1)!
    seen.add(last.does)
    version = Math.max(...intents.map((intent) => intent.version)) + 1
    const store = await openAt(ground, { kind })
    await checkAll(store, last)
    await store.tidied
    await checkAll(store, last)
    await checkUsage(store)
    assert.deepEqual(readdirSync(join(ground, 'store/making')), [])
    await store.close()
  }
  t.diagnostic(`killed in ${[...seen].join(', ')}`)
}

describe('A process that is killed', () => {
  for (const { kind, skip } of kinds) {
    test(`leaves snapshots none or whole and boxes that can be used (${kind})`, { skip }, (t) =>
      killAgainAndAgain(t, kind),
    )
  }
})
