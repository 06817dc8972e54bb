import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue } from './fair-queue.ts'

/** Work that ends when it is told to, and the order in which it began. */
function workshop(queue: FairQueue<string>) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const all: Promise<void>[] = []
  const add = (name: string) => {
    const work = () => {
      begun.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    }
    all.push(queue.run(name[0]!, work))
  }
  const end = async (name: string) => {
    ends.get(name)!()
    await new Promise(setImmediate)
  }
  return { begun, add, end, all }
}

test('so much runs at once in all, and so much of each', async () => {
  const { begun, add, end, all } = workshop(new FairQueue({ atOnce: 3, perKey: 2 }))
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2']) add(name)
  await new Promise(setImmediate)
  assert.deepEqual(begun, ['a1', 'a2', 'b1'])
  await end('b1')
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'b2'])
  await end('a1')
  await end('a2')
  await end('a3')
  await end('b2')
  await Promise.all(all)
})

test('whoever has little waiting does not wait for all of those who have much', async () => {
  const { begun, add, end } = workshop(new FairQueue({ atOnce: 1, perKey: 1 }))
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1']) add(name)
  await new Promise(setImmediate)
  for (const name of ['a1', 'b1', 'c1', 'a2']) await end(name)
  assert.deepEqual(begun, ['a1', 'b1', 'c1', 'a2', 'a3'])
})

test('work that fails makes room, and its error reaches whoever wanted it', async () => {
  const queue = new FairQueue({ atOnce: 1, perKey: 1 })
  const failing = queue.run('a', () => Promise.reject(new Error('no')))
  const next = queue.run('a', async () => 'yes')
  await assert.rejects(failing, /no/)
  assert.equal(await next, 'yes')
})
