/**
 * Whatever a process keeps of what it has read, it never says what is no longer so: random changes and reads of three
 * processes, of which one reads everything anew. `WOLKE_TEST_SEED` begins with the walk of a failure.
 */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { engines } from '../../kit/engines.ts'
import type { Closers } from '../../kit/world.ts'
import { isLong } from '../../run/long.ts'
import { type Installation, startInstallation } from '../kit/answers/installation.ts'
import { anyWalk, clientOf, type Revoked, type Step, Walk } from '../kit/answers/walk.ts'

const operations = isLong ? 100_000 : 1_500
/** A walk that fails is made shorter for so long. */
const shortenedForMs = 60_000
/** The end for what hangs: tokens are refused within 5 s. */
const mostWaitMs = 60_000
/** Walks at once: while one waits for an action, another one goes on. */
const lanes = 3
const seed = Number(process.env.WOLKE_TEST_SEED ?? randomInt(1_000_000_000))

for (const engineName of engines) {
  test(`${operations} random operations find kept answers true on ${engineName} (seed ${seed})`, async (t) => {
    const opened: Closers = []
    try {
      const installation = await startInstallation(engineName, opened)
      const done = { operations: 0, projects: 0, walks: 0, isOver: false, revoked: [] as Revoked[] }
      const lane = async () => {
        while (done.operations < operations && !done.isOver) {
          await walk(installation, done, seed + done.walks++)
        }
      }
      const ends = await Promise.allSettled(Array.from({ length: lanes }, lane))
      for (const end of ends) if (end.status === 'rejected') throw end.reason
      await untilRefused(installation, done.revoked)
      for (const served of [...installation.keeping, installation.truth]) {
        assert.deepEqual(await served.order('failures', null), [])
      }
      t.diagnostic(`${done.operations} operations in ${done.projects} Projects, ${done.revoked.length} tokens revoked`)
    } finally {
      for (const close of opened.reverse()) await close()
    }
  })
}

/** Takes a walk; one that fails is made shorter, for the report. */
async function walk(
  installation: Installation,
  done: { operations: number; projects: number; isOver: boolean; revoked: Revoked[] },
  seed: number,
): Promise<void> {
  const property = fc.asyncProperty(anyWalk, async (steps: Step[]) => {
    const project = await installation.truth.order('enter', `walk ${++done.projects}`)
    const walk = new Walk(installation, project)
    try {
      for (const step of steps) await walk.take(step)
      await walk.compare()
    } catch (error) {
      // Making it shorter takes a while.
      if (!done.isOver) console.error(`walk of seed ${seed}: ${(error as Error).message}`)
      done.isOver = true
      throw error
    }
    done.operations += walk.operations
    done.revoked.push(...walk.revoked)
  })
  await fc.assert(property, { seed, numRuns: 1, interruptAfterTimeLimit: shortenedForMs })
}

/** Waits until every process refuses the tokens that are revoked: one that keeps them has to ask again by itself. */
async function untilRefused({ keeping }: Installation, revoked: readonly Revoked[]): Promise<void> {
  const end = performance.now() + mostWaitMs
  for (const { url } of keeping) {
    for (const { token, path } of revoked) {
      while ((await clientOf(url, token).get(path)).status !== 401) {
        assert.ok(performance.now() < end, `a token that is revoked still works: ${path}`)
        await delay(50)
      }
    }
  }
}
