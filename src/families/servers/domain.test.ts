import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { allows, isPassing, makePassword, restingStatus, serverStatuses, type Verb } from './domain.ts'

describe('servers', () => {
  test('a server on which nothing goes on is running or off', () => {
    assert.equal(restingStatus('on'), 'running')
    assert.equal(restingStatus('off'), 'off')
    assert.deepEqual(
      serverStatuses.filter((status) => !isPassing(status)),
      ['running', 'off', 'unknown'],
    )
  })

  test('what needs power is for servers that are not off, and what changes the hardware for those that are', () => {
    const statusesFor = (verb: Verb) => serverStatuses.filter((status) => allows(status, verb))
    const but = (...without: string[]) => serverStatuses.filter((status) => !without.includes(status))
    assert.deepEqual(statusesFor('powerOn'), but('running'))
    for (const verb of ['powerOff', 'shutDown', 'reboot', 'reset'] as const)
      assert.deepEqual(statusesFor(verb), but('off'), verb)
    for (const verb of ['changeType', 'addToPlacementGroup'] as const)
      assert.deepEqual(statusesFor(verb), ['off'], verb)
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
