import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../errors.ts'
import { Exhausted, SideThread } from './side-thread.ts'

const file = new URL('../../../test/fixtures/side-thread.ts', import.meta.url)

test('work is done in order, also what came while there was no thread yet', async () => {
  const thread = new SideThread<number, number>(file, { limitMs: 20_000 })
  assert.deepEqual(await Promise.all([1, 2, 3].map((one) => thread.run(one))), [2, 4, 6])
})

test('work that does not end is cut off, and what waits behind it is done', async () => {
  const thread = new SideThread<number | 'loop', number>(file, { limitMs: 300 })
  const stuck = assert.rejects(thread.run('loop'), Exhausted)
  assert.equal(await thread.run(1), 2)
  await stuck
})

test('work that waits for a processor is done, and given up as what may be tried again only after long', async () => {
  const thread = new SideThread<{ rest: number } | number, number>(file, { limitMs: 20 })
  assert.equal(await thread.run({ rest: 200 }), 200)
  await assert.rejects(
    thread.run({ rest: 600_000 }),
    (error) => error instanceof ApiError && error.code === 'unavailable',
  )
  assert.equal(await thread.run(1), 2)
})

test('work that takes all memory, or fails, is told so, and leaves the next piece a new thread', async () => {
  const thread = new SideThread<number | 'fill' | 'throw', number>(file, { limitMs: 20_000 })
  const [full, failed, done] = await Promise.allSettled([thread.run('fill'), thread.run('throw'), thread.run(1)])
  assert.ok(full.status === 'rejected' && full.reason instanceof Exhausted)
  assert.ok(failed.status === 'rejected' && failed.reason instanceof TypeError)
  assert.deepEqual(done, { status: 'fulfilled', value: 2 })
})

test('a thread that does not start fails the work, and says so', async () => {
  const thread = new SideThread<number, number>(new URL('./nowhere.ts', file), { limitMs: 20_000 })
  await assert.rejects(thread.run(1), /did not start/)
  await assert.rejects(thread.run(1), /did not start/)
})

test('a thread that has no processor to start on fails the work as what may be tried again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const silent = new SideThread<string, string>(new URL('data:text/javascript,setInterval(() => {}, 1e9)'), {
    limitMs: 1_000,
  })
  const refused = assert.rejects(silent.run('anything'), { code: 'unavailable', status: 503 })
  await new Promise(setImmediate)
  t.mock.timers.tick(30_000)
  await refused
})

test('it is refused once too much waits', async () => {
  const thread = new SideThread<number, number>(file, { limitMs: 20_000, maxWaiting: 2 })
  const some = [1, 2, 3].map((one) => thread.run(one))
  await assert.rejects(thread.run(4), (error) => error instanceof ApiError && error.code === 'unavailable')
  assert.deepEqual(await Promise.all(some), [2, 4, 6])
})

test('a thread that rested too long is gone, and the next piece starts another', async () => {
  const thread = new SideThread<number, number>(file, { limitMs: 20_000, idleMs: 0 })
  assert.equal(await thread.run(1), 2)
  await new Promise(setImmediate)
  assert.equal(await thread.run(2), 4)
})

test('the thread sees nothing of the environment', async () => {
  const thread = new SideThread<'environment', number>(file, { limitMs: 20_000 })
  assert.equal(await thread.run('environment'), 0)
})
