import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { hashPassword, isHashOf } from './crypt.ts'

test('hashes are those of crypt(3) in libxcrypt', () => {
  const cases = [
    ['x', '$7$2/..../....hhHFSLUpJxQz7O80$Zz6C/qGFsvi.U4BxegjDaBvzSP1eUrjlJdb0EPT02r5'],
    ['Hello world!', '$7$2/..../....iV1KhJN8kZO6AHWn$/xkcRpgsVhqiKRMtZ3AdPHe5zKlvBmAqyj./YRg7W45'],
    ['abcdefghijkmnopqrst', '$7$2/..../....qoRioDiOzIZm88SK$j71KQcFdCZJjg1ImuVtNnz455Bb7JZOqjHtVpLTCuA.'],
  ] as const
  for (const [password, hashed] of cases) {
    assert.ok(isHashOf(password, hashed))
    assert.ok(!isHashOf(`${password}!`, hashed))
  }
})

test('a password is hashed with another salt each time', () => {
  const hashes = [1, 2].map(() => hashPassword('secret', randomBytes(12)))
  assert.notEqual(hashes[0], hashes[1])
  for (const hashed of hashes) {
    assert.match(hashed, /^[$][7][$][./\w]{11}[./\w]{16}[$][./\w]{43}$/)
    assert.ok(isHashOf('secret', hashed))
  }
  assert.ok(!isHashOf('secret', 'no hash'))
})
