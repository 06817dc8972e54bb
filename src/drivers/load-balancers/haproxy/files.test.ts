/** The private directory of an installation. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openDirectory } from './files.ts'

/** A folder that is gone after the test. */
function someFolder(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'wolke-lb-')))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

const tooLong = /^Error: The directory of load balancers \/[^\n]+ has a path of more than 70 bytes$/

test('a directory whose real path is too long for sockets is refused, however short the given one is', (t) => {
  const folder = someFolder(t)
  const deep = join(folder, 'a'.repeat(70))
  mkdirSync(deep)
  symlinkSync(deep, join(folder, 'link'))
  assert.throws(() => openDirectory(join(deep, 'balancers')), tooLong)
  assert.throws(() => openDirectory(join(folder, 'link/balancers')), tooLong)
  const before = process.cwd()
  t.after(() => process.chdir(before))
  process.chdir(deep)
  assert.throws(() => openDirectory('balancers'), tooLong)
})

test('a directory is known by its real path', (t) => {
  const folder = someFolder(t)
  symlinkSync(folder, join(folder, 'link'))
  assert.equal(openDirectory(join(folder, 'link/balancers')), join(folder, 'balancers'))
})
