/** What a report tells of what clients did. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtIn } from '../../../src/catalogue/built-in.ts'
import { openCatalogue } from '../../../src/catalogue/catalogue.ts'
import { newServer } from '../../../src/families/servers/proof.ts'
import { LabClock } from '../../../src/lab/clock.ts'
import { forEachDatabase } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'
import { disturb } from '../kit.ts'
import { frozen, ofLab, reportsOf } from './lab.ts'

const broken = ({ assertions }: { assertions: { assertion: string; holds: boolean }[] }) =>
  assertions.filter(({ holds }) => !holds).map(({ assertion }) => assertion)

const ending = ['2026-11-01T00:00:00Z', '2027-02-01T00:00:00Z'] as const
const endingLater = '2027-03-01T00:00:00Z'

/** A frozen lab whose image debian-11 is deprecated, and whose type cx23 is so in fsn1, and longer in nbg1. */
function deprecating() {
  const deprecation = { announced: ending[0], unavailable_after: ending[1] }
  const ends = new Map([
    ['fsn1', deprecation],
    ['nbg1', { ...deprecation, unavailable_after: endingLater }],
  ])
  const images = builtIn.images.map((image) => (image.name === 'debian-11' ? { ...image, deprecation } : image))
  const server_types = builtIn.server_types.map((type) => {
    const locations = type.locations.map((one) => ({ ...one, deprecation: ends.get(one.name) ?? one.deprecation }))
    return type.name === 'cx23' ? { ...type, locations } : type
  })
  return { ...frozen(), catalogue: openCatalogue({ ...builtIn, images, server_types }) }
}

