import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forProjects, testClock, type World } from '../../../../test/kit/harness.ts'
import { expect } from '../../../../test/kit/resources.ts'
import { makeServer } from '../../servers/proof.ts'
import { command, makeBalancer, tcp, toServer } from '../proof.ts'

type Values = readonly (readonly [number, string])[]

async function measured({ api }: World, id: number, query: string) {
  const { metrics } = expect(await api.get(`/load_balancers/${id}/metrics?${query}`), 200).body
  return metrics as { start: string; end: string; step: number; time_series: Record<string, { values: Values }> }
}

const day = 'start=2026-11-21T00:00:00Z&end=2026-11-22T00:00:00Z'

forProjects('Measurements of a Load Balancer', (open) => {
  test('begin with its life, follow what it does, and are the same whenever they are read', async () => {
    const clock = testClock('2026-11-21T10:00:00Z')
    const world = await open({ clock })
    const id = await makeBalancer(world, { services: [tcp(80)], targets: [toServer(await makeServer(world))] })
    clock.advance(3_600_000)
    await command(world.api, id, 'delete_service', { listen_port: 80 })
    await world.settle()
    clock.advance(3_600_000)
    const { start, end, step, time_series } = await measured(world, id, `type=requests_per_second&${day}&step=600`)
    assert.deepEqual([start, end, step], ['2026-11-21T00:00:00Z', '2026-11-22T00:00:00Z', 600])
    const { values } = time_series.requests_per_second!
    const from = Date.parse('2026-11-21T10:00:00Z') / 1_000
    assert.deepEqual(
      values.map(([moment]) => moment),
      Array.from({ length: 12 }, (_, index) => from + index * 600),
    )
    assert.ok(values.slice(0, 6).every(([, value]) => Number(value) > 0))
    assert.ok(values.slice(6).every(([, value]) => value === '0'))
    const again = await measured(world, id, `type=requests_per_second&${day}&step=600`)
    assert.deepEqual(again.time_series, time_series)
  })

  test('have the series of each kind that is asked for, repeated or with commas', async () => {
    const world = await open()
    const id = await makeBalancer(world)
    const repeated = await measured(world, id, `type=open_connections&type=bandwidth&${day}`)
    assert.deepEqual(Object.keys(repeated.time_series).sort(), ['bandwidth.in', 'bandwidth.out', 'open_connections'])
    const all = 'open_connections,connections_per_second,requests_per_second,bandwidth'
    assert.equal(Object.keys((await measured(world, id, `type=${all}&${day}`)).time_series).length, 5)
    assert.deepEqual(await measured(world, id, `type=bandwidth,open_connections&${day}`), repeated)
  })

  test('need kinds and times that there are, and a Load Balancer of the Project', async () => {
    const world = await open()
    const id = await makeBalancer(world)
    for (const [query, field] of [
      [day, 'type'],
      [`type=cpu&${day}`, 'type'],
      ['type=bandwidth&end=2026-11-22T00:00:00Z', 'start'],
      ['type=bandwidth&start=2026-11-22T00:00:00Z&end=2026-11-21T00:00:00Z', 'end'],
      [`type=bandwidth&${day}&step=0`, 'step'],
    ]) {
      const refused = expect(await world.api.get(`/load_balancers/${id}/metrics?${query}`), 422, 'invalid_input')
      assert.equal(refused.body.error.details.fields[0].name, field, query)
    }
    expect(await world.foreign.get(`/load_balancers/${id}/metrics?type=bandwidth&${day}`), 404)
  })
})
