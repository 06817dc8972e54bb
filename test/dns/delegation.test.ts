/** The delegation of zones as real name servers tell it: Knot has the zones above, and Unbound finds it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ZonesDriver } from '../../src/families/zones/driver.ts'
import { forEachDatabase, type World } from '../kit/harness.ts'
import { expect } from '../kit/resources.ts'
import { serveDns } from './client.ts'
import { above, head, missingParents, withParents } from './parents.ts'

const nameservers = ['ns1.ours.lab.', 'ns2.ours.lab.']
const settings = { zones: { nameservers, privatePrimaries: ['127.0.0.0/8'] } }

/** The zones that Knot has, by name. */
const zones: Readonly<Record<string, string>> = {
  lab: `${head('ns.lab.')}ns A ${above}\nns1.ours A 127.0.0.1\nns2.ours A 127.0.0.1\nns.other A 127.0.0.9\nns.silent A 127.0.0.9\n`,
  silent: head('ns.silent.lab.'),
  example: `${head('ns.lab.')}${Object.entries({
    whole: nameservers,
    some: nameservers.slice(0, 1),
    mixed: [...nameservers, 'ns.other.lab.'],
    elsewhere: ['ns.other.lab.'],
    lame: nameservers,
  })
    .flatMap(([name, servers]) => servers.map((server) => `${name} NS ${server}\n`))
    .join('')}`,
}

forEachDatabase('The delegation of zones', (open) => {
  const told = async ({ api }: World, name: string) =>
    expect(await api.get(`/zones/${name}`), 200).body.zone.authoritative_nameservers

  test('is found with the parents of zones, and shown until it is found otherwise', {
    skip: missingParents.length > 0,
  }, async () => {
    let driver: ZonesDriver | undefined
    const drivers = { zones: { delegationOf: (zone) => driver!.delegationOf!(zone) } satisfies ZonesDriver }
    const world = await open({ alone: true, settings, drivers })
    const place = await serveDns(world)
    const names = ['whole.example', 'some.example', 'mixed.example', 'elsewhere.example', 'free.example', 'zone.silent']
    for (const name of names) expect(await world.api.post('/zones', { name, mode: 'primary' }), 201)
    // Its primary never answers, so that nobody answers for it here.
    const primary_nameservers = [{ address: '127.0.0.9' }]
    expect(await world.api.post('/zones', { name: 'lame.example', mode: 'secondary', primary_nameservers }), 201)
    await place.look()
    assert.deepEqual(await told(world, 'whole.example'), {
      assigned: nameservers,
      delegated: [],
      delegation_last_check: null,
      delegation_status: 'unknown',
    })
    await withParents(place, zones, async (parents) => {
      driver = parents
      await world.app.jobs.run()
      const statuses = async () =>
        Object.fromEntries(
          await Promise.all(
            [...names, 'lame.example'].map(
              async (name) => [name, (await told(world, name)).delegation_status] as const,
            ),
          ),
        )
      const expected = {
        'whole.example': 'valid',
        'some.example': 'partially-valid',
        'mixed.example': 'partially-valid',
        'elsewhere.example': 'invalid',
        'free.example': 'unregistered',
        'zone.silent': 'unknown',
        'lame.example': 'lame',
      }
      assert.deepEqual(await statuses(), expected)
      assert.deepEqual(await told(world, 'whole.example'), {
        assigned: nameservers,
        delegated: nameservers,
        delegation_last_check: '2026-11-21T12:00:00Z',
        delegation_status: 'valid',
      })
      assert.deepEqual((await told(world, 'elsewhere.example')).delegated, ['ns.other.lab.'])
    })
    // Nobody answers any more: what was found stays.
    world.clock.advance(2 * 3_600_000)
    await world.app.jobs.run()
    const { delegation_last_check, delegation_status } = await told(world, 'whole.example')
    assert.deepEqual([delegation_last_check, delegation_status], ['2026-11-21T12:00:00Z', 'valid'])
  })

  test('is asked for when it is due: of a new zone soon, and then every hour', async () => {
    const asked: string[] = []
    const zones: ZonesDriver = {
      async delegationOf({ name, assigned }) {
        asked.push(name)
        return name.startsWith('good') ? { delegated: assigned, status: 'valid' } : { delegated: [], status: 'invalid' }
      },
    }
    const world = await open({ alone: true, drivers: { zones } })
    const rounds = async (minutes: number) => {
      world.clock.advance(minutes * 60_000)
      await world.app.jobs.run()
      return asked.splice(0).sort()
    }
    for (const name of ['good.example', 'bad.example'])
      expect(await world.api.post('/zones', { name, mode: 'primary' }), 201)
    assert.deepEqual(await rounds(0), ['bad.example', 'good.example'])
    assert.deepEqual(await rounds(9), [])
    assert.deepEqual(await rounds(3), ['bad.example'])
    assert.deepEqual(await rounds(55), ['bad.example', 'good.example'])
    assert.deepEqual(await rounds(25 * 60), ['bad.example', 'good.example'])
    assert.deepEqual(await rounds(12), [])
    const before = expect(await world.api.get('/zones/bad.example'), 200).body.zone.authoritative_nameservers
    assert.equal(before.delegation_status, 'invalid')
    await world.api.delete('/zones/good.example')
    assert.deepEqual(await rounds(60), ['bad.example'])
  })

  test('is asked for once in a round, and Projects take turns', async () => {
    const order: string[] = []
    const zones: ZonesDriver = {
      async delegationOf({ name, assigned }) {
        order.push(name)
        return { delegated: assigned, status: 'valid' }
      },
    }
    const world = await open({ alone: true, drivers: { zones } })
    for (let i = 0; i < 40; i++)
      expect(await world.api.post('/zones', { name: `many${i}.example`, mode: 'primary' }), 201)
    expect(await world.foreign.post('/zones', { name: 'single.example', mode: 'primary' }), 201)
    await Promise.all([world.app.jobs.run(), world.app.jobs.run()])
    assert.equal(order.length, 41)
    assert.equal(new Set(order).size, 41)
    assert.ok(order.indexOf('single.example') < 16, order.join(' '))
  })
})
