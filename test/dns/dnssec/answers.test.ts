/** Answers of signed zones as validators take them: Unbound and delv. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '../../clients/kit/clients.ts'
import { forEachDatabase } from '../../kit/harness.ts'
import { serveDns } from '../client.ts'
import { goingClock } from '../going-clock.ts'
import { delv, keysOf, makeSigned, missingPrograms, withUnbound } from './kit.ts'

const missing = missingPrograms()
const yes = '; fully validated'
const none = '; negative response, fully validated'

/** Questions, with what delv says, and the code and number of records that Unbound answers with. */
const questions: readonly (readonly [name: string, type: string, said: string, rcode: string, count: number])[] = [
  ['example.com', 'SOA', yes, 'NOERROR', 1],
  ['example.com', 'NS', yes, 'NOERROR', 3],
  ['example.com', 'DNSKEY', yes, 'NOERROR', 1],
  ['example.com', 'MX', none, 'NOERROR', 0],
  ['www.example.com', 'A', yes, 'NOERROR', 2],
  ['WwW.eXample.com', 'A', yes, 'NOERROR', 2],
  ['www.example.com', 'AAAA', none, 'NOERROR', 0],
  ['www.upper.example.com', 'MX', yes, 'NOERROR', 2],
  ['alias.example.com', 'A', yes, 'NOERROR', 3],
  ['alias.example.com', 'CNAME', yes, 'NOERROR', 1],
  ['alias.example.com', 'AAAA', yes, 'NOERROR', 1],
  ['dangling.example.com', 'A', yes, 'NOERROR', 1],
  ['b.empty.example.com', 'A', none, 'NOERROR', 0],
  ['a.b.empty.example.com', 'TXT', yes, 'NOERROR', 1],
  ['x.wild.example.com', 'TXT', yes, 'NOERROR', 1],
  ['x.y.wild.example.com', 'TXT', yes, 'NOERROR', 1],
  ['x.wild.example.com', 'A', none, 'NOERROR', 0],
  ['*.wild.example.com', 'TXT', yes, 'NOERROR', 1],
  ['wild.example.com', 'TXT', none, 'NOERROR', 0],
  ['x.aliases.example.com', 'A', yes, 'NOERROR', 3],
  ['svc.example.com', 'HTTPS', yes, 'NOERROR', 1],
  ['text.example.com', 'TXT', yes, 'NOERROR', 12],
  ['nothing.example.com', 'A', none, 'NOERROR', 0],
  ['below.www.example.com', 'A', none, 'NOERROR', 0],
  ['a\\000b.example.com', 'A', none, 'NOERROR', 0],
  [`${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(49)}.example.com`, 'A', none, 'NOERROR', 0],
  ['secure.example.com', 'DS', yes, 'NOERROR', 1],
  ['insecure.example.com', 'DS', none, 'NOERROR', 0],
]

forEachDatabase('Signed zones', (open) => {
  test('are validated in all that they answer', async (t) => {
    if (missing.length > 0) return skipWithout(t, `${missing.join(', ')} are not installed`)
    // delv has no other clock than that of the machine.
    const world = await open({ alone: true, clock: goingClock() })
    const place = await serveDns(world)
    await makeSigned(world)
    const keys = await keysOf(place)
    assert.equal(keys.length, 1)
    const asked = questions.map(([name, type]) => [name, type] as const)
    assert.deepEqual(
      await delv(place, keys, asked),
      questions.map(([name, type, said]) => `${name} ${type} ${said}`),
    )
    await withUnbound(place, [`DNSKEY ${keys[0]}`], world.clock.now(), async (resolver) => {
      for (const [name, type, , rcode, count] of questions) {
        const answer = await resolver.ask(name, type)
        const told = { rcode: answer.rcode, isSecure: answer.isSecure, count: answer.answers.length }
        assert.deepEqual(told, { rcode, isSecure: true, count }, `${name} ${type}`)
      }
    })
  })
})
