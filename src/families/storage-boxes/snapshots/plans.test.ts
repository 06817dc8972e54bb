import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gate, until } from '../../../../test/kit/database/bare-database.ts'
import { forEachDatabase, type Open, testClock, type World } from '../../../../test/kit/harness.ts'
import { done } from '../../../../test/kit/proof.ts'
import { expect } from '../../../../test/kit/resources.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import { plan } from '../proof/samples.ts'
import { makeBox, makeSnapshot } from '../proof.ts'
import { boxes } from '../store.ts'
import { startPlanned } from './jobs.ts'

/** A cloud with some boxes that have the same plan, of which a snapshot is due now, and one more in another Project. */
async function someDue(open: Open, count = 3) {
  const clock = testClock()
  const world = await open({ clock, runActions: false })
  const ids: number[] = []
  for (let n = 0; n < count; n++) ids.push(await planned(world))
  const elsewhere = await planned({ api: world.foreign, settle: world.settle })
  clock.set('2026-11-22T04:00:00Z')
  return { world, ids, elsewhere, start: () => startPlanned({ db: world.db, clock }) }
}

async function planned(world: Pick<World, 'api' | 'settle'>): Promise<number> {
  const box = await makeBox(world)
  expect(await world.api.post(`/storage_boxes/${box}/actions/enable_snapshot_plan`, plan), 201)
  return box
}

/** How many snapshots of a plan each box has. */
async function counts({ api }: Pick<World, 'api'>, ids: readonly number[]): Promise<number[]> {
  const all = await Promise.all(ids.map((id) => done(api.get(`/storage_boxes/${id}/snapshots?is_automatic=true`))))
  return all.map(({ snapshots }) => snapshots.length)
}

forEachDatabase('plans of several Storage Boxes', (open, engineName) => {
  test('begin together in each Project, with an action each that locks its box alone', async () => {
    const { world, ids, elsewhere, start } = await someDue(open, 20)
    const { api, foreign, settle } = world
    await start()
    assert.deepEqual(await counts({ api: foreign }, [elsewhere]), [1])
    assert.deepEqual(await counts(world, ids), Array(20).fill(1))
    const { actions } = await done(api.get('/storage_boxes/actions?status=running&per_page=50'))
    assert.deepEqual(
      actions.map(({ command, resources }: never) => [command, (resources as { id: number }[])[0]!.id]).sort(),
      ids.map((id) => ['create_snapshot', id]).sort(),
    )
    for (const id of ids.slice(0, 2)) expect(await api.post(`/storage_boxes/${id}/snapshots`, {}), 423)
    await settle()
    await makeSnapshot(world, ids[0]!)
  })

  test('are not kept back by a box in which something happens', async () => {
    const { world, ids, start } = await someDue(open)
    expect(await world.api.post(`/storage_boxes/${ids[1]}/snapshots`, {}), 201)
    assert.equal(await start(), 'again')
    assert.deepEqual(await counts(world, ids), [1, 0, 1])
    await world.settle()
    assert.equal(await start(), undefined)
    assert.deepEqual(await counts(world, ids), [1, 1, 1])
  })

  test('are not kept back by one that fails, which is told', async () => {
    const { world, ids, start } = await someDue(open)
    const never = { maxSnapshots: 2, minute: 30, hour: 3, dayOfWeek: null, dayOfMonth: 32 }
    const change = acrossProjects(world.db.query)
      .updateTable('storage_box')
      .set({ plan: JSON.stringify(never) })
    await change.where('id', '=', ids[1]!).execute()
    await assert.rejects(start(), /1 snapshots could not be started/)
    assert.deepEqual(await counts(world, ids), [1, 0, 1])
  })

  test('begin once, however many processes look for them at the same time', async () => {
    const { world, ids, start } = await someDue(open, 20)
    await Promise.all([start(), start(), start()])
    assert.deepEqual(await counts(world, ids), Array(20).fill(1))
  })

  if (engineName === 'sqlite') return
  test('do not wait for a box that another process is writing', async () => {
    const { world, ids, start } = await someDue(open)
    const { db } = world
    const [held, free] = [gate(), gate()]
    const writing = db.transact(async (tx) => {
      const { project_id: projectId } = await acrossProjects(tx.query)
        .selectFrom('storage_box')
        .select('project_id')
        .where('id', '=', ids[0]!)
        .executeTakeFirstOrThrow()
      await boxes.lock(tx, { projectId }, ids[0]!)
      held.open()
      await free.pass()
    })
    await held.pass()
    const starting = start()
    await until(async () => (await counts(world, ids)).join() === '0,1,1', 'the others have begun')
    free.open()
    await Promise.all([writing, starting])
    assert.deepEqual(await counts(world, ids), [1, 1, 1])
  })
})
