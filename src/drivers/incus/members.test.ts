/** Which member takes a server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DriverError } from '../../kernel/actions/define.ts'
import { type Candidate, Placements, place } from './members.ts'

const member = (name: string, more: Partial<Candidate> = {}): Candidate => ({
  name,
  memoryMb: 8_192,
  promisedMb: 0,
  servers: new Set(),
  groups: new Set(),
  ...more,
})
const need = (memoryMb: number, placementGroup: number | null = null) => ({ memoryMb, placementGroup })

test('a server goes where the most memory is left', () => {
  assert.equal(place([member('h1', { promisedMb: 4_096 }), member('h2')], need(2_048)), 'h2')
})

test('servers of a group that are made at the same time go to different members', () => {
  const placements = new Placements()
  const before = [member('h1'), member('h2')]
  assert.equal(placements.choose(1, before, need(2_048, 7)), 'h1')
  assert.equal(placements.choose(2, before, need(2_048, 7)), 'h2')
  const isFull = ({ code }: DriverError) => code === 'placement_error'
  assert.throws(() => placements.choose(3, before, need(2_048, 7)), isFull)
  placements.forget(2)
  assert.equal(placements.choose(3, before, need(2_048, 7)), 'h2')
})

test('a server counts once when it is shown', () => {
  const placements = new Placements()
  assert.equal(placements.choose(1, [member('h1')], need(5_000)), 'h1')
  assert.throws(() => placements.choose(2, [member('h1')], need(5_000)))
  const shown = member('h1', { servers: new Set([1]), promisedMb: 3_000 })
  assert.equal(placements.choose(2, [shown], need(5_000)), 'h1')
})
