import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { watchLeftovers } from './leftovers.ts'

test('a run fails when something is left in its temporary folder, and names it', async (t) => {
  const before = tmpdir()
  const said = t.mock.method(console, 'error', () => undefined)
  const leftNothing = watchLeftovers(0)
  const folder = tmpdir()
  mkdirSync(join(folder, 'kept'))
  writeFileSync(join(folder, 'kept/file'), '')
  assert.equal(await leftNothing(), false)
  assert.deepEqual(said.mock.calls[0]?.arguments, [`Tests left files behind:\n  ${join(folder, 'kept')}`])
  assert.ok(!existsSync(folder))
  assert.equal(await watchLeftovers(0)(), true)
  assert.equal(tmpdir(), before)
})
