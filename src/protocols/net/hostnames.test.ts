import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDnsLabel, isDnsName, isHostLabel, isHostName, isLowerCase } from './hostnames.ts'

test('a host name has letters, digits, hyphens inside them and dots between', () => {
  const label = 'a'.repeat(63)
  const longest = [label, label, label, 'a'.repeat(61)].join('.')
  assert.equal(longest.length, 253)
  for (const name of ['a', '0', 'web-1', 'A-b-C', 'web.example.com', '1.2.3.4', 'a--b', label, longest]) {
    assert.equal(isHostName(name), true, name)
  }
  const wrong = ['', '-a', 'a-', '.', 'a.', '.a', 'a..b', 'a.-b', 'a-.b', 'a_b', 'a b', ' a', 'a\n', 'ä', 'a/b', 'a:1']
  for (const name of [...wrong, `${label}a`, `${longest}a`]) assert.equal(isHostName(name), false, JSON.stringify(name))
})

test('labels of names that are no hosts may also have underscores, wherever letters can be', () => {
  for (const label of ['_dmarc', 'a_', '_', 'a_b', '_'.repeat(63)]) {
    assert.deepEqual([isDnsLabel(label), isHostLabel(label)], [true, false], label)
  }
  for (const label of ['', '-_', '_-', '_'.repeat(64), '_.', 'ä_', '_\n']) assert.equal(isDnsLabel(label), false, label)
  assert.ok(isDnsName('_443._tcp.WWW.example.com'))
  assert.ok(!isHostName('_443._tcp.www.example.com'))
})

test('what looks like a letter only to those who ignore case is none', () => {
  for (const label of ['\u017f', '\u212a', 'a\u212ab']) assert.equal(isHostLabel(label), false, JSON.stringify(label))
  assert.deepEqual(['a-1.example', 'Example'].map(isLowerCase), [true, false])
})
