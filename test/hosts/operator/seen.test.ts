/** What operators see of real hosts: metrics, traces and `wolke doctor`, while all is well and while a host is away. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { installOtlp } from '../../clients/kit/clients.ts'
import { pathOf, startCollector } from '../../clients/kit/otlp/collector.ts'
import { until } from '../../kit/database/bare-database.ts'
import { makeClient } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'
import { assertFinding, consult } from '../../program/kit/doctored.ts'
import { program, token } from '../../program/kit/program.ts'
import { measured, scrape } from '../../program/metrics/kit/scrape.ts'
import { onHosts, optionsOf, theLab } from '../kit/cluster.ts'
import { killDaemon, restart } from '../kit/daemons.ts'
import { inLab } from '../kit/place.ts'
import { prepare } from '../kit/process.ts'

test('operators see what hosts do, and which of them is away', inLab, async (t) => {
  const python = await installOtlp()
  assert.ok(python, 'there is no Python with the library of OTLP')
  const collector = await startCollector(python)
  t.after(() => collector.close())
  const lab = theLab()
  const second = lab.members[1]!.name
  const place = program('seen', { env: collector.env })
  const file = join(place.folder, 'wolke.db')
  await prepare(file)
  const database = `sqlite:${file}`
  const server = await place.serve(database, ...optionsOf(lab), ...measured)
  const api = makeClient(server.baseUrl, token)
  const endOf = async (id: number) => {
    const isOver = async () => (await done(api.get(`/actions/${id}`))).action.status !== 'running'
    await until(isOver, `action ${id} has ended`)
    return (await done(api.get(`/actions/${id}`))).action
  }
  const hosts = async () => {
    const scraped = await scrape(server)
    return lab.members.map(({ name }) => scraped.sum('wolke_host_up', { host: name }))
  }
  const body = { name: 'seen', server_type: onHosts.type, image: onHosts.image, location: onHosts.location }
  const made = await done(api.post('/servers', body))

  await t.test('while a server is made', async () => {
    assert.equal((await endOf(made.action.id)).status, 'success')
    const scraped = await scrape(server)
    assert.equal(scraped.sum('wolke_cluster_up'), 1)
    assert.deepEqual(
      await hosts(),
      lab.members.map(() => 1),
    )
    const calls = { driver: 'servers', outcome: 'success' }
    assert.ok(scraped.sum('wolke_driver_call_duration_seconds_count', calls) > 0)
    // A container cannot be made within a hundredth of a second: the time is that of the hosts.
    assert.ok(scraped.sum('wolke_driver_call_duration_seconds_sum', calls) > 0.01)
    const call = await collector.find(({ name }) => name === 'servers.apply')
    assert.equal(call.kind, 'SPAN_KIND_CLIENT')
    assert.equal(pathOf(collector.spans, call)[0], 'POST /v1/servers')
    const { code, failing, found } = await consult(place, database)
    assert.deepEqual([code, failing], [0, []])
    const verdicts = found.filter(({ check }) => check === 'hosts').map(({ verdict }) => verdict)
    assert.ok(verdicts.length > lab.members.length && verdicts.every((one) => one === 'ok'), verdicts.join())
  })

  await t.test('while a host is away, and when it is back', async (t) => {
    const away = lab.members[1]!
    await killDaemon(away, '/run/incus.pid')
    t.after(() => restart(away, 'incus'))
    await until(async () => (await hosts())[1] === 0, `${second} is seen to be away`)
    assert.equal((await hosts())[0], 1)
    const { code, failing, of } = await consult(place, database)
    assert.deepEqual([code, failing], [1, [`hosts incus: host ${second}`]])
    assertFinding(of('hosts', `incus: host ${second}`), 'failure', /^Offline/, /wolke infrastructure check/)
    await restart(away, 'incus')
    await until(async () => (await hosts())[1] === 1, `${second} is seen to be back`)
  })

  const { action } = await done(api.delete(`/servers/${made.server.id}`))
  assert.equal((await endOf(action.id)).status, 'success')
})
