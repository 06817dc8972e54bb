/** What holds of every cloud of a lab, whatever is in it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newServer } from '../../src/families/servers/proof.ts'
import { timestamp } from '../../src/kernel/process/clock.ts'
import { manager } from '../../src/management/proof.ts'
import { type Client, engines, forEachDatabase, makeClient, type World } from '../kit/harness.ts'
import { done } from '../kit/proof.ts'
import { samples } from '../kit/proofs.ts'
import { drawing, requestKinds, traffic } from '../kit/traffic.ts'
import { everything, frozen, labAt, numbers, startMs } from './kit.ts'

/** Something of every family. */
async function fill(world: World): Promise<void> {
  for (const { prepare, isShared } of Object.values(samples)) if (!isShared) await prepare(world)
  await world.settle()
}

/** Requests of all families, always the same ones for a seed; they may be refused. */
async function disturb(api: Client, seed: number, count: number): Promise<void> {
  const next = numbers(seed)
  const draw = drawing({
    number: next,
    async any(family) {
      const query = traffic.get(family)?.query
      const found = (await done(api.get(`/${family}?per_page=50${query ? `&${query}` : ''}`)))[family]
      return found[next(found.length)]
    },
  })
  for (let sent = 0; sent < count; sent++) {
    const request = await requestKinds[next(requestKinds.length)]!.make(draw)
    if (request) await api.request(request.method, request.path, { body: request.body })
  }
}

/** What tells of the requests of the test itself, and what is encrypted anew each time. */
const ownTables = new Set(['audit', 'key_canary', 'project_key', 'installation_secret'])

type Tables = Awaited<ReturnType<typeof everything>>

/** Asserts that two clouds have the same rows in every table, and the same infrastructure. */
function assertSame(found: Tables, expected: Tables): void {
  assert.deepEqual(Object.keys(found), Object.keys(expected))
  for (const [name, rows] of Object.entries(expected)) {
    if (ownTables.has(name)) assert.ok(name === 'audit' || found[name]!.length === rows.length, name)
    else assert.deepEqual(found[name], rows, name)
  }
}

