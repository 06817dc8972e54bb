/** Events of a clock and forks in numbers: none is left out, and none sees another one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newServer } from '../../src/families/servers/proof.ts'
import { timestamp } from '../../src/kernel/process/clock.ts'
import { manager } from '../../src/management/proof.ts'
import { engines, forEachDatabase, makeClient } from '../kit/harness.ts'
import { done } from '../kit/proof.ts'
import { frozen, labAt, numbers, startMs } from './kit.ts'

forEachDatabase(
  'A lab with much in it',
  (open) => {
    test('carries out every event that was listed, in order, and none twice', async () => {
      const world = await open({ lab: frozen(), alone: true })
      const lab = labAt(await manager(world), world.baseUrl)
      for (const name of ['one', 'two', 'three', 'four']) await newServer(world.api, name)
      await world.settle()
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
