/** Removals on hosts are noted in their cluster, here in one that only remembers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Incus } from '../../protocols/incus/client.ts'
import type { Config } from '../../protocols/incus/edit.ts'
import { Tombstones } from './tombstones.ts'

const hourMs = 3_600_000

test('a removal is remembered while a call may be late, beside what else is noted', async () => {
  let notes: Config = { 'user.other': 'kept' }
  let now = 1_000_000_000_000
  const incus = {
    get: async () => ({ value: { config: notes, description: '' }, etag: 'any' }),
    async change(_method: string, _path: string, body: { config: Config }) {
      notes = body.config
    },
  }
  const tombstones = new Tombstones(incus as unknown as Incus, () => now)
  await Promise.all([tombstones.put('volume.7', 3), tombstones.put('volume.8', 1)])
  now += 5 * hourMs
  await tombstones.put('volume.7', 2)
  await tombstones.put('server.9', 1)
  for (const [what, generation, isCovered] of [
    ['volume.7', 3, true],
    ['volume.7', 4, false],
    ['volume.8', 1, true],
    ['volume.9', 1, false],
  ] as const) {
    assert.equal(await tombstones.cover(what, generation), isCovered, `${what} under ${generation}`)
  }
  now += 2 * hourMs
  await tombstones.put('server.10', 1)
  assert.deepEqual(Object.keys(notes), ['user.other', 'user.wolke.removed.server.9', 'user.wolke.removed.server.10'])
})
