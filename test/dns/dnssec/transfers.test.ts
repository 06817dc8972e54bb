/** Copies of signed zones: what is transferred is verified by other signers' tools, and served by Knot. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run, skipWithout } from '../../clients/kit/clients.ts'
import { forEachDatabase } from '../../kit/harness.ts'
import { expect } from '../../kit/resources.ts'
import { ask, serveDns } from '../client.ts'
import { goingClock } from '../going-clock.ts'
import { rrset } from '../zones.ts'
import { makeSigned, missingPrograms, transferred, verified } from './kit.ts'

const missing = missingPrograms()
const transferTo = [{ address: '127.0.0.1', port: 9 }]

forEachDatabase('Copies of signed zones', (open) => {
  test('are whole, with signatures and a chain of all names', async (t) => {
    if (missing.length > 0) return skipWithout(t, `${missing.join(', ')} are not installed`)
    const world = await open({ alone: true, clock: goingClock() })
    const place = await serveDns(world, { transferTo })
    await makeSigned(world)
    assert.deepEqual(await verified(await transferred(place)), { 'dnssec-verify': 0, 'ldns-verify-zone': 0 })
    expect(await world.api.post('/zones/example.com/rrsets', rrset('more', 'A', '192.0.2.9')), 201)
    const text = await transferred(place)
    assert.match(text, /^more\.example\.com\.\s.*\sNSEC\s/m)
    assert.deepEqual(await verified(text), { 'dnssec-verify': 0, 'ldns-verify-zone': 0 })
  })

  test('are sent as a whole to those who ask for changes, and get a new serial before signatures end', async (t) => {
    if (missing.length > 0) return skipWithout(t, `${missing.join(', ')} are not installed`)
    const world = await open({ alone: true, clock: goingClock() })
    const place = await serveDns(world, { transferTo })
    await makeSigned(world)
    const serial = async () => Number((await ask(place, 'example.com', 'SOA')).answers[0]!.split(' ')[4])
    const first = await serial()
    expect(await world.api.post('/zones/example.com/rrsets', rrset('more', 'A', '192.0.2.9')), 201)
    const { stdout } = await run('dig', ['@127.0.0.1', '-p', String(place.port), 'example.com', `IXFR=${first}`])
    assert.match(stdout, /\bNSEC\b/)
    const dayMs = 24 * 3_600_000
    const serialAfter = async (ms: number) => {
      world.clock.advance(ms)
      await world.app.jobs.run()
      return serial()
    }
    // The parent is told of the key once nobody has answers without signatures any more.
    const announced = await serialAfter(dayMs)
    assert.ok(announced > first)
    assert.equal(await serialAfter(2 * dayMs), announced)
    assert.ok((await serialAfter(2 * dayMs)) > announced)
  })
})
