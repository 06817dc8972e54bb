/** The private directory of an installation. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { folderOf, forgetOldRemovals, openDirectory, writeRemoved } from './files.ts'

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

test('removals are forgotten when nothing late can come of them, and their folders are gone', (t) => {
  const folder = someFolder(t)
  forgetOldRemovals(folder)
  const removeAt = (id: number, minutesAgo: number) => {
    writeRemoved(folder, id, 7)
    const written = new Date(Date.now() - minutesAgo * 60_000)
    utimesSync(join(folder, 'removed', String(id)), written, written)
  }
  for (let id = 1; id <= 20; id++) removeAt(id, 11)
  removeAt(21, 9)
  mkdirSync(folderOf(folder, 22))
  removeAt(22, 11)
  forgetOldRemovals(folder)
  assert.deepEqual(readdirSync(join(folder, 'removed')).sort(), ['21', '22'])
})
