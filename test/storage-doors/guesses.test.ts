/** Wrong passwords: an address may be wrong as often as people are, and is then not heard for a while. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Guesses } from '../../src/drivers/storage/doors/guesses.ts'
import { callerOf, networkOf } from '../../src/drivers/storage/doors/networks.ts'
import { Passwords, TooMany } from '../../src/drivers/storage/doors/passwords.ts'
import { hashPassword } from '../../src/kernel/secrets/password-hash.ts'

test('an address has thirty guesses and then one in two seconds; those that are right are none', () => {
  let now = 0
  const guesses = new Guesses(() => now)
  const heard = (caller: string) => {
    let count = 0
    while (count < 1_000 && guesses.begin(caller)) count++
    return count
  }
  for (let round = 0; round < 100; round++) {
    assert.ok(guesses.begin('10.0.0.1'))
    guesses.takeBack('10.0.0.1')
  }
  assert.equal(heard('10.0.0.1'), 30)
  assert.equal(heard('10.0.0.2'), 30)
  now = 2_000
  assert.equal(heard('10.0.0.1'), 1)
  now = 1_000_000
  assert.equal(heard('10.0.0.1'), 30)
})

test('whoever guesses is answered each time and not heard any more; others come in meanwhile', async () => {
  // Time stands still, so that no guess is earned meanwhile.
  const passwords = new Passwords(new Guesses(() => 0))
  const hash = await hashPassword('right')
  const isRight = (username: string, address: string, password: string) =>
    passwords.isRight(username, hash, address, password)
  assert.equal(await isRight('known', '10.0.0.1', 'right'), true)
  const guesses = Array.from({ length: 200 }, (_, index) => isRight(`u${index % 20}`, '10.0.0.1', `wrong ${index}`))
  assert.equal(await isRight('u1', '10.0.1.1', 'right'), true)
  assert.ok((await Promise.all(guesses)).every((is) => !is))
  assert.equal(await isRight('u2', '10.0.0.1', 'right'), false)
  // The neighbour of who guesses is heard, and so is who was right before.
  assert.equal(await isRight('u2', '10.0.0.2', 'right'), true)
  assert.equal(await isRight('known', '10.0.0.1', 'right'), true)
})

test('a password that is sent many times at once is checked once; whoever finds too many is not told a wrong no', async () => {
  const passwords = new Passwords(new Guesses(() => 0))
  const hash = await hashPassword('right')
  const ask = (password: string) => passwords.isRight('u1', hash, '10.0.0.1', password)
  const same = await Promise.all(Array.from({ length: 200 }, () => ask('right')))
  assert.ok(same.every((is) => is))
  const others = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => ask(`wrong ${index}`)))
  const answered = others.filter((other) => other.status === 'fulfilled').map(({ value }) => value)
  const refused = others.filter((other) => other.status === 'rejected').map(({ reason }) => reason)
  assert.deepEqual([answered, refused.length], [Array.from({ length: 8 }, () => false), 12])
  assert.ok(refused.every((reason) => reason instanceof TooMany))
})

test('callers are known by their /24 or /64, however their addresses are written', () => {
  const same = ['2001:db8::a:b:c:d', '2001:db8::1', '2001:db8:0:0:1:2:3:4', '2001:db8::ffff%eth0'].map(networkOf)
  assert.equal(new Set(same).size, 1)
  assert.notEqual(networkOf('2001:db8:0:1::1'), same[0])
  assert.equal(networkOf('::ffff:10.0.0.1'), networkOf('10.0.0.200'))
  assert.notEqual(networkOf('10.0.1.1'), networkOf('10.0.0.1'))
  assert.equal(callerOf('2001:db8::a:b:c:d'), callerOf('2001:db8::'))
  assert.equal(callerOf('::ffff:10.0.0.1'), callerOf('10.0.0.1'))
  assert.notEqual(callerOf('10.0.0.2'), callerOf('10.0.0.1'))
})
