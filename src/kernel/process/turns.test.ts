import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId } from '../scope.ts'
import { onBehalfOf } from './behalf.ts'
import { inTurns, mapInTurns, nextTurn, reading, turn, turnOfLong } from './turns.ts'

const [a, b] = [1, 2] as ProjectId[]

let now = performance.now()

/** Declares a test with a clock of its own, so that pieces are as long on a busy machine. */
function testTurns(name: string, work: () => Promise<void>): void {
  test(name, (t) => {
    t.mock.method(performance, 'now', () => now)
    return work()
  })
}

/** Takes longer than a piece. */
function busy(): void {
  now += 4
}

/** Long work in steps, each of which says what it is for. */
function* steps(count: number, said: string[], name: string): Generator<void, string> {
  for (let step = 0; step < count; step++) {
    busy()
    said.push(name)
    yield
  }
  return name
}

const inTurnsFor = (project: ProjectId | undefined, count: number, said: string[], name: string) =>
  onBehalfOf(project, () => inTurns(steps(count, said, name)))

testTurns('one with sixteen long works costs another one piece for each of its own', async () => {
  const said: string[] = []
  const works = Array.from({ length: 16 }, () => inTurnsFor(a, 5, said, 'a'))
  const other = inTurnsFor(b, 5, said, 'b').then(() => said.length)
  assert.ok((await other) <= 12, said.join(''))
  assert.equal((await Promise.all(works)).length, 16)
})

testTurns(
  'who comes while others of the same Project wait comes after them, and before them when it is of another',
  async () => {
    const order: string[] = []
    const come = (project: ProjectId, name: string) =>
      onBehalfOf(project, async () => {
        const wait = turn()
        if (wait) await wait
        busy()
        order.push(name)
      })
    const all = ['a1', 'a2', 'a3', 'a4'].map((name) => come(a!, name))
    all.push(come(b!, 'b1'), come(b!, 'b2'))
    await Promise.all(all)
    assert.equal(order[0], 'a1')
    assert.deepEqual(
      order.filter((name) => name.startsWith('a')),
      ['a1', 'a2', 'a3', 'a4'],
    )
    assert.ok(order.indexOf('b1') <= 2 && order.indexOf('b2') <= 4, order.join(' '))
  },
)

testTurns('input and output go on between the pieces of long work', async () => {
  const said: string[] = []
  let turns = 0
  const count = () => {
    turns++
    if (said.length < 10) setImmediate(count)
  }
  setImmediate(count)
  await inTurnsFor(a, 10, said, 'a')
  assert.ok(turns >= 9, `the event loop turned ${turns} times`)
})

testTurns('one long read of a Project is under way at once, and those of others beside it', async () => {
  const underWay = { a: 0, b: 0 }
  const most = { a: 0, b: 0 }
  const read = async (project: ProjectId | undefined, name: 'a' | 'b', pieces: number) =>
    reading(project, async () => {
      let taken = 0
      await mapInTurns(
        Array.from({ length: pieces * 8 }, (_, index) => index),
        (index) => {
          if (index % 8 !== 0) return
          busy()
          // The first piece may begin in a turn of others, and a read is long after fifty of its own.
          if (++taken === 53) most[name] = Math.max(most[name], ++underWay[name])
        },
      )
      if (taken >= 53) underWay[name]--
      return name
    })
  const long = Array.from({ length: 6 }, () => read(a, 'a', 70))
  const others = [read(b, 'b', 70), read(b, 'b', 70)]
  const short = await Promise.race([...long, read(a, 'a', 2).then(() => 'short')])
  assert.equal(short, 'short')
  assert.deepEqual((await Promise.all([...long, ...others])).length, 8)
  assert.deepEqual(most, { a: 1, b: 1 })
  // A read that fails makes room as well.
  const fail = () =>
    reading(a, async () => {
      await mapInTurns(Array.from({ length: 600 }), busy)
      throw new Error('no')
    })
  await Promise.allSettled(Array.from({ length: 4 }, fail))
  assert.equal(await read(a, 'a', 10), 'a')
})

testTurns('a read that needs many statements is long before it has taken many pieces', async () => {
  let [underWay, most] = [0, 0]
  const read = () =>
    reading(a, async () => {
      await turnOfLong()
      most = Math.max(most, ++underWay)
      for (let statement = 0; statement < 3; statement++) {
        await nextTurn()
        await turnOfLong()
      }
      underWay--
    })
  await Promise.all(Array.from({ length: 4 }, read))
  assert.equal(most, 1)
})
