import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planJobs } from './jobs.ts'
import { openLog } from './log.ts'

test('a job that fails keeps no other one from being done, and its next time comes', async () => {
  let done = 0
  const failing = () => Promise.reject(new Error('not today'))
  const jobs = planJobs([failing, async () => void done++], openLog('silent'))
  await jobs.run()
  await jobs.run()
  assert.equal(done, 2)
})

test('rounds do not overlap, and none begins after the stop, which waits for the one in progress', async () => {
  const gate = Promise.withResolvers<void>()
  const seen: string[] = []
  const slow = async () => {
    seen.push('begun')
    await gate.promise
    seen.push('ended')
  }
  const jobs = planJobs([slow, async () => void seen.push('second')], openLog('silent'))
  const rounds = [jobs.run(), jobs.run()]
  const stopped = jobs.stop().then(() => seen.push('stopped'))
  gate.resolve()
  await Promise.all([...rounds, stopped])
  await jobs.run()
  assert.deepEqual(seen, ['begun', 'ended', 'stopped'])
})
