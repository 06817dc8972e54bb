import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachDatabase, testClock, type World } from '../../../../test/kit/harness.ts'
import { expect } from '../../../../test/kit/resources.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import { makeBox, makeSnapshot, makeSubaccount } from '../proof.ts'

const hourMs = 3_600_000

function asked({ baseUrl, api }: World, box: number, query: object, token = api.token) {
  const url = `${baseUrl.replace(/\/v1$/, '')}/wolke/v1/storage_boxes/${box}/usage?${new URLSearchParams({ ...query })}`
  return fetch(url, { headers: { authorization: `Bearer ${token}` } })
}

type Series = 'size_data' | 'size_snapshots'
/** A time in seconds, and bytes as a text. */
type Value = [number, string]

async function usageOf(world: World, box: number, query: object) {
  const reply = await asked(world, box, query)
  assert.equal(reply.status, 200)
  const { metrics } = (await reply.json()) as { metrics: { time_series: Record<Series, { values: Value[] }> } }
  const valuesOf = (name: Series) =>
    metrics.time_series[name].values.map(([at, value]): [string, number] => [
      new Date(at * 1_000).toISOString().slice(0, 16),
      Number(value),
    ])
  return { data: valuesOf('size_data'), snapshots: valuesOf('size_snapshots') }
}

const rowsOf = ({ db }: World, box: number) =>
  acrossProjects(db.query)
    .selectFrom('storage_box_usage')
    .select('measured')
    .where('storage_box_id', '=', box)
    .execute()

/** The bytes of a directory. */
const folder = 4_096

forEachDatabase('what a Storage Box took', (open) => {
  test('is what was measured last in each hour, and stays until it changes', async () => {
    const clock = testClock('2026-11-21T10:20:00Z')
    const world = await open({ clock })
    const box = await makeBox(world)
    const day = { start: '2026-11-21T09:00:00Z', end: '2026-11-21T15:00:00Z', step: '3600' }
    assert.deepEqual(await usageOf(world, box, day), { data: [], snapshots: [] })
    await world.app.jobs.run()
    clock.advance(hourMs)
    await makeSubaccount(world, box, { home_directory: 'one' })
    await world.app.jobs.run()
    clock.advance(hourMs / 2)
    await makeSubaccount(world, box, { home_directory: 'two' })
    await makeSnapshot(world, box)
    clock.advance(3 * hourMs)
    for (const _ of [1, 2]) await world.app.jobs.run()
    const { data, snapshots } = await usageOf(world, box, day)
    const at = (hour: number) => `2026-11-21T${hour}:00`
    assert.deepEqual(data, [[at(10), 0], ...[11, 12, 13, 14].map((hour) => [at(hour), 2 * folder])])
    assert.deepEqual(
      snapshots,
      [10, 11, 12, 13, 14].map((hour) => [at(hour), 0]),
    )
    assert.equal((await rowsOf(world, box)).length, 2)
  })

  test('is kept for thirty days, and goes with the box', async () => {
    const clock = testClock('2026-11-21T10:00:00Z')
    const world = await open({ clock })
    const box = await makeBox(world)
    for (const [index, hours] of [0, 1, 24 * 31].entries()) {
      clock.advance(hours * hourMs)
      await makeSubaccount(world, box, { home_directory: `folder ${index}` })
      await world.app.jobs.run()
    }
    const now = clock.now()
    const month = { start: new Date(now - 40 * 24 * hourMs).toISOString(), end: new Date(now + 1).toISOString() }
    const { data } = await usageOf(world, box, { ...month, step: '86400' })
    assert.deepEqual([data.length, data[0]?.[1]], [30, 2 * folder])
    assert.equal((await rowsOf(world, box)).length, 2)
    expect(await world.api.delete(`/storage_boxes/${box}`), 201)
    await world.settle()
    assert.equal((await asked(world, box, month)).status, 404)
    assert.deepEqual(await rowsOf(world, box), [])
  })

  test('is asked for with times that there are, by whoever sees the box', async () => {
    const world = await open()
    const box = await makeBox(world)
    const day = { start: '2026-11-21T00:00:00Z', end: '2026-11-22T00:00:00Z' }
    for (const [query, field] of [
      [{ end: day.end }, 'start'],
      [{ start: day.start }, 'end'],
      [{ start: day.end, end: day.start }, 'end'],
      [{ ...day, step: '0' }, 'step'],
    ] as const) {
      const reply = await asked(world, box, query)
      assert.equal(reply.status, 422)
      assert.equal(
        ((await reply.json()) as { error: { details: { fields: { name: string }[] } } }).error.details.fields[0]!.name,
        field,
      )
    }
    assert.equal((await asked(world, box, day, world.readOnly.token)).status, 200)
    assert.equal((await asked(world, box, day, world.foreign.token)).status, 404)
  })
})
