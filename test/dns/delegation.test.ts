/** The delegation of zones as real name servers tell it: Knot has the zones above, and Unbound finds it. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { askingParents } from '../../src/drivers/resolver/parents.ts'
import type { ZonesDriver } from '../../src/families/zones/driver.ts'
import { findProgram } from '../clients/kit/clients.ts'
import { forEachDatabase, type World } from '../kit/harness.ts'
import { expect } from '../kit/resources.ts'
import { type Place, serveDns } from './client.ts'
import { start } from './secondaries/programs.ts'

const missing = ['knotd', 'unbound'].filter((name) => !findProgram(name))
const nameservers = ['ns1.ours.lab.', 'ns2.ours.lab.']
const settings = { zones: { nameservers, privatePrimaries: ['127.0.0.0/8'] } }

/** The address of Knot; that of Wolke is 127.0.0.1, at the same port. Nobody listens at 127.0.0.9. */
const above = '127.0.0.2'

const head = (server: string) => `$TTL 60\n@ SOA ${server} hostmaster.lab. 1 3600 600 86400 60\n@ NS ${server}\n`
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

async function startKnot(folder: string, port: number) {
  mkdirSync(join(folder, 'db'))
  for (const [name, text] of Object.entries(zones)) writeFileSync(join(folder, `${name}.zone`), text)
  const file = join(folder, 'knot.conf')
  const listed = Object.keys(zones).map((name) => `  - domain: ${name}\n    file: ${folder}/${name}.zone\n`)
  writeFileSync(
    file,
    `log:\n  - target: stdout\n    any: info\nserver:\n  listen: ${above}@${port}\n  rundir: ${folder}\ndatabase:\n  storage: ${folder}/db\nzone:\n${listed.join('')}`,
  )
  return start('knotd', () => ['-c', file], /server started/)
}

async function startUnbound(folder: string, at: number) {
  const file = join(folder, 'unbound.conf')
  const stubs = Object.keys(zones).map((name) => `stub-zone:\n  name: "${name}"\n  stub-addr: ${above}@${at}\n`)
  const options = (port: number) =>
    `server:\n  interface: 127.0.0.1@${port}\n  do-ip6: no\n  username: ""\n  chroot: ""\n  directory: "${folder}"\n  pidfile: ""\n  use-syslog: no\n  do-not-query-localhost: no\n  module-config: "iterator"\n  verbosity: 1\n`
  return start(
    'unbound',
    (port) => {
      writeFileSync(file, options(port) + stubs.join(''))
      return ['-d', '-c', file]
    },
    /start of service/,
  )
}

/** Runs `work` with a driver that asks these name servers; they end with it. */
async function withParents({ port }: Place, work: (driver: ZonesDriver) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-parents-'))
  const stops: (() => Promise<void>)[] = []
  try {
    stops.push((await startKnot(folder, port)).stop)
    const resolver = await startUnbound(folder, port)
    stops.push(resolver.stop)
    await work(askingParents({ resolver: `127.0.0.1:${resolver.port}`, port }))
  } finally {
    for (const stop of stops) await stop()
    rmSync(folder, { recursive: true })
  }
}

forEachDatabase('The delegation of zones', (open) => {
  const told = async ({ api }: World, name: string) =>
    expect(await api.get(`/zones/${name}`), 200).body.zone.authoritative_nameservers

  test('is found with the parents of zones, and shown until it is found otherwise', {
    skip: missing.length > 0,
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
    await withParents(place, async (parents) => {
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
