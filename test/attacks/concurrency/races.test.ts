/**
 * Many clients at once: whatever they want of the same thing, one order of events explains all answers, and what remains
 * is consistent. On PostgreSQL the clients are spread over two processes on one database.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  allow,
  apply,
  newFirewall,
  remove,
  setRules,
  toSelector,
  toServer,
} from '../../../src/families/firewalls/proof.ts'
import { newServer, serverBody } from '../../../src/families/servers/proof.ts'
import { simulate } from '../../../src/families.ts'
import { acrossProjects } from '../../../src/kernel/data/scoped.ts'
import { checkConsistency } from '../../kit/consistency.ts'
import { type Client, forEachDatabase, type Open, type World, type WorldOptions } from '../../kit/harness.ts'
import { expect, settleAll, tally } from '../../kit/resources.ts'

const rounds = 5
const rivals = 8

interface Arena {
  readonly world: World
  readonly worlds: readonly World[]
  /** The Project's client at one process or the other. */
  client(index: number): Client
  settle(): Promise<void>
  /** Settles, then checks everything. */
  check(): Promise<void>
}

forEachDatabase('races', (open, engineName) => {
  const enter = (options: WorldOptions = {}) => openArena(open, engineName === 'postgres', options)

  test('of many that want one name exactly one gets it, the others hear uniqueness_error', async () => {
    const arena = await enter()
    for (let round = 0; round < rounds; round++) {
      for (const [path, body] of [
        ['/firewalls', { name: `n${round}` }],
        ['/servers', serverBody(`n${round}`)],
      ] as const) {
        const answers = await all(rivals, (i) => arena.client(i).post(path, body))
        assert.deepEqual(tally(answers), { 201: 1, '409 uniqueness_error': rivals - 1 })
      }
    }
    const ids = (await arena.world.api.get('/firewalls')).body.firewalls.map(({ id }: { id: number }) => id)
    const renamed = await all(ids.length, (i) => arena.client(i).put(`/firewalls/${ids[i]}`, { name: 'same' }))
    assert.deepEqual(tally(renamed), { 200: 1, '409 uniqueness_error': ids.length - 1 })
    await arena.check()
  })

  test('of many actions that lock one server exactly one starts, the others hear locked', async () => {
    const arena = await enter({ runActions: false })
    const id = await newServer(arena.world.api, 'a')
    await arena.settle()
    for (let round = 0; round < rounds; round++) {
      const actions = ['poweroff', 'poweron', 'reset', 'shutdown']
      const answers = await all(rivals, (i) => arena.client(i).post(`/servers/${id}/actions/${actions[i % 4]}`))
      assert.deepEqual(tally(answers), { 201: 1, '423 locked': rivals - 1 })
      await arena.settle()
    }
    const deletions = await all(rivals, (i) => arena.client(i).delete(`/servers/${id}`))
    assert.deepEqual(tally(deletions), { 200: 1, '423 locked': rivals - 1 })
    await arena.check()
  })

  test('of many that apply a firewall to one server exactly one does, and the same for a selector', async () => {
    const arena = await enter()
    const { api } = arena.world
    const server = await newServer(api, 'a', { labels: { env: 'dev' } })
    for (let round = 0; round < rounds; round++) {
      const firewall = await newFirewall(api, `f${round}`)
      for (const target of [toServer(server), toSelector('env=dev')]) {
        const applied = await all(rivals, (i) => apply(arena.client(i), firewall, target))
        assert.deepEqual(tally(applied), { 201: 1, '422 firewall_already_applied': rivals - 1 })
        const removed = await all(rivals, (i) => remove(arena.client(i), firewall, target))
        assert.deepEqual(tally(removed), { 201: 1, '404 firewall_resource_not_found': rivals - 1 })
      }
    }
    await arena.check()
  })

  test('a server never gets more than 5 firewalls, whoever applies them at the same time', async () => {
    const arena = await enter()
    const { api } = arena.world
    for (let round = 0; round < rounds; round++) {
      const server = await newServer(api, `s${round}`, { labels: { [`r${round}`]: '' } })
      const firewalls = await all(rivals, (i) => newFirewall(arena.client(i), `f${round}-${i}`))
      const answers = await all(rivals, (i) => {
        const target = i % 2 === round % 2 ? toServer(server) : toSelector(`r${round}`)
        return apply(arena.client(i), firewalls[i]!, target)
      })
      assert.deepEqual(tally(answers), { 201: 5, '403 resource_limit_exceeded': rivals - 5 })
    }
    await arena.check()
  })

  test('labels that change while a selector comes and goes always end in the right match', async () => {
    const arena = await enter()
    const { api } = arena.world
    const servers = await all(3, (i) => newServer(api, `s${i}`))
    const firewall = await newFirewall(api, 'f', { rules: [allow('80')] })
    for (let round = 0; round < rounds * 2; round++) {
      const env = round % 2 === 0 ? { env: 'dev' } : {}
      const selector = toSelector(round % 3 === 0 ? 'env' : '!env')
      await Promise.all([
        ...servers.map((id, i) => arena.client(i).put(`/servers/${id}`, { labels: env })),
        newServer(arena.client(round), `n${round}`, { labels: env }),
        apply(arena.client(round + 1), firewall, selector),
      ])
      await arena.check()
      await Promise.all([
        ...servers.map((id, i) => arena.client(i).put(`/servers/${id}`, { labels: { env: 'x' } })),
        remove(arena.client(round), firewall, selector),
      ])
    }
    await arena.check()
  })

  test('a firewall that is deleted while it is applied is either in use or not found, never half there', async () => {
    const arena = await enter()
    const { api } = arena.world
    const server = await newServer(api, 'a', { labels: { env: '' } })
    const outcomes: string[] = []
    for (let round = 0; round < rounds; round++) {
      const firewall = await newFirewall(api, `f${round}`)
      const [deleted, applied, selected, created] = await Promise.all([
        arena.client(round).delete(`/firewalls/${firewall}`),
        apply(arena.client(round + 1), firewall, toServer(server)),
        apply(arena.client(round), firewall, toSelector('nothing')),
        arena.client(round + 1).post('/servers', serverBody(`s${round}`, { firewalls: [{ firewall }] })),
      ])
      const users = [applied, selected, created]
      if (deleted.status === 204) {
        assert.deepEqual(tally(users), { '404 not_found': 2, '422 invalid_input': 1 })
      } else {
        expect(deleted, 422, 'resource_in_use')
        assert.ok(users.some(({ status }) => status === 201))
        const { applied_to } = expect(await api.get(`/firewalls/${firewall}`), 200).body.firewall
        expect(await remove(api, firewall, ...applied_to), 201)
      }
      outcomes.push(`${deleted.status}`)
    }
    await arena.check()
    assert.equal(outcomes.length, rounds)
  })

  test('a server that is deleted while firewalls come, change and go takes everything with it', async () => {
    const arena = await enter()
    const { api } = arena.world
    const direct = await newFirewall(api, 'direct')
    const later = await newFirewall(api, 'later')
    await newFirewall(api, 'selective', { apply_to: [toSelector('env')] })
    for (let round = 0; round < rounds; round++) {
      const server = await newServer(api, `s${round}`, { labels: { env: '' }, firewalls: [{ firewall: direct }] })
      await arena.settle()
      const [deleted, ...others] = await Promise.all([
        arena.client(round).delete(`/servers/${server}`),
        ...[1, 2, 3, 4, 5, 6].map((i) => setRules(arena.client(i), direct, [allow(`${round + 1}0${i}`)])),
        apply(arena.client(round + 1), later, toServer(server)),
        remove(arena.client(round), direct, toServer(server)),
        arena.client(round + 1).put(`/servers/${server}`, { labels: { env: 'x', round: `${round}` } }),
      ])
      expect(deleted!, 200)
      for (const answer of others) assert.ok([200, 201, 404].includes(answer.status), answer.text)
      await arena.check()
    }
    assert.equal(arena.world.simulation.world.filters.size, 0)
  })

  test('servers made and deleted at the same time never share an address, and the pool adds up', async () => {
    const size = 2 ** 4 - 2
    const arena = await enter({ addressPool: ['198.51.100.0/28', '2001:db8::/32'] })
    const { world } = arena
    for (let round = 0; round < 3; round++) {
      const answers = await all(size + rivals, (i) => arena.client(i).post('/servers', serverBody(`s${round}-${i}`)))
      assert.deepEqual(tally(answers), { 201: size, '412 resource_unavailable': rivals })
      const servers = answers.filter(({ status }) => status === 201).map(({ body }) => body.server)
      assert.equal(new Set(servers.map((server) => server.public_net.ipv4.ip)).size, size)
      assert.equal(new Set(servers.map((server) => server.public_net.ipv6.ip)).size, size)
      await arena.check()
      const deleted = await all(size, (i) => arena.client(i).delete(`/servers/${servers[i].id}`))
      assert.deepEqual(tally(deleted), { 200: size })
      await arena.check()
      world.clock.advance(600_000)
    }
  })

  test('no update is lost: each 200 builds on what the ones before it left', async () => {
    const arena = await enter()
    const { api } = arena.world
    const server = await newServer(api, 'a')
    const firewall = await newFirewall(api, 'f')
    await arena.settle()
    for (const path of [`/servers/${server}`, `/firewalls/${firewall}`]) {
      const family = path.includes('server') ? 'server' : 'firewall'
      const answers = await all(rivals * 4, (i) =>
        // One half changes the name, the other half the labels: neither may undo the other.
        arena.client(i).put(path, i % 2 === 0 ? { name: `n${i}` } : { labels: { writer: `${i}` } }),
      )
      const won = answers.filter(({ status }) => status === 200)
      const counts = tally(answers)
      assert.deepEqual(
        Object.keys(counts).filter((key) => key !== '200' && key !== '409 conflict'),
        [],
      )
      const { name, labels, id } = (await api.get(path)).body[family]
      const last = (field: 'name' | 'labels') => won.map(({ body }) => JSON.stringify(body[family][field]))
      assert.ok(last('name').includes(JSON.stringify(name)))
      assert.ok(last('labels').includes(JSON.stringify(labels)))
      const row = await acrossProjects(arena.world.db.query)
        .selectFrom(family)
        .select('version')
        .where('id', '=', id)
        .executeTakeFirst()
      assert.equal(row?.version, 1 + won.length, 'I8: every 200 was written over the version before it')
    }
    await arena.check()
  })

  test('rules set by many at once are those of one of them, everywhere', async () => {
    const arena = await enter()
    const { api, simulation } = arena.world
    const servers = await all(3, (i) => newServer(api, `s${i}`))
    const firewall = await newFirewall(api, 'f', { apply_to: servers.map(toServer) })
    for (let round = 0; round < rounds; round++) {
      const answers = await all(rivals, (i) => setRules(arena.client(i), firewall, [allow(`${round + 1}00${i}`)]))
      assert.deepEqual(tally(answers), { 201: rivals })
      await arena.check()
      const [rule] = (await api.get(`/firewalls/${firewall}`)).body.firewall.rules
      for (const id of servers) {
        const [part] = simulation.world.filters.get(id)!.inbound.accept
        assert.equal(String(part?.ports?.first), rule.port)
      }
    }
  })

  test('rules that change while labels bring servers in are in force on each of them', async () => {
    const arena = await enter()
    const { api } = arena.world
    const servers = await all(rivals, (i) => newServer(api, `s${i}`))
    const firewall = await newFirewall(api, 'f', { apply_to: [toSelector('env')] })
    await arena.settle()
    for (let round = 0; round < rounds; round++) {
      const labels = round % 2 === 0 ? { env: 'dev' } : {}
      const answers = await Promise.all([
        ...servers.map((id, i) => arena.client(i).put(`/servers/${id}`, { labels })),
        ...[1, 2, 3].map((i) => setRules(arena.client(i), firewall, [allow(`${round + 1}0${i}`)])),
      ])
      assert.deepEqual(tally(answers), { 200: rivals, 201: 3 })
      await arena.check()
    }
  })

  test('readers see only whole states while a server is made, labelled and deleted', async () => {
    const arena = await enter()
    const { api } = arena.world
    await newFirewall(api, 'f', { apply_to: [toSelector('env')] })
    let reading = true
    const seen = new Set<string>()
    const read = async (client: Client) => {
      while (reading) {
        const { status, body, text } = await client.get('/servers')
        assert.equal(status, 200, text)
        for (const server of body.servers) seen.add(`${server.status} ${server.locked}`)
        expect(await client.get('/firewalls'), 200)
      }
    }
    const readers = [read(arena.client(0)), read(arena.client(1))]
    for (let round = 0; round < rounds; round++) {
      const id = await newServer(api, `s${round}`, { labels: { env: 'dev' } })
      await arena.settle()
      expect(await api.put(`/servers/${id}`, { labels: {} }), 200)
      expect(await api.delete(`/servers/${id}`), 200)
      await arena.settle()
    }
    reading = false
    await Promise.all(readers)
    const whole = ['initializing true', 'starting true', 'running false', 'running true', 'deleting true']
    for (const state of seen) assert.ok(whole.includes(state), state)
    await arena.check()
  })
})

async function openArena(open: Open, twice: boolean, options: WorldOptions): Promise<Arena> {
  const simulation = simulate({ delayMs: 0 })
  const world = await open({ ...options, simulation })
  const second = twice ? [await open({ ...options, simulation, database: world.database, clock: world.clock })] : []
  const worlds = [world, ...second]
  const settle = () => settleAll(...worlds)
  return {
    world,
    worlds,
    client: (index) => worlds[index % worlds.length]!.api,
    settle,
    async check() {
      await settle()
      await checkConsistency(world)
    },
  }
}

const all = <T>(count: number, request: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => request(index)))
