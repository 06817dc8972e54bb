import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publicMac } from './macs.ts'

test('hardware addresses are unicast, locally administered, and differ by server', () => {
  assert.equal(publicMac(1), '96:00:00:00:00:01')
  assert.equal(publicMac(0x12_34_56_78_9a), '96:12:34:56:78:9a')
  assert.equal(Number.parseInt(publicMac(1).slice(0, 2), 16) & 0b11, 0b10)
})
