import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Database, Transaction } from '../data/db.ts'
import type { Logger } from '../process/log.ts'
import type { ProjectId } from '../scope.ts'
import { Worker } from './worker.ts'

const common = { db: {} as Database, log: {} as Logger, name: 'actions' } as const

test('draining waits for work that became free while somebody looked for more', async () => {
  const free = [1]
  const begun = Promise.withResolvers<void>()
  const ended: number[] = []
  const worker = new Worker({
    ...common,
    ...{ leaseMs: 1_000, pollMs: 1_000, atOnce: 4, perProject: 4, leastRoom: 2 },
    // It answers long after it has read what is free.
    async claim() {
      const rows = free.splice(0).map((id) => ({ id, project_id: 1 as ProjectId, fence: 1, attempts: 1 }))
      for (let turns = 0; turns < 4; turns++) await turn()
      return rows
    },
    async work({ row: { id } }) {
      begun.resolve()
      await turn()
      await turn()
      if (id === 1) free.push(2)
      ended.push(id)
    },
  })
  worker.wake()
  await begun.promise
  await worker.drain()
  assert.deepEqual(ended, [1, 2])
})

test('work of a full Project begins when a place becomes free while somebody looks for more', async () => {
  const waiting = ['held', 'short', 'next']
  const [shortEnds, shortEnded, held] = [1, 2, 3].map(() => Promise.withResolvers<void>())
  const nextBegan = Promise.withResolvers<void>()
  const worker = new Worker({
    ...common,
    ...{ leaseMs: 1_000, pollMs: 1_000, atOnce: 4, perProject: 2, leastRoom: 1 },
    // The answer that there is nothing for others arrives after the place has become free.
    async claim(limit, { fullProjects }) {
      if (fullProjects?.length) {
        shortEnds!.resolve()
        await shortEnded!.promise
        for (let turns = 0; turns < 4; turns++) await turn()
        return []
      }
      return waiting
        .splice(0, limit)
        .map((what, id) => ({ id, project_id: 1 as ProjectId, fence: 1, attempts: 1, what }))
    },
    async work({ row: { what } }) {
      if (what === 'held') await held!.promise
      else if (what === 'next') nextBegan.resolve()
      else await shortEnds!.promise.then(() => shortEnded!.resolve())
    },
  })
  worker.wake()
  await nextBegan.promise
  held!.resolve()
  await worker.landed()
})

test('of announced work no more is asked for than there are places, and none is forgotten', async () => {
  const asked: (readonly number[] | undefined)[] = []
  const done: number[] = []
  const worker = new Worker({
    ...common,
    ...{ leaseMs: 1_000, pollMs: 1_000, atOnce: 2, perProject: 2, leastRoom: 2 },
    async claim(_limit, { among }) {
      asked.push(among)
      return (among ?? []).map((id) => ({ id, project_id: 1 as ProjectId, fence: 1, attempts: 1 }))
    },
    async work({ row: { id } }) {
      await turn()
      done.push(id)
    },
  })
  const all = [1, 2, 3, 4, 5]
  for (const id of all) worker.hear(id)
  while (done.length < all.length) await turn()
  assert.deepEqual(
    done.toSorted((a, b) => a - b),
    all,
  )
  assert.ok(asked.every((among) => among !== undefined && among.length <= 2))
})

test('work that was claimed with its transaction goes back when others have taken its place', async () => {
  const project = 1 as ProjectId
  const rows = [1, 2].map((id) => ({ id, project_id: project, fence: 1, attempts: 1 }))
  const returned: number[] = []
  const heard = Promise.withResolvers<readonly number[] | undefined>()
  const held = Promise.withResolvers<void>()
  const worker = new Worker({
    ...common,
    ...{ leaseMs: 1_000, pollMs: 1_000, atOnce: 4, perProject: 1, leastRoom: 1 },
    async claim(_limit, { among }) {
      heard.resolve(among)
      return rows.slice(2)
    },
    async giveBack({ id }) {
      returned.push(id)
    },
    work: () => held.promise,
  })
  assert.equal(worker.placesFor(project), 1)
  const commits: (() => void)[] = []
  const tx = { afterCommit: (work: () => void) => void commits.push(work) } as unknown as Transaction
  for (const row of rows) worker.begin(tx, [row], performance.now())
  assert.equal(worker.placesFor(project), 1, 'nothing begins before its commit')
  for (const commit of commits) commit()
  assert.equal(worker.placesFor(project), 0)
  assert.deepEqual(returned, [2])
  assert.deepEqual(await heard.promise, [2])
  assert.equal(worker.placesFor(2 as ProjectId), 0, 'other work waits')
  held.resolve()
  await worker.landed()
})
