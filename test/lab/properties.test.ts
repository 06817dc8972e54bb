/** What holds of every cloud of a lab, whatever is in it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manager } from '../../src/management/proof.ts'
import { type Client, engines, forEachDatabase, type World } from '../kit/harness.ts'
import { done } from '../kit/proof.ts'
import { samples } from '../kit/proofs.ts'
import { drawing, requestKinds, traffic } from '../kit/traffic.ts'
import { everything, frozen, labAt, numbers } from './kit.ts'

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
        for (const found of states.slice(1)) assertSame(found, states[0]!)
      }
    })
  },
  engines.filter((name) => name === 'sqlite'),
)
