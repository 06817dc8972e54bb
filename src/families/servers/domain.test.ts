import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isHostname, isPassing, makePassword, restingStatus, serverStatuses } from './domain.ts'

describe('servers', () => {
  test('a name is the name of a host: letters, digits, hyphens inside, dots between', () => {
    const label = 'a'.repeat(63)
    const longest = [label, label, label, 'a'.repeat(61)].join('.')
    assert.equal(longest.length, 253)
    for (const name of ['a', '0', 'web-1', 'A-b-C', 'web.example.com', '1.2.3.4', 'a--b', label, longest]) {
      assert.equal(isHostname(name), true, name)
    }
    const wrong = [
      '',
      '-a',
      'a-',
      '.',
      'a.',
      '.a',
      'a..b',
      'a.-b',
      'a-.b',
      'a_b',
      'a b',
      ' a',
      'a\n',
      'ä',
      'a/b',
      'a:1',
    ]
    for (const name of [...wrong, `${label}a`, `${longest}a`])
      assert.equal(isHostname(name), false, JSON.stringify(name))
  })

  test('a server on which nothing goes on is running or off', () => {
    assert.equal(restingStatus('on'), 'running')
    assert.equal(restingStatus('off'), 'off')
    assert.deepEqual(
      serverStatuses.filter((status) => !isPassing(status)),
      ['running', 'off', 'unknown'],
    )
  })

  test('a password has 20 letters and digits, none of which looks like another', () => {
    let picks = 0
    const password = makePassword((below) => picks++ % below)
    assert.equal(picks, 20)
    assert.match(password, /^[a-zA-Z0-9]{20}$/)
    const last = makePassword((below) => below - 1)
    assert.match(last, /^[a-zA-Z0-9]{20}$/)
    const all = new Set(Array.from({ length: 60 }, (_, i) => makePassword((below) => i % below)[0]))
    for (const lookalike of ['l', 'I', 'O', '0', '1']) assert.equal(all.has(lookalike), false, lookalike)
  })
})
