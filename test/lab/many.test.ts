/** Events of a clock in numbers: none is left out, and none comes twice. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newServer } from '../../src/families/servers/proof.ts'
import { timestamp } from '../../src/kernel/process/clock.ts'
import { manager } from '../../src/management/proof.ts'
import { engines, forEachDatabase } from '../kit/harness.ts'
import { done } from '../kit/proof.ts'
import { frozen, labAt, startMs } from './kit.ts'

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
  },
  engines.filter((name) => name === 'sqlite'),
)
