/** No address is given twice, whoever asks for it at the same time, of one process or of three on one PostgreSQL. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { cloudSubnet, makeNetwork } from '../../../src/families/networks/proof.ts'
import { makeServer, privateOnly, serverBody } from '../../../src/families/servers/proof.ts'
import { acrossProjects } from '../../../src/kernel/data/scoped.ts'
import { checkConsistency } from '../../kit/consistency.ts'
import {
  type Answer,
  type Client,
  forEachDatabase,
  type Open,
  type World,
  type WorldOptions,
} from '../../kit/harness.ts'
import { unique } from '../../kit/proof.ts'
import { expect, settleAll, tally } from '../../kit/resources.ts'

const clients = 8
const rounds = 2

interface Arena {
  readonly world: World
  /** Sends one request of each client, which are spread over the processes. */
  all(request: (client: Client, index: number) => Promise<Answer>): Promise<Answer[]>
  /** Settles, then checks everything. */
  check(): Promise<void>
}

async function openArena(open: Open, options: WorldOptions = {}): Promise<Arena> {
  const world = await open(options)
  const { database, clock, simulation } = world
  const worlds = [world]
  while (world.db.dialect.shared && worlds.length < 3) {
    worlds.push(await open({ ...options, database, clock, simulation }))
  }
  return {
    world,
    all: (request) =>
      Promise.all(Array.from({ length: clients }, (_, i) => request(worlds[i % worlds.length]!.api, i))),
    async check() {
      await settleAll(...worlds)
      await checkConsistency(world)
    },
  }
}

/** Every address that a server has at one moment in a network, or may come back to. */
async function membersNow({ db }: World): Promise<string[]> {
  const rows = await acrossProjects(db.query).selectFrom('network_attachment').selectAll().execute()
  return rows.flatMap(({ network_id: network, ip, alias_ips: aliases, former_alias_ips: former }) => {
    const all = new Set<string>([...JSON.parse(aliases), ...JSON.parse(former ?? '[]')])
    return [ip, ...all].map((address) => `${address} in ${network}`)
  })
}

/** Looks again and again while the work is under way. */
async function watching<T>(world: World, work: Promise<T>): Promise<T> {
  let isOver = false
  const end = work.finally(() => {
    isOver = true
  })
  const watch = async () => {
    // What the installation asks the database comes before what Projects ask, who are to be answered too.
    for (; !isOver; await delay(5)) {
      const addresses = await membersNow(world)
      assert.deepEqual(addresses, [...new Set(addresses)], 'an address is given once')
    }
  }
  const [result] = await Promise.all([end, watch()])
  return result
}

const onServer = (client: Client, id: number, path: string, body: object) =>
  client.post(`/servers/${id}/actions/${path}`, body)
const onNetwork = (client: Client, id: number, path: string, body: object) =>
  client.post(`/networks/${id}/actions/${path}`, body)

forEachDatabase('addresses', (open) => {
  test('of a network are given to one of many that want them at the same time', async () => {
    const { world, all, check } = await openArena(open)
    const servers: number[] = []
    for (let i = 0; i < clients; i++) servers.push(await makeServer(world, privateOnly))
    for (let round = 0; round < rounds; round++) {
      const subnet = '10.0.1.0/27'
      const network = await makeNetwork(world, { subnets: [cloudSubnet(subnet)] })
      // One half wants one address, the other half one alias; while others just want any.
      const wish = (i: number) => (i % 2 === 0 ? { ip: '10.0.1.20' } : { alias_ips: ['10.0.1.21'] })
      const [joined, created] = await watching(
        world,
        Promise.all([
          all((client, i) => onServer(client, servers[i]!, 'attach_to_network', { network, ...wish(i) })),
          all((client) =>
            client.post('/servers', serverBody(unique('inside'), { ...privateOnly, networks: [network] })),
          ),
        ]),
      )
      assert.deepEqual(tally(joined), { 201: 2, '422 ip_not_available': clients - 2 })
      assert.deepEqual(tally(created), { 201: clients })
      await check()
      const inside = created.map(({ body }) => body.server.id as number)
      const changed = await watching(
        world,
        all((client, i) => onServer(client, inside[i]!, 'change_alias_ips', { network, alias_ips: ['10.0.1.22'] })),
      )
      assert.deepEqual(tally(changed), { 201: 1, '422 ip_not_available': clients - 1 })
      await check()
      // The one who has the address leaves, while others want it and the subnet comes and goes.
      const changes = await watching(
        world,
        Promise.all([
          all((client, i) => onServer(client, servers[i]!, 'detach_from_network', { network })),
          all((client, i) => client.delete(`/servers/${inside[i]}`)),
          all((client, i) => onServer(client, servers[i]!, 'attach_to_network', { network, ip: '10.0.1.20' })),
          all((client, i) =>
            i % 2 === 0
              ? onNetwork(client, network, 'delete_subnet', { ip_range: subnet })
              : onNetwork(client, network, 'add_subnet', cloudSubnet('10.0.2.0/28')),
          ),
        ]),
      )
      for (const { status, text } of changes.flat()) assert.ok(status < 500 && !text.includes('unknown field'), text)
      await check()
      await all((client, i) => onServer(client, servers[i]!, 'detach_from_network', { network }))
      await check()
      // It may be gone or not; now that nobody is in it, it comes back and goes.
      await onNetwork(world.api, network, 'add_subnet', cloudSubnet(subnet))
      await check()
      expect(await onNetwork(world.api, network, 'delete_subnet', { ip_range: subnet }), 201)
      await check()
    }
  })

  test('of the pool are given to one of those that want a server, a Primary IP or a Floating IP', async () => {
    const size = 2 ** 4 - 2
    const { world, all, check } = await openArena(open, { addressPool: ['198.51.100.0/28', '2001:db8::/32'] })
    for (let round = 0; round < rounds; round++) {
      const [servers, primaryIps, floatingIps] = await Promise.all([
        all((client) => client.post('/servers', serverBody(unique('server')))),
        all((client) => client.post('/primary_ips', { type: 'ipv4', name: unique('ip'), location: 'fsn1' })),
        all((client) => client.post('/floating_ips', { type: 'ipv4', home_location: 'fsn1' })),
      ])
      const given = [
        ...servers.flatMap(({ body }) => body.server?.public_net.ipv4.ip ?? []),
        ...primaryIps.flatMap(({ body }) => body.primary_ip?.ip ?? []),
        ...floatingIps.flatMap(({ body }) => body.floating_ip?.ip ?? []),
      ]
      assert.deepEqual([given.length, new Set(given).size], [size, size])
      await check()
      const remove = (path: string, some: readonly Answer[], key: string) =>
        all(async (client, i) =>
          some[i]!.status === 201 ? client.delete(`/${path}/${some[i]!.body[key].id}`) : some[i]!,
        )
      await Promise.all([
        remove('servers', servers, 'server'),
        remove('primary_ips', primaryIps, 'primary_ip'),
        remove('floating_ips', floatingIps, 'floating_ip'),
      ])
      await check()
      world.clock.advance(600_000)
    }
  })
})
