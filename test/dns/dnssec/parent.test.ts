/** The DS records of a parent are seen as real name servers have them: Knot has the zones above, and Unbound finds it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { ZonesDriver } from '../../../src/families/zones/driver.ts'
import { skipWithout } from '../../clients/kit/clients.ts'
import { forEachDatabase, type World } from '../../kit/harness.ts'
import { serveDns } from '../client.ts'
import { goingClock } from '../going-clock.ts'
import { above, head, missingParents, withParents } from '../parents.ts'
import { dnssec, makeSigned, shown } from './kit.ts'

const hourMs = 3_600_000
const ours = 'example NS ns.elsewhere.lab.\n'
const zonesWith = (...ds: readonly string[]) => ({
  lab: `${head('ns.lab.')}ns A ${above}\n`,
  com: `${head('ns.lab.')}${ours}${ds.map((one) => `example 7200 DS ${one}\n`).join('')}`,
})

/** Runs the jobs, some hours later each time, until the parent was seen as it should be. */
async function until({ app, clock }: World, isSeen: () => Promise<boolean>, hours = 1): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    await app.jobs.run()
    if (await isSeen()) return
    clock.advance(hours * hourMs)
    await delay(20)
  }
  assert.fail('the parent is not seen as it is')
}

forEachDatabase('The parent of a signed zone', (open) => {
  test('is asked for its DS records, and what it has leads a rollover on', async (t) => {
    if (missingParents.length > 0) return skipWithout(t, `${missingParents.join(', ')} are not installed`)
    let driver: ZonesDriver = {}
    const drivers = { zones: { dsOf: async (zone) => driver.dsOf!(zone) } satisfies ZonesDriver }
    const world = await open({ alone: true, clock: goingClock(), drivers })
    const place = await serveDns(world)
    await withParents(place, zonesWith(), async (asking, parent) => {
      driver = asking
      assert.deepEqual(await asking.dsOf!('example.com'), { ds: [], ttlMs: undefined })
      await makeSigned(world)
      await until(world, async () => (await shown(world)).parent?.ds.length === 0)
      const { ds } = await shown(world)
      parent.write(zonesWith(ds))
      await until(world, async () => (await shown(world)).keys[0].at_parent)
      const found = await asking.dsOf!('example.com')
      assert.equal(found.ttlMs, 2 * hourMs)
      assert.deepEqual((await shown(world)).parent.ds, [ds])
      assert.match(await dnssec(world, 'show', 'example.com'), /its parent leads to it/)
      await dnssec(world, 'roll', 'example.com')
      await until(world, async () => (await shown(world)).step === 'submitting', 6)
      const next = (await shown(world)).ds
      parent.write(zonesWith(next))
      await until(world, async () => (await shown(world)).step === 'signed', 24)
      assert.deepEqual((await shown(world)).parent.ds, [next])
    })
    // Nobody answers any more, which changes nothing.
    assert.equal((await shown(world)).step, 'signed')
    await world.app.jobs.run()
    assert.equal((await shown(world)).parent.ds.length, 1)
  })
})