forEachDatabase(
  'A lab',
  (open) => {
    test('keeps every table and the infrastructure in snapshots, restores and forks', async () => {
      const world = await open({ lab: frozen(), alone: true })
      const client = await manager(world)
      const lab = labAt(client, world.baseUrl)
      await fill(world)
      // A cloud that begins does at once what another one would do within a minute.
      await lab.advance({ by: '0s' })
      const before = await everything(lab)
      const filled = Object.keys(before).filter((name) => before[name]!.length > 0)
      assert.ok(filled.length > 35, `${filled}`)
      const fork = await lab.fork()
      assertSame(await everything(labAt(client, fork.base_url)), before)
      await disturb(world.api, 5, 30)
      await world.app.engine.idle()
      await done(lab.restore('everything'))
      assertSame(await everything(lab), before)
    })

    test('is in the same state after one step or many', async () => {
      const durations = { of: ({ id }: { readonly id: number }) => 30_000 + (id % 7) * 60_000, longestMs: 600_000 }
      const world = await open({ lab: frozen(), alone: true, engine: { durations } })
      const client = await manager(world)
      const lab = labAt(client, world.baseUrl)
      for (const name of ['one', 'two', 'three']) await newServer(world.api, name)
      await lab.advance({ by: '1h' })
      const { servers } = await done(world.api.get('/servers'))
      for (const { id } of servers) await world.api.post(`/servers/${id}/actions/enable_backup`)
      for (const seed of [1, 2]) {
        await disturb(world.api, seed, 60)
        const states: Tables[] = []
        for (const hops of [['15d'], Array(15).fill('1d'), ['13h', '1m', '3d', '11d', '10h59m']]) {
          const fork = await lab.fork()
          const there = labAt(client, fork.base_url)
          for (const by of hops) await there.advance({ by })
          states.push(await everything(there))
          await done(lab.endFork(fork.id))
        }
        assert.ok(states[0]!.image!.some((row) => row.includes('"backup"')))
        for (const found of states.slice(1)) assertSame(found, states[0]!)
      }
    })

    test('carries out every event that was listed, in order, and none twice', async () => {
      const world = await open({ lab: frozen(), alone: true })
      const lab = labAt(await manager(world), world.baseUrl)
      await fill(world)
      const { servers } = await done(world.api.get('/servers'))
      for (const { id } of servers) await world.api.post(`/servers/${id}/actions/enable_backup`)
      await world.settle()
      type Listed = { time: string; event: string; resource: { id: number } | null }
      const backups = (some: Listed[]) => some.filter(({ event }) => event === 'backup')
      // Actions are kept for 90 days.
      const first = backups(await lab.events(300))
      // Of those at the last time, the list may lack some.
      const listed = first.filter(({ time }) => time < first.at(-1)!.time)
      const until = listed.at(-1)!.time
      assert.ok(listed.length > 20)
      const half = listed[listed.length >> 1]!.time
      await lab.advance({ to: half })
      const left = backups(await lab.events()).filter(({ time }) => time <= until)
      assert.deepEqual(
        left,
        listed.filter(({ time }) => time > half),
      )
      await lab.advance({ to: until })
      // A sample has made an image before.
      const begin = timestamp(startMs)
      const made: { started: string; resources: { id: number; type: string }[] }[] = []
      for (let page = 1; ; page++) {
        const { actions, meta } = await done(world.api.get(`/servers/actions?per_page=50&page=${page}&sort=id:asc`))
        made.push(
          ...actions.filter(
            ({ command, started }: { command: string; started: string }) =>
              command === 'create_image' && started > begin,
          ),
        )
        if (meta.pagination.next_page === null) break
      }
      const times = made.map(({ started }) => started)
      assert.deepEqual(times, times.toSorted(), 'in order')
      const keysOf = (some: readonly string[]) => some.toSorted()
      assert.deepEqual(
        keysOf(
          made.map(({ started, resources }) => `${started} ${resources.find(({ type }) => type === 'server')!.id}`),
        ),
        keysOf(listed.map(({ time, resource }) => `${time} ${resource!.id}`)),
      )
    })

    test('has forks that never see each other, however many work at once', async () => {
      const world = await open({ lab: frozen(), alone: true })
      const { api } = world
      const lab = labAt(await manager(world), world.baseUrl)
      await api.post('/firewalls', { name: 'base' })
      const bodies: Readonly<Record<string, object>> = {
        firewalls: {},
        networks: { ip_range: '10.0.0.0/16' },
        placement_groups: { type: 'spread' },
        primary_ips: { type: 'ipv4', location: 'fsn1' },
        servers: { server_type: 'cx23', image: 'debian-12' },
      }
      const paths = Object.keys(bodies)
      const clouds = await Promise.all(
        Array.from({ length: 40 }, async (_, number) => ({
          number,
          api: makeClient((await lab.fork()).base_url, api.token),
        })),
      )
      clouds.push({ number: 40, api })
      await Promise.all(
        clouds.map(async ({ number, api }) => {
          const next = numbers(number)
          const model = new Map(paths.map((path) => [path, new Map<number, string>()]))
          const base: number = (await done(api.get('/firewalls'))).firewalls[0].id
          model.get('firewalls')!.set(base, 'base')
          for (let step = 0; step < 15; step++) {
            const path = paths[next(paths.length)]!
            const [own, kind, name] = [model.get(path)!, path.slice(0, -1), `c${number}-${step}`]
            const [known] = own.keys()
            if (known !== undefined && path !== 'servers' && next(3) === 0) {
              const { status } = await api.delete(`/${path}/${known}`)
              if (status === 204) own.delete(known)
            } else {
              const answer = await done(api.post(`/${path}`, { ...bodies[path], name }))
              own.set(answer[kind].id, name)
            }
          }
          for (const [path, own] of model) {
            const listed: { id: number; name: string }[] = (await done(api.get(`/${path}?per_page=50`)))[path]
            const named = listed.filter(({ name }) => name === 'base' || /^c\d+-\d+$/.test(name))
            assert.deepEqual(
              named.map(({ id, name }) => `${id} ${name}`).sort(),
              [...own].map(([id, name]) => `${id} ${name}`).sort(),
              `${path} of cloud ${number}`,
            )
          }
        }),
      )
    })
  },
  engines.filter((name) => name === 'sqlite'),
)
