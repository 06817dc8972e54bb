import assert from 'node:assert/strict'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFolderOf } from './private-file.ts'

test('two that make the same folders at the same time both go on, and each takes away only its own', (t) => {
  const root = fs.mkdtempSync(join(tmpdir(), 'wolke-folders-'))
  t.after(() => fs.rmSync(root, { recursive: true }))
  const { mkdirSync } = fs
  const rival = t.mock.method(fs, 'mkdirSync', (path: string) => {
    // The rival is faster for the first of them.
    if (rival.mock.callCount() === 0) mkdirSync(path)
    return mkdirSync(path)
  })
  syncBuiltinESMExports()
  try {
    const remove = createFolderOf(join(root, 'a', 'b', 'wolke.db'))
    assert.ok(fs.existsSync(join(root, 'a', 'b')))
    remove()
    assert.deepEqual(fs.readdirSync(root), ['a'])
    assert.deepEqual(fs.readdirSync(join(root, 'a')), [])
  } finally {
    rival.mock.restore()
    syncBuiltinESMExports()
  }
})
