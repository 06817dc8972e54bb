import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PlannedJob, planJobs } from './jobs.ts'
import { openLog } from './log.ts'

const job = (run: () => Promise<void>): PlannedJob => ({ name: run.name, due: 'whenever', run })

const parts = { log: openLog('silent'), clock: { now: () => 1_000 } }

test('a job that fails keeps no other one from being done, and its next time comes', async () => {
  let done = 0
  const failing = () => Promise.reject(new Error('not today'))
  const jobs = planJobs([job(failing), job(async () => void done++)], parts)
  await jobs.run()
  await jobs.run()
  assert.equal(done, 2)
  assert.deepEqual(
    jobs.runs().map(({ name, last }) => [name, last?.startedAt, last?.hasFailed]),
    [
      ['failing', 1_000, true],
      ['', 1_000, false],
    ],
  )
})

test('jobs begin at once, and after their pause where they have just run', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const seen: string[] = []
  const jobsOf = (name: string) => planJobs([job(async () => void seen.push(name))], parts)
  const [first, continued] = [jobsOf('first'), jobsOf('continued')]
  first.start()
  continued.start({ haveRun: true })
  await first.stop()
  assert.deepEqual(seen, ['first'])
  t.mock.timers.tick(60_000)
  await continued.stop()
  assert.deepEqual(seen, ['first', 'continued'])
})

test('rounds do not overlap, and none begins after the stop, which waits for the one in progress', async () => {
  const gate = Promise.withResolvers<void>()
  const seen: string[] = []
  const slow = async () => {
    seen.push('begun')
    await gate.promise
    seen.push('ended')
  }
  const jobs = planJobs([job(slow), job(async () => void seen.push('second'))], parts)
  const rounds = [jobs.run(), jobs.run()]
  const stopped = jobs.stop().then(() => seen.push('stopped'))
  gate.resolve()
  await Promise.all([...rounds, stopped])
  await jobs.run()
  assert.deepEqual(seen, ['begun', 'ended', 'stopped'])
})

test('what follows other processes is done twice a second beside the rounds, one look at a time', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let gate = Promise.withResolvers<void>()
  gate.resolve()
  const seen: string[] = []
  const follow = async () => void seen.push('looked')
  const slow = async () => {
    seen.push('slow')
    await gate.promise
  }
  const following = (run: () => Promise<void>) => ({ ...job(run), isFollowing: true })
  const jobs = planJobs([job(async () => void seen.push('round')), following(follow), following(slow)], parts)
  await jobs.run()
  assert.deepEqual(seen.splice(0), ['round', 'looked', 'slow'])
  gate = Promise.withResolvers()
  jobs.start({ haveRun: true })
  t.mock.timers.tick(500)
  await new Promise(setImmediate)
  t.mock.timers.tick(500)
  assert.deepEqual(seen.splice(0), ['looked', 'slow'])
  gate.resolve()
  await new Promise(setImmediate)
  t.mock.timers.tick(500)
  await new Promise(setImmediate)
  await jobs.stop()
  t.mock.timers.tick(500)
  assert.deepEqual(seen, ['looked', 'slow'])
})
