import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forProjects, testClock, type World } from '../../../../test/kit/harness.ts'
import { expect } from '../../../../test/kit/resources.ts'
import { momentsOf, stepOf } from '../../../kernel/contract/metrics.ts'
import { makeServer } from '../proof.ts'

interface Series {
  readonly values: readonly (readonly [number, string])[]
}

async function measured({ api }: World, id: number, query: string) {
  const { metrics } = expect(await api.get(`/servers/${id}/metrics?${query}`), 200).body
  return metrics as { start: string; end: string; step: number; time_series: Record<string, Series> }
}

const day = 'start=2026-11-21T00:00:00Z&end=2026-11-22T00:00:00Z'

test('a series has at most 200 values, or 500 with a step of its own', () => {
  const hour = 3_600_000
  assert.deepEqual(
    [stepOf(0, hour, undefined), stepOf(0, hour, 60), stepOf(0, hour, 1), stepOf(0, 1, undefined)],
    [18, 60, 8, 1],
  )
  assert.equal(momentsOf(0, hour, 60, hour).length, 60)
  assert.deepEqual(momentsOf(0, hour, 600, hour / 3), [0, 600], 'nothing is measured in advance')
  assert.deepEqual(momentsOf(-(10 ** 14), hour, 10 ** 9, hour), [0], 'and nothing is kept for more than 30 days')
})

forProjects('measurements of a server', (open) => {
  test('follow its power, and are the same whenever they are read', async () => {
    const clock = testClock('2026-11-21T10:00:00Z')
    const world = await open({ runActions: false, clock })
    const id = await makeServer(world)
    clock.advance(3_600_000)
    await world.api.post(`/servers/${id}/actions/poweroff`)
    await world.settle()
    clock.advance(3_600_000)
    const { start, end, step, time_series: series } = await measured(world, id, `type=cpu&${day}&step=600`)
    assert.deepEqual([start, end, step], ['2026-11-21T00:00:00Z', '2026-11-22T00:00:00Z', 600])
    const { values } = series.cpu!
    const from = Date.parse('2026-11-21T10:00:00Z') / 1_000
    assert.deepEqual(
      values.map(([moment]) => moment),
      Array.from({ length: 12 }, (_, index) => from + index * 600),
    )
    const running = values.slice(0, 6).map(([, value]) => Number(value))
    assert.ok(running.every((value) => value > 0 && value < 100))
    assert.ok(new Set(running).size > 1)
    assert.deepEqual(new Set(values.slice(6).map(([, value]) => value)), new Set(['0']))
    assert.deepEqual((await measured(world, id, `type=cpu&${day}&step=600`)).time_series, series)
  })

  test('are one value where the start is the end, and take times in the basic format of ISO 8601', async () => {
    const clock = testClock('2026-11-21T10:00:00Z')
    const world = await open({ runActions: false, clock })
    const id = await makeServer(world)
    clock.advance(3_600_000)
    const at = (text: string) => measured(world, id, `type=cpu&start=${text}&end=${text}`)
    const once = await at('2026-11-21T10:30:05Z')
    assert.deepEqual(
      once.time_series.cpu!.values.map(([moment]) => moment),
      [Date.parse('2026-11-21T10:30:05Z') / 1_000],
    )
    for (const text of ['20261121T103005Z', '20261121T113005%2B0100', '2026-11-21T10:30:05.000Z']) {
      assert.deepEqual(await at(text), once, text)
    }
    for (const text of ['202611-21T103005Z', '20261321T103005Z', '20261121103005Z']) {
      const query = `type=cpu&start=${text}&end=${text}`
      expect(await world.api.get(`/servers/${id}/metrics?${query}`), 422, 'invalid_input')
    }
  })

  test('have the series of all kinds that are asked for, repeated or with commas', async () => {
    const world = await open({ runActions: false })
    const id = await makeServer(world)
    const repeated = await measured(world, id, `type=cpu&type=disk&type=network&${day}`)
    assert.deepEqual(Object.keys(repeated.time_series).sort(), [
      'cpu',
      'disk.0.bandwidth.read',
      'disk.0.bandwidth.write',
      'disk.0.iops.read',
      'disk.0.iops.write',
      'network.0.bandwidth.in',
      'network.0.bandwidth.out',
      'network.0.pps.in',
      'network.0.pps.out',
    ])
    assert.deepEqual(await measured(world, id, `type=network,cpu,disk&${day}`), repeated)
    const past = await measured(world, id, 'type=cpu&start=2020-01-01T00:00:00%2B01:00&end=2020-01-02T00:00:00Z')
    assert.deepEqual([past.start, past.time_series], ['2019-12-31T23:00:00Z', { cpu: { values: [] } }])
  })

  test('need kinds and times that there are', async () => {
    const world = await open({ runActions: false })
    const id = await makeServer(world)
    for (const [query, field] of [
      [day, 'type'],
      [`type=memory&${day}`, 'type'],
      [`type=&${day}`, 'type'],
      ['type=cpu&end=2026-11-22T00:00:00Z', 'start'],
      ['type=cpu&start=yesterday&end=2026-11-22T00:00:00Z', 'start'],
      ['type=cpu&start=2026-13-22T00:00:00Z&end=2026-11-22T00:00:00Z', 'start'],
      ['type=cpu&start=2026-11-22T00:00:00Z', 'end'],
      ['type=cpu&start=2026-11-22T00:00:00Z&end=2026-11-21T00:00:00Z', 'end'],
      [`type=cpu&${day}&step=0`, 'step'],
      [`type=cpu&${day}&step=fast`, 'step'],
    ]) {
      const refused = expect(await world.api.get(`/servers/${id}/metrics?${query}`), 422, 'invalid_input')
      assert.equal(refused.body.error.details.fields[0].name, field, query)
    }
  })
})
