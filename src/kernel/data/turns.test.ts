import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId } from '../scope.ts'
import { Turns, type TurnsOptions } from './turns.ts'

const [a, b, c] = [1, 2, 3] as ProjectId[]

/** Turns in which whoever asks is named, and those who are in are listed in their order. */
function turnsWith(options: Partial<TurnsOptions>) {
  const turns = new Turns({ places: 4, perProject: 2, kept: 1, patienceMs: 60_000, ...options })
  const inside: string[] = []
  const ask = (who: ProjectId | undefined, name: string) => turns.enter(who).then(() => void inside.push(name))
  /** After everybody who can be in is in. */
  const settled = () => new Promise(setImmediate)
  return { turns, inside, ask, settled }
}

test('a Project holds no more than its share, however many others are away', async () => {
  const { turns, inside, ask, settled } = turnsWith({})
  for (let i = 1; i <= 5; i++) void ask(a, `a${i}`)
  await settled()
  assert.deepEqual(inside, ['a1', 'a2'])
  turns.leave(a)
  await settled()
  assert.deepEqual(inside, ['a1', 'a2', 'a3'])
})

test('Projects together leave places to the installation, which takes what it needs first', async () => {
  const { turns, inside, ask, settled } = turnsWith({})
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
  turns.leave(a)
  await settled()
  assert.deepEqual(inside.slice(4), ['own2'])
})

test('those who wait are served in turns, whoever has more of them', async () => {
  const { turns, inside, ask, settled } = turnsWith({ places: 1, perProject: 1, kept: 0 })
  for (const name of ['a1', 'a2', 'a3', 'a4']) void ask(a, name)
  for (const name of ['b1', 'b2']) void ask(b, name)
  for (const name of ['c1', 'c2']) void ask(c, name)
  for (const who of [a, a, b, c, a, b, c]) {
    await settled()
    turns.leave(who)
  }
  await settled()
  assert.deepEqual(inside, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'c2', 'a4'])
})

test('who waits too long is sent away, and its place goes to the next', async () => {
  const { turns, inside, ask, settled } = turnsWith({ perProject: 1, patienceMs: 20 })
  await ask(a, 'a1')
  await assert.rejects(ask(a, 'a2'), { code: 'unavailable' })
  const later = ask(a, 'a3')
  turns.leave(a)
  await later
  turns.leave(a)
  await settled()
  assert.deepEqual(inside, ['a1', 'a3'])
  await ask(b, 'b1')
})
