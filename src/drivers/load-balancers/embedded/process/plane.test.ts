import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { stateOf } from '../../../../../test/stubs/embedded-balancer.ts'
import { Plane } from './plane.ts'

test('a plane remembers the generation of a removed balancer for ten minutes', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'wolke-plane-'))
  t.after(() => rmSync(directory, { recursive: true }))
  let now = 0
  t.mock.method(performance, 'now', () => now)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const plane = new Plane({ directory, portOffset: 0, report: () => undefined })
  t.after(() => plane.close())
  const isTaken = async () => {
    t.mock.timers.tick(10_000)
    await plane.apply(stateOf('127.0.0.1', { id: 1, generation: 4, publicAddresses: [] }))
    return plane.inventory().balancers.length === 1
  }
  plane.remove(1, 5)
  now = 599_000
  assert.equal(await isTaken(), false)
  plane.remove(1, 4)
  now = 601_000
  assert.equal(await isTaken(), false, 'the last removal counts')
  now = 1_200_000
  assert.equal(await isTaken(), true)
})
