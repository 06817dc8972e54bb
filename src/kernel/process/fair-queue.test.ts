import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue, type FairQueueOptions } from './fair-queue.ts'

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

test('a place is awaited by whoever would get it', async () => {
  const queue = new FairQueue<string>({ atOnce: 3, perKey: 2 })
  const enter = (...names: string[]) => {
    for (const name of names) void queue.enter(name)
  }
  enter('a', 'a', 'a')
  assert.deepEqual(
    ['a', 'b'].map((name) => queue.isAwaited(name)),
    [true, false],
  )
  enter('b')
  assert.deepEqual(
    ['a', 'b'].map((name) => queue.isAwaited(name)),
    [true, false],
  )
  enter('c')
  assert.deepEqual(
    ['a', 'b'].map((name) => queue.isAwaited(name)),
    [true, true],
  )
  queue.leave('a')
  queue.leave('b')
  await new Promise(setImmediate)
  assert.deepEqual(
    ['a', 'c'].map((name) => queue.isAwaited(name)),
    [false, false],
  )
})

test('work that fails makes room, and its error reaches whoever wanted it', async () => {
  const queue = new FairQueue({ atOnce: 1, perKey: 1 })
  const failing = queue.run('a', () => Promise.reject(new Error('no')))
  const next = queue.run('a', async () => 'yes')
  await assert.rejects(failing, /no/)
  assert.equal(await next, 'yes')
})

const [a, b, c] = ['a', 'b', 'c']

/** A queue in which whoever asks is named, and those who are in are listed in their order. */
function queueWith(options: Partial<FairQueueOptions>) {
  const queue = new FairQueue<string | undefined>({ atOnce: 4, perKey: 2, kept: 1, ...options })
  const inside: string[] = []
  const ask = (who: string | undefined, name: string) => queue.enter(who).then(() => void inside.push(name))
  /** Resolves once everybody who can be in is in. */
  const settled = () => new Promise(setImmediate)
  return { queue, inside, ask, settled }
}

test('one holds no more than its share, however many others are away', async () => {
  const { queue, inside, ask, settled } = queueWith({})
  for (let i = 1; i <= 5; i++) void ask(a, `a${i}`)
  await settled()
  assert.deepEqual(inside, ['a1', 'a2'])
  queue.leave(a)
  await settled()
  assert.deepEqual(inside, ['a1', 'a2', 'a3'])
})

test('all together leave places to the installation, which takes what it needs first', async () => {
  const { queue, inside, ask, settled } = queueWith({})
  for (const [who, name] of [
    [a, 'a1'],
    [a, 'a2'],
    [b, 'b1'],
    [b, 'b2'],
  ] as const)
    void ask(who, name)
  void ask(undefined, 'own1')
  void ask(undefined, 'own2')
  await settled()
  assert.deepEqual(inside, ['a1', 'a2', 'b1', 'own1'])
  queue.leave(a)
  await settled()
  assert.deepEqual(inside.slice(4), ['own2'])
})

test('those who wait are served in turns, whoever has more of them', async () => {
  const { queue, inside, ask, settled } = queueWith({ atOnce: 1, perKey: 1, kept: 0 })
  for (const name of ['a1', 'a2', 'a3', 'a4']) void ask(a, name)
  for (const name of ['b1', 'b2']) void ask(b, name)
  for (const name of ['c1', 'c2']) void ask(c, name)
  for (const who of [a, b, c, a, b, c, a]) {
    await settled()
    queue.leave(who)
  }
  await settled()
  assert.deepEqual(inside, ['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'a4'])
})

test('who waits too long is sent away, and its place goes to the next', async () => {
  const { queue, inside, ask, settled } = queueWith({
    perKey: 1,
    patience: { ms: 20, error: () => new Error('too late') },
  })
  await ask(a, 'a1')
  await assert.rejects(ask(a, 'a2'), /too late/)
  const later = ask(a, 'a3')
  queue.leave(a)
  await later
  queue.leave(a)
  await settled()
  assert.deepEqual(inside, ['a1', 'a3'])
  await ask(b, 'b1')
})
