/** Errors and latency that testers inject into requests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newServer } from '../../../src/families/servers/proof.ts'
import { forEachDatabase } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'
import { injectedBy, inOrder, openFaultLab, startedAt } from './kit.ts'

forEachDatabase('A fault of requests', (open) => {
  test('answers with an error of the API instead, so often as it says, and tells whom it hit', async () => {
    const { world, api, inject, rule } = await openFaultLab(open)
    const { name, scope } = await inject({
      name: 'busy',
      match: { operation: 'POST /firewalls' },
      when: { after: 1, first: 2 },
      fault: { error: { code: 'uniqueness_error', message: 'try again' } },
    })
    assert.equal(scope, world.engineName === 'sqlite' ? 'cloud' : 'process')
    const answers = await inOrder(4, (index) => api.post('/firewalls', { name: `fw-${index}` }))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 409, 409, 201],
    )
    assert.deepEqual(answers[1]!.body, { error: { code: 'uniqueness_error', message: 'try again', details: null } })
    assert.deepEqual(answers.map(injectedBy), [null, name, name, null])
    assert.equal((await done(api.get('/firewalls'))).firewalls.length, 2)
    const { fitting, hits, last_hits } = await rule(name)
    assert.deepEqual({ fitting, hits }, { fitting: 4, hits: 2 })
    const project = await world.db.query.selectFrom('project').select('id').where('name', '=', 'first').execute()
    assert.deepEqual(
      last_hits,
      answers.slice(1, 3).map(({ headers }) => ({
        time: startedAt,
        operation: 'firewalls_create',
        project: project[0]!.id,
        request_id: headers.get('x-correlation-id'),
        action_id: null,
        subject: null,
      })),
    )
  })

  test('may come after the effect: the client does not know that it happened', async () => {
    const { api, inject } = await openFaultLab(open)
    await inject({
      match: { operation: 'firewalls_create' },
      when: { first: 1 },
      fault: { error: { code: 'unavailable', after_effect: true } },
    })
    const answer = await api.post('/firewalls', { name: 'made' })
    assert.equal(answer.status, 503)
    assert.equal(answer.body.error.code, 'unavailable')
    assert.equal((await done(api.get('/firewalls?name=made'))).firewalls.length, 1)
    assert.equal((await api.post('/firewalls', { name: 'made' })).status, 409)
  })

  test('hits what its rule is about and nothing else', async () => {
    const { api, world, inject, ask } = await openFaultLab(open)
    const id = await newServer(api, 'web-1', { labels: { env: 'prod' }, location: 'fsn1', server_type: 'cx23' })
    await newServer(world.foreign, 'web-1')
    const other = await newServer(api, 'db-1')
    const matches = [
      { resource: 'server', name: 'web-*' },
      { resource: 'server', label_selector: 'env in (prod,test)' },
      { resource: 'server', project: 'first', name: '*-1', label_selector: 'env' },
      { id },
      { location: 'fsn1', server_type: 'cx23', label_selector: 'env=prod' },
      { operation: 'servers_get', name: 'w*b*1' },
    ]
    for (const match of matches) {
      const { name } = await inject({ match, fault: { error: { code: 'timeout' } } })
      assert.equal((await api.get(`/servers/${id}`)).status, 504, JSON.stringify(match))
      assert.equal((await api.get(`/servers/${other}`)).status, 200, JSON.stringify(match))
      assert.equal((await world.foreign.get('/servers')).status, 200)
      assert.equal((await ask('DELETE', `/faults/${name}`)).status, 204)
    }
    await inject({ match: { method: 'POST', location: 'nbg1' }, fault: { error: { code: 'resource_unavailable' } } })
    const image = 'debian-13'
    const server = { name: 'new', server_type: 'cx23', image }
    assert.equal((await api.post('/servers', { ...server, location: 'nbg1' })).status, 412)
    assert.equal((await api.post('/servers', { ...server, location: 'hel1' })).status, 201)
  })

  test('can be that a type or a location is sold out, which is shown as well', async () => {
    const { world, api, inject, rule } = await openFaultLab(open)
    const small = await newServer(api, 'small', { location: 'fsn1', server_type: 'cx23' })
    await world.settle()
    await inject({ name: 'full', match: { location: 'fsn1', server_type: 'cx33' }, fault: { sold_out: true } })
    const available = async (name: string) => {
      const [type] = (await done(api.get(`/server_types?name=${name}`))).server_types
      const one = (await done(api.get(`/server_types/${type.id}`))).server_type
      assert.deepEqual(one, type)
      return type.locations.flatMap((place: { name: string; available: boolean }) =>
        place.available ? place.name : [],
      )
    }
    assert.ok((await available('cx23')).includes('fsn1'))
    assert.ok(!(await available('cx33')).includes('fsn1'))
    assert.ok((await available('cx33')).includes('nbg1'))
    const body = { name: 'big', server_type: 'cx33', image: 'debian-13' }
    const refused = await api.post('/servers', { ...body, location: 'fsn1' })
    assert.deepEqual([refused.status, refused.body.error.code], [412, 'resource_unavailable'])
    assert.equal((await api.post('/servers', { ...body, location: 'nbg1' })).status, 201)
    assert.equal((await api.post(`/servers/${small}/actions/poweroff`)).status, 201)
    const change = { server_type: 'cx33', upgrade_disk: false }
    const changed = await api.post(`/servers/${small}/actions/change_type`, change)
    assert.equal(changed.body.error.code, 'invalid_server_type')
    assert.deepEqual([(await rule('full')).hits, (await rule('full')).fitting], [2, 2])
  })

  test('can be that no address is left, for whatever wants one', async () => {
    const { world, api, inject, rule } = await openFaultLab(open)
    const { primary_ip } = await done(api.post('/primary_ips', { name: 'kept', type: 'ipv4', location: 'fsn1' }))
    await inject({ name: 'dry', fault: { no_addresses: true } })
    const server = { name: 'web', server_type: 'cx23', image: 'debian-13', location: 'fsn1' }
    const balancer = { name: 'lb', load_balancer_type: 'lb11', location: 'fsn1' }
    const only = (public_net: object) => ({ ...server, public_net })
    const wanted = [
      await api.post('/primary_ips', { name: 'one', type: 'ipv6', location: 'fsn1' }),
      await api.post('/floating_ips', { type: 'ipv4', home_location: 'fsn1' }),
      await api.post('/servers', server),
      await api.post('/servers', only({ enable_ipv6: false })),
      await api.post('/servers', only({ ipv4: primary_ip.id })),
      await api.post('/load_balancers', balancer),
    ]
    assert.deepEqual(
      wanted.map(({ status, body }) => [status, body.error.code]),
      ['unavailable', 'unavailable', ...Array(4).fill('resource_unavailable')].map((code) => [412, code]),
    )
    assert.deepEqual(wanted.map(injectedBy), Array(6).fill('dry'))
    assert.equal((await api.post('/servers', only({ ipv4: primary_ip.id, enable_ipv6: false }))).status, 201)
    assert.equal((await api.post('/networks', { name: 'one', ip_range: '10.0.0.0/16' })).status, 201)
    assert.equal((await world.anonymous.post('/servers', server)).status, 401)
    const { hits, fitting } = await rule('dry')
    assert.deepEqual({ hits, fitting }, { hits: 6, fitting: 6 })
  })

  test('ends at a time of the clock, and says so like a rate limit', async (t) => {
    const { api, world, inject, ask } = await openFaultLab(open)
    const { until } = await inject({ when: { for: '30s' }, fault: { error: { code: 'rate_limit_exceeded' } } })
    if (world.engineName === 'sqlite') assert.equal(until, '2026-11-28T12:00:30Z')
    const refused = await api.get('/servers')
    assert.equal(refused.status, 429)
    assert.equal(refused.headers.get('ratelimit-remaining'), '0')
    assert.equal(refused.headers.get('ratelimit-reset'), String(Date.parse(until!) / 1_000))
    if (world.engineName === 'postgres') return t.diagnostic('its time cannot be moved')
    await done(ask('POST', '/clock/advance', { by: '29s' }))
    assert.equal((await api.get('/servers')).status, 429)
    await done(ask('POST', '/clock/advance', { by: '1s' }))
    assert.equal((await api.get('/servers')).status, 200)
  })

  test('delays answers that are otherwise as they were', async () => {
    const { api, inject, rule } = await openFaultLab(open)
    const delays = [
      { duration: '2ms' },
      { duration: '2ms', spread: '2ms', distribution: 'uniform' },
      { duration: '2ms', spread: '1ms', distribution: 'normal' },
      { duration: '2ms', distribution: 'exponential' },
    ]
    for (const [index, latency] of delays.entries()) await inject({ name: `slow-${index}`, fault: { latency } })
    const answer = await api.get('/servers')
    assert.equal(answer.status, 200)
    assert.equal(injectedBy(answer), 'slow-0, slow-1, slow-2, slow-3')
    assert.equal((await rule('slow-3')).hits, 1)
  })

  test('that delays for long lets go when the cloud ends', async () => {
    const { api, world, inject, ask } = await openFaultLab(open)
    await inject({ match: { operation: 'servers_list' }, fault: { latency: { duration: '10d' } } })
    const waiting = api.get('/servers')
    for (;;) {
      const { faults } = await done(ask('GET', '/faults'))
      if (faults[0].hits === 1) break
    }
    await world.stop()
    assert.equal((await waiting).status, 200)
  })

  test('hits the same share of requests for a seed, and another one for another', async () => {
    const { api, inject } = await openFaultLab(open)
    const hitBy = async (name: string, seed: string) => {
      await inject({
        name,
        match: { operation: 'servers_list' },
        when: { share: 0.4, seed },
        fault: { latency: { duration: '0s' } },
      })
      const answers = await inOrder(40, () => api.get('/servers'))
      return answers.map((answer) => injectedBy(answer)?.split(', ').includes(name) ?? false)
    }
    const [first, other] = [await hitBy('one', 'a'), await hitBy('other', 'b')]
    const share = first.filter(Boolean).length
    assert.ok(share > 5 && share < 30, `${share} of 40`)
    assert.notDeepEqual(first, other)
    const again = await openFaultLab(open)
    await again.inject({ name: 'one', when: { share: 0.4, seed: 'a' }, fault: { latency: { duration: '0s' } } })
    const repeated = await inOrder(40, () => again.api.get('/servers'))
    assert.deepEqual(
      repeated.map((answer) => injectedBy(answer) === 'one'),
      first,
    )
  })
})