forEachDatabase('A report', (open, engineName) => {
  test('counts requests by operation and code, by runs', async () => {
    const world = await open(frozen())
    const reports = await reportsOf(world)
    await world.api.get('/locations')
    const run = await reports.begin('first')
    for (const path of ['/servers', '/servers/1', '/servers/2', '/nothing']) await world.api.get(path)
    await world.anonymous.get('/servers')
    await reports.end(run)
    await world.api.get('/locations')
    const report = await reports.of(run)
    assert.equal(report.requests, 5)
    const given = { injected: null, lost: false }
    assert.deepEqual(report.operations, [
      { operation: 'GET (no operation)', status: 404, code: 'not_found', ...given, count: 1 },
      { operation: 'GET /servers', status: 200, code: null, ...given, count: 1 },
      { operation: 'GET /servers', status: 401, code: 'unauthorized', ...given, count: 1 },
      { operation: 'GET /servers/{id}', status: 404, code: 'not_found', ...given, count: 2 },
    ])
    assert.equal(report.run.name, 'first')
    assert.ok(report.run.ended)
    assert.equal((await reports.whole()).requests, 7)
    assert.deepEqual(broken(report), [])
  })

  test('is that of one token or one Project alone where that is asked for', async () => {
    const world = await open(frozen())
    const reports = await reportsOf(world)
    await world.api.get('/servers')
    await world.readOnly.get('/servers')
    await world.foreign.get('/servers')
    const { log } = await done(reports.client.get(`${reports.url}/har`))
    const [first, second, third] = log.entries.map(({ _wolke }: { _wolke: Record<string, number> }) => _wolke)
    assert.deepEqual([first.project === second.project, first.project === third.project], [true, false])
    assert.equal((await reports.whole(`?token=${first.token}`)).requests, 1)
    assert.equal((await reports.whole(`?project=${first.project}`)).requests, 2)
    assert.equal((await reports.whole(`?project=${first.project}&token=${third.token}`)).requests, 0)
  })

  test('tells polling, and the actions that nobody waited for', async () => {
    const world = await open({ ...frozen(), runActions: false })
    const reports = await reportsOf(world)
    const { server, action, next_actions } = await done(
      world.api.post('/servers', { name: 'one', server_type: 'cx23', image: 'debian-12' }),
    )
    await world.api.get(`/actions/${action.id}`)
    for (let n = 0; n < 3; n++) await world.api.get(`/servers/${server.id}`)
    await world.api.get('/locations')
    const waiting = await reports.whole()
    // The first look at the server is none: nobody has asked for it before.
    assert.deepEqual(waiting.polling, { requests: 3, share: 0.5 })
    const ids = [action, ...next_actions].map(({ id }: { id: number }) => id)
    assert.deepEqual(
      waiting.unawaited_actions.map(({ id }) => id),
      ids.toSorted((a, b) => a - b),
    )
    assert.deepEqual(waiting.unawaited_actions[0]!.operation, 'POST /servers')
    await world.app.engine.start()
    await world.settle()
    await done(world.api.get(`/actions?id=${ids.join('&id=')}`))
    assert.deepEqual((await reports.whole()).unawaited_actions, [])
    await world.api.get(`/servers/${server.id}`)
    assert.deepEqual((await reports.whole()).polling.requests, 4)
  })

  test('tells lists whose next page nobody asked for', async () => {
    const world = await open(frozen())
    const reports = await reportsOf(world)
    for (const name of ['a', 'b', 'c']) await done(world.api.post('/firewalls', { name }))
    await world.api.get('/firewalls?per_page=2&sort=name')
    await world.api.get('/firewalls?per_page=1')
    await world.api.get('/firewalls?page=2&per_page=1')
    assert.deepEqual((await reports.whole()).unfollowed_pages, [
      { operation: 'GET /firewalls', list: '/v1/firewalls?per_page=1', next_page: 3 },
      { operation: 'GET /firewalls', list: '/v1/firewalls?per_page=2&sort=name', next_page: 2 },
    ])
    await world.api.get('/firewalls?sort=name&per_page=2&page=2')
    await world.api.get('/firewalls?per_page=1&page=3')
    assert.deepEqual((await reports.whole()).unfollowed_pages, [])
  })

  test('tells what stops working, with its day, and what nothing reads', async () => {
    const world = await open(frozen())
    const reports = await reportsOf(world)
    const subnets = [{ type: 'server', network_zone: 'eu-central', ip_range: '10.0.1.0/24', gateway: '10.0.0.1' }]
    await done(world.api.post('/networks', { name: 'old', ip_range: '10.0.0.0/16', subnets, labels: { any: 'thing' } }))
    await world.api.post('/firewalls', { name: 'x', color: 'red', rules: [{ direction: 'in', depth: 1 }] })
    await world.api.get('/firewalls?colour=red')
    const report = await reports.whole()
    assert.deepEqual(
      report.deprecations.map(({ operation, field, change, stops }) => [operation, field, change, stops]),
      [['POST /networks', 'subnets[].type', 'server_subnets_removed', '2027-04-15T00:00:00Z']],
    )
    assert.deepEqual(
      report.unknown_fields.map(({ operation, field, place }) => `${operation} ${place} ${field}`),
      [
        'GET /firewalls query colour',
        'POST /firewalls body color',
        'POST /firewalls body rules[].depth',
        'POST /networks body subnets[].gateway',
      ],
    )
    assert.deepEqual(broken(report), ['leftovers', 'deprecated', 'unknown-fields'])
  })

  test('tells which types and images in use are deprecated, with the day until which they can be had', async () => {
    const world = await open(deprecating())
    const reports = await reportsOf(world)
    const order = (body: object) => world.api.post('/servers', { server_type: 'cx23', image: 'debian-12', ...body })
    const ask = async (body: object) => {
      const before = await reports.begin()
      await order(body)
      return (await reports.of(before)).deprecations
    }
    assert.deepEqual(await ask({ name: 'fine' }), [])
    const [image, type] = await ask({ name: 'old', server_type: 'cx22', image: 'debian-11' })
    assert.deepEqual(image, {
      operation: 'POST /servers',
      field: 'image',
      value: 'debian-11',
      change: null,
      summary: 'the image debian-11 is deprecated',
      since: '2026-11-01T00:00:00Z',
      stops: '2027-02-01T00:00:00Z',
      count: 1,
    })
    assert.deepEqual([type!.field, type!.value, type!.stops], ['server_type', 'cx22', '2025-12-31T23:59:59Z'])
    const { id } = builtIn.server_types.find(({ name }) => name === 'cx23')!
    // The type is deprecated in some locations alone.
    assert.deepEqual(await ask({ name: 'there', location: 'hel1' }), [])
    const [here] = await ask({ name: 'here', server_type: id, location: 'fsn1' })
    assert.deepEqual([here!.value, here!.since, here!.stops], ['cx23', ...ending])
    await order({ name: 'later', location: 'nbg1' })
    const ofType = (await reports.whole()).deprecations.filter(({ value }) => value === 'cx23')
    assert.deepEqual(
      ofType.map(({ stops, count }) => [stops, count]),
      [
        [ending[1], 1],
        [endingLater, 1],
      ],
    )
    const report = await reports.whole('?fail_on=deprecated')
    assert.ok(report.assertions[0]!.found.some((line) => line.includes('the image debian-11 is deprecated')))
    const text = await reports.client.get(`${reports.url}/report`, { accept: 'text/plain' })
    assert.match(text.text, /1 x POST \/servers, image: the image debian-11 is deprecated \(2027-02-01T00:00:00Z\)/)
  })

  test('is about refused requests whose fields are no names, too', async () => {
    const world = await open(deprecating())
    const reports = await reportsOf(world)
    const odd = { toString: 1, valueOf: 1 }
    await world.api.post('/servers', { name: 'odd', server_type: odd, image: [odd], location: odd })
    await world.api.post('/servers', { name: 'odd', server_type: 'cx23', image: 'debian-11', location: odd })
    const report = await reports.whole()
    assert.equal(report.requests, 2)
    assert.deepEqual(
      report.deprecations.map(({ value }) => value),
      ['debian-11'],
    )
  })

  test('tells answers that a fault has lost, and by which, and that a retry follows them', async () => {
    const world = await open({ ...frozen(), runActions: false })
    const reports = await reportsOf(world)
    const after = { reset: 'after_effect' }
    const gone = { name: 'gone', match: { operation: 'POST /firewalls' }, when: { first: 1 }, fault: after }
    const cut = {
      name: 'cut',
      match: { operation: 'GET /firewalls' },
      when: { first: 1 },
      fault: { truncate: { bytes: 5 } },
    }
    for (const rule of [gone, cut]) await done(reports.client.post(`${reports.url}/faults`, rule))
    await assert.rejects(world.api.post('/firewalls', { name: 'one' }))
    await assert.rejects(world.api.get('/firewalls?per_page=1'))
    await world.api.post('/firewalls', { name: 'one' })
    const report = await reports.whole()
    assert.deepEqual(report.operations, [
      { operation: 'GET /firewalls', status: 200, code: null, injected: 'cut', lost: true, count: 1 },
      { operation: 'POST /firewalls', status: 201, code: null, injected: 'gone', lost: true, count: 1 },
      { operation: 'POST /firewalls', status: 409, code: 'uniqueness_error', injected: null, lost: false, count: 1 },
    ])
    // The clock stands still, so that nobody knows how long the client waited by it.
    assert.deepEqual(report.retries, [
      { operation: 'POST /firewalls', code: 'lost', back_off: null, pause: 'unknown', count: 1 },
    ])
    const text = await reports.client.get(`${reports.url}/report`, { accept: 'text/plain' })
    assert.match(text.text, /1 x POST \/firewalls: 201, an answer that did not arrive \(injected by gone\)/)
  })

  test('is refused for what is no run, no id and no assertion', async () => {
    const world = await open(frozen())
    const { client, url } = await reportsOf(world)
    for (const path of ['/runs/7', '/runs/7/report', '/runs/7/har'])
      assert.equal((await client.get(url + path)).status, 404)
    for (const query of ['fail_on=everything', 'fail_on=cost', 'fail_on=cost>x', 'fail_on=', 'token=me', 'project=0']) {
      const answer = await client.get(`${url}/report?${query}`)
      assert.equal(answer.status, 422, query)
      assert.equal(answer.body.error.details.fields[0].name, query.split('=')[0])
    }
    assert.equal((await client.post(`${url}/runs`, { name: '' })).status, 422)
    assert.equal((await world.api.get(`${url}/report`)).status, 403)
  })

  if (engineName === 'postgres') return

  test('does not tell what is announced later', async () => {
    const world = await open({ ...deprecating(), lab: new LabClock(Date.parse('2026-10-31T00:00:00Z'), 'frozen') })
    const reports = await reportsOf(world)
    await world.api.post('/servers', { name: 'old', server_type: 'cx23', image: 'debian-11' })
    assert.deepEqual((await reports.whole()).deprecations, [])
    await reports.advance('2d')
    await world.api.post('/servers', { name: 'older', server_type: 'cx23', image: 'debian-11' })
    assert.deepEqual(
      (await reports.whole()).deprecations.map(({ value, count }) => [value, count]),
      [['debian-11', 1]],
    )
  })

  test('judges retries by the clock of the lab, and by when a limit said that it admits again', async () => {
    const world = await open(frozen())
    const reports = await reportsOf(world)
    const error = { code: 'rate_limit_exceeded' }
    const rule = { match: { operation: 'GET /firewalls' }, when: { first: 3 }, fault: { error } }
    await done(reports.client.post(`${reports.url}/faults`, rule))
    await world.api.get('/firewalls')
    await reports.advance('500ms')
    await world.api.get('/firewalls')
    await reports.advance('500ms')
    await world.api.get('/firewalls')
    await reports.advance('2s')
    await world.api.get('/firewalls')
    const { retries } = await reports.whole()
    assert.deepEqual(
      retries.map(({ back_off: hasBackOff, pause, count }) => [hasBackOff, pause, count]),
      [
        [false, 'constant', 1],
        [true, 'own', 1],
        [true, 'until_told', 1],
      ],
    )
  })

  test('says when the limit of a public cloud would have refused, whatever limit there is', async () => {
    const world = await open(frozen())
    const reports = await reportsOf(world)
    for (let n = 0; n < 3_600; n++) await world.api.get('/locations')
    assert.deepEqual((await reports.whole()).throttling, { limit: 3_600, requests: 0, first: null })
    await reports.advance('2s')
    for (let n = 0; n < 3; n++) await world.api.get('/locations')
    const { throttling, assertions } = await reports.whole('?fail_on=throttled')
    assert.deepEqual(throttling, { limit: 3_600, requests: 1, first: '2026-11-28T12:00:02Z' })
    assert.equal(assertions[0]!.holds, false)
  })

  test('is the same to the byte for the same run', async () => {
    const texts = []
    for (let n = 0; n < 2; n++) {
      const world = await open(frozen())
      const reports = await reportsOf(world)
      const run = await reports.begin('the same')
      await disturb(world.api, 11, 250, world.settle)
      const id = await newServer(world.api, 'one')
      await world.settle()
      await done(world.api.get(`/servers/${id}`))
      await reports.advance('3h')
      await done(world.api.delete(`/servers/${id}`))
      await world.settle()
      await reports.end(run)
      texts.push((await reports.client.get(`${reports.url}/runs/${run}/report`)).text)
    }
    assert.equal(texts[0], texts[1])
    assert.ok(texts[0]!.length > 10_000)
  })

  test('is that of a fork alone, and outlives the state of its cloud', async () => {
    const world = await open(frozen())
    const reports = await reportsOf(world)
    await newServer(world.api, 'one')
    await world.settle()
    await done(reports.client.put(`${reports.url}/snapshots/empty`))
    const { fork } = await done(reports.client.post(`${reports.url}/forks`, {}))
    const ofFork = await ofLab(reports.client, fork.wolke_url)
    assert.equal((await ofFork.whole()).requests, 0)
    await world.api.get(`${fork.base_url}/servers`)
    assert.deepEqual([(await ofFork.whole()).requests, (await reports.whole()).requests], [1, 1])
    const run = await reports.begin()
    await done(world.api.post('/firewalls', { name: 'gone' }))
    assert.deepEqual(
      (await reports.of(run)).leftovers.map(({ name }) => name),
      ['gone'],
    )
    await done(reports.client.post(`${reports.url}/snapshots/empty/restore`))
    const after = await reports.of(run)
    assert.deepEqual([after.requests, after.leftovers], [1, []])
  })
})
