import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachDatabase, testClock, type World } from '../../../test/kit/harness.ts'
import { expect } from '../../../test/kit/resources.ts'

async function makeServer({ api, settle }: World, name: string): Promise<number> {
  const { body, text } = await api.post('/servers', {
    name,
    server_type: 'cpx22',
    image: 'debian-13',
    location: 'hel1',
  })
  assert.ok(body.server, text)
  await settle()
  return body.server.id
}

async function makeFloatingIp({ api, settle }: World, more: object = {}) {
  const { status, body, text } = await api.post('/floating_ips', { type: 'ipv4', home_location: 'hel1', ...more })
  assert.equal(status, 201, text)
  await settle()
  return body.floating_ip
}

/** The server that an address leads to in the world. */
function leadsTo({ simulation }: World, ip: string): number | undefined {
  const found = [...simulation.world.routes.values()].filter((route) => route.ips.includes(ip))
  assert.ok(found.length <= 1, `${ip} leads to one server at most`)
  return found[0]?.serverId
}

forEachDatabase('Floating IPs', (open) => {
  test('an unassigned one has no action, a name of its own and a default reverse name', async () => {
    const { api } = await open()
    const { body } = await api.post('/floating_ips', { type: 'ipv4', home_location: 'hel1', description: 'web' })
    assert.equal(body.action, null)
    const { floating_ip: ip } = body
    assert.equal(ip.home_location.id, 3)
    assert.equal(ip.name, `floating-ip-${ip.id}`)
    assert.match(ip.ip, /^192\.0\.2\.\d+$/)
    const reversed = ip.ip.split('.').reverse().join('.')
    assert.deepEqual(ip.dns_ptr, [{ ip: ip.ip, dns_ptr: `static.${reversed}.clients.wolke.example` }])
    assert.deepEqual(
      [ip.server, ip.description, ip.blocked, ip.labels, ip.protection],
      [null, 'web', false, {}, { delete: false }],
    )
    assert.deepEqual((await api.get(`/floating_ips/${ip.id}`)).body.floating_ip, ip)
  })

  test('an IPv6 one is a /64 without reverse names', async () => {
    const ip = await makeFloatingIp(await open(), { type: 'ipv6', home_location: 'fsn1' })
    assert.match(ip.ip, /^2001:db8:.*::\/64$/)
    assert.deepEqual(ip.dns_ptr, [])
  })

  test('with a server it takes its location, is assigned by create_floating_ip, and leads there', async () => {
    const world = await open()
    const server = await makeServer(world, 's')
    const { body } = await world.api.post('/floating_ips', { type: 'ipv4', server })
    const { floating_ip: ip, action } = body
    assert.equal(ip.home_location.name, 'hel1')
    assert.equal(action.command, 'create_floating_ip')
    assert.deepEqual(action.resources, [
      { id: server, type: 'server' },
      { id: ip.id, type: 'floating_ip' },
    ])
    await world.settle()
    assert.equal(leadsTo(world, ip.ip), server)
    assert.deepEqual((await world.api.get(`/servers/${server}`)).body.server.public_net.floating_ips, [ip.id])
  })

  test('it needs exactly one of server and home_location, and both by what the Project and the catalogue have', async () => {
    const world = await open()
    const server = await makeServer(world, 's')
    for (const body of [{}, { server, home_location: 'hel1' }, { home_location: 'abc' }, { server: server + 1 }]) {
      const { status, body: reply } = await world.api.post('/floating_ips', { type: 'ipv4', ...body })
      assert.equal(status, 422)
      assert.equal(reply.error.message, "invalid input in fields 'server', 'home_location'")
    }
    const foreign = await world.foreign.post('/floating_ips', { type: 'ipv4', server })
    assert.equal(foreign.status, 422)
  })

  test('a move from one server to another is one call, and never leads to both', async () => {
    const world = await open()
    const [a, b] = [await makeServer(world, 'a'), await makeServer(world, 'b')]
    const ip = await makeFloatingIp(world, { home_location: undefined, server: a })
    const { status, body } = await world.api.post(`/floating_ips/${ip.id}/actions/assign`, { server: b })
    assert.deepEqual([status, body.action.command, body.action.status], [201, 'assign_floating_ip', 'running'])
    await world.settle()
    assert.equal(leadsTo(world, ip.ip), b)
    assert.equal((await world.api.get(`/floating_ips/${ip.id}`)).body.floating_ip.server, b)
    const again = await world.api.post(`/floating_ips/${ip.id}/actions/assign`, { server: b })
    assert.deepEqual([again.status, again.body.error.code], [422, 'floating_ip_assigned'])
  })

  test('several that leave a server at once each lead to it until another one has them', async () => {
    const world = await open({ runActions: false })
    const [a, b, c] = [await makeServer(world, 'a'), await makeServer(world, 'b'), await makeServer(world, 'c')]
    const assigned = { home_location: undefined, server: a }
    const [one, other] = [await makeFloatingIp(world, assigned), await makeFloatingIp(world, assigned)]
    const [lost, rests] = [await makeFloatingIp(world, assigned), await makeFloatingIp(world, assigned)]
    for (const [ip, to] of [[one, b] as const, [other, c] as const]) {
      expect(await world.api.post(`/floating_ips/${ip.id}/actions/assign`, { server: to }), 201)
    }
    expect(await world.api.post(`/floating_ips/${lost.id}/actions/unassign`), 201)
    const ways = new Set<string>()
    world.simulation.behave(() => void ways.add(`${leadsTo(world, one.ip)} ${leadsTo(world, other.ip)}`))
    await world.settle()
    assert.deepEqual([...ways], [`${a} ${a}`, `${b} ${a}`, `${b} ${c}`])
    const wanted = [b, c, undefined, a]
    assert.deepEqual(
      [one, other, lost, rests].map(({ ip }) => leadsTo(world, ip)),
      wanted,
    )
  })

  test('unassigned means unreachable', async () => {
    const world = await open()
    const server = await makeServer(world, 's')
    const ip = await makeFloatingIp(world, { home_location: undefined, server })
    const { body } = await world.api.post(`/floating_ips/${ip.id}/actions/unassign`)
    assert.equal(body.action.command, 'unassign_floating_ip')
    await world.settle()
    assert.equal(leadsTo(world, ip.ip), undefined)
    const again = await world.api.post(`/floating_ips/${ip.id}/actions/unassign`)
    assert.deepEqual([again.status, again.body.error.code], [422, 'service_error'])
  })

  test('a failed assignment leaves it where it was, unlocked', async () => {
    let look: (() => Promise<void>) | undefined
    const reach = async (place: string) => void (place.includes('#route-undo:before-effect') && (await look?.()))
    const world = await open({ faults: { reach } })
    const [a, b] = [await makeServer(world, 'a'), await makeServer(world, 'b')]
    const ip = await makeFloatingIp(world, { home_location: undefined, server: a })
    let refusals = 1
    world.simulation.behave(({ subject }) => (subject === b && refusals-- > 0 ? 'error after effect' : undefined))
    const undone: unknown[] = []
    look = async () => {
      const { actions } = (await world.api.get(`/floating_ips/${ip.id}/actions?status=running`)).body
      undone.push(
        ...actions.map(({ status, finished, error }: Record<string, unknown>) => ({ status, finished, error })),
      )
    }
    const { body } = await world.api.post(`/floating_ips/${ip.id}/actions/assign`, { server: b })
    await world.settle()
    assert.deepEqual(undone, [{ status: 'running', finished: null, error: null }])
    const { action } = (await world.api.get(`/actions/${body.action.id}`)).body
    assert.deepEqual([action.status, action.error.code], ['error', 'action_failed'])
    assert.equal((await world.api.get(`/floating_ips/${ip.id}`)).body.floating_ip.server, a)
    assert.equal(leadsTo(world, ip.ip), a)
    assert.equal((await world.api.post(`/floating_ips/${ip.id}/actions/assign`, { server: b })).status, 201)
  })

  test('where neither an assignment nor its undoing succeeds, it is led back as soon as that can be done', async () => {
    const world = await open()
    const [a, b] = [await makeServer(world, 'a'), await makeServer(world, 'b')]
    const ip = await makeFloatingIp(world, { home_location: undefined, server: a })
    let calls = 0
    world.simulation.behave(() => (calls++ === 0 ? 'error after effect' : 'error before effect'))
    await world.api.post(`/floating_ips/${ip.id}/actions/assign`, { server: b })
    await world.settle()
    assert.equal((await world.api.get(`/floating_ips/${ip.id}`)).body.floating_ip.server, a)
    assert.equal(leadsTo(world, ip.ip), b)
    world.simulation.behave(() => 'ok')
    await world.app.jobs.run()
    assert.equal(leadsTo(world, ip.ip), a)
  })

  test('it outlives its server, unassigned', async () => {
    const world = await open()
    const server = await makeServer(world, 's')
    const ip = await makeFloatingIp(world, { home_location: undefined, server })
    await world.api.delete(`/servers/${server}`)
    await world.settle()
    assert.equal((await world.api.get(`/floating_ips/${ip.id}`)).body.floating_ip.server, null)
    assert.equal(leadsTo(world, ip.ip), undefined)
  })

  test('reverse names follow the rules of their kind of address', async () => {
    const world = await open()
    const v4 = await makeFloatingIp(world)
    const v6 = await makeFloatingIp(world, { type: 'ipv6' })
    const name = (id: number, body: object) => world.api.post(`/floating_ips/${id}/actions/change_dns_ptr`, body)
    const names = async (id: number) => (await world.api.get(`/floating_ips/${id}`)).body.floating_ip.dns_ptr
    const changed = await name(v4.id, { ip: v4.ip, dns_ptr: 'www.example.com' })
    assert.deepEqual(
      [changed.status, changed.body.action.command, changed.body.action.status],
      [201, 'change_dns_ptr', 'success'],
    )
    assert.deepEqual(await names(v4.id), [{ ip: v4.ip, dns_ptr: 'www.example.com' }])
    await name(v4.id, { ip: v4.ip, dns_ptr: null })
    assert.deepEqual(await names(v4.id), v4.dns_ptr)
    const network = v6.ip.replace('::/64', '')
    await name(v6.id, { ip: `${network}::1`, dns_ptr: 'one.example.com' })
    await name(v6.id, { ip: `${network.toUpperCase()}:0:0:0:2`, dns_ptr: 'two.example.com' })
    await name(v6.id, { ip: `${network}::1`, dns_ptr: 'uno.example.com' })
    assert.deepEqual(await names(v6.id), [
      { ip: `${network}::2`, dns_ptr: 'two.example.com' },
      { ip: `${network}::1`, dns_ptr: 'uno.example.com' },
    ])
    await name(v6.id, { ip: `${network}::2`, dns_ptr: null })
    assert.equal((await names(v6.id)).length, 1)
    const refused: [object, string][] = [
      [{ ip: '192.0.2.250', dns_ptr: 'x.example.com' }, 'ip'],
      [{ ip: v4.ip, dns_ptr: 'x.example.com.' }, 'dns_ptr'],
      [{ ip: v4.ip, dns_ptr: 'not a name' }, 'dns_ptr'],
      [{ ip: v4.ip }, 'dns_ptr'],
    ]
    for (const [body, field] of refused) {
      const { status, body: reply } = await name(v4.id, body)
      assert.deepEqual([status, reply.error.details.fields[0].name], [422, field])
    }
    assert.equal((await name(v6.id, { ip: '2001:db9::1', dns_ptr: 'x.example.com' })).status, 422)
  })

  test('before 30 Sep 2026 leaving dns_ptr out resets it; before May 2026 deletion unassigns', async () => {
    const world = await open({ clock: testClock('2026-04-15T00:00:00Z') })
    const server = await makeServer(world, 's')
    const ip = await makeFloatingIp(world, { home_location: undefined, server })
    const path = `/floating_ips/${ip.id}`
    await world.api.post(`${path}/actions/change_dns_ptr`, { ip: ip.ip, dns_ptr: 'www.example.com' })
    assert.equal((await world.api.post(`${path}/actions/change_dns_ptr`, { ip: ip.ip })).status, 201)
    assert.deepEqual((await world.api.get(path)).body.floating_ip.dns_ptr, ip.dns_ptr)
    world.clock.set('2026-05-01T00:00:00Z')
    const { error } = (await world.api.delete(path)).body
    assert.deepEqual([error.code, error.message.includes(`server with ID '${server}'`)], ['must_be_unassigned', true])
    world.clock.set('2026-04-30T00:00:00Z')
    assert.equal((await world.api.delete(path)).status, 204)
    await world.settle()
    assert.equal(leadsTo(world, ip.ip), undefined)
  })

  test('a protected one is not deleted', async () => {
    const world = await open()
    const ip = await makeFloatingIp(world)
    const { body } = await world.api.post(`/floating_ips/${ip.id}/actions/change_protection`, { delete: true })
    assert.deepEqual([body.action.command, body.action.status], ['change_protection', 'success'])
    const refused = await world.api.delete(`/floating_ips/${ip.id}`)
    assert.deepEqual([refused.status, refused.body.error.code], [423, 'protected'])
    assert.equal(refused.body.error.message, 'Floating IP deletion is protected')
    await world.api.post(`/floating_ips/${ip.id}/actions/change_protection`, { delete: false })
    assert.equal((await world.api.delete(`/floating_ips/${ip.id}`)).status, 204)
    assert.equal((await world.api.get(`/floating_ips/${ip.id}`)).status, 404)
  })

  test('while it moves it is locked', async () => {
    const world = await open()
    const [a, b] = [await makeServer(world, 'a'), await makeServer(world, 'b')]
    const ip = await makeFloatingIp(world)
    await world.app.engine.stop()
    assert.equal((await world.api.post(`/floating_ips/${ip.id}/actions/assign`, { server: a })).status, 201)
    for (const refused of [
      await world.api.post(`/floating_ips/${ip.id}/actions/assign`, { server: b }),
      await world.api.post(`/floating_ips/${ip.id}/actions/unassign`),
      await world.api.delete(`/floating_ips/${ip.id}`),
    ]) {
      assert.deepEqual([refused.status, refused.body.error.code], [423, 'locked'])
    }
  })

  test('names are unique, and updates change what they name', async () => {
    const world = await open()
    const ip = await makeFloatingIp(world, { name: 'a', labels: { env: 'dev' } })
    await makeFloatingIp(world, { name: 'b' })
    const twin = await world.api.post('/floating_ips', { type: 'ipv4', home_location: 'hel1', name: 'a' })
    assert.deepEqual([twin.status, twin.body.error.details], [409, { fields: [{ name: 'name' }] }])
    assert.equal((await world.api.put(`/floating_ips/${ip.id}`, { name: 'b' })).status, 409)
    const { floating_ip: updated } = (await world.api.put(`/floating_ips/${ip.id}`, { description: 'x', labels: {} }))
      .body
    assert.deepEqual([updated.name, updated.description, updated.labels], ['a', 'x', {}])
    assert.equal((await world.api.get('/floating_ips?label_selector=env')).body.floating_ips.length, 0)
    assert.equal((await world.api.get('/floating_ips?name=b')).body.floating_ips.length, 1)
    assert.equal((await world.api.get('/floating_ips?sort=name')).status, 422)
  })

  test('40 clients draining a pool get each address once, and an empty pool is 412 unavailable', async () => {
    const world = await open({ addressPool: ['198.51.100.0/27'] })
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => world.api.post('/floating_ips', { type: 'ipv4', home_location: 'hel1' })),
    )
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.floating_ip.ip)
    assert.equal(made.length, 30)
    assert.equal(new Set(made).size, 30)
    for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
      assert.deepEqual([status, body.error.code], [412, 'unavailable'])
    }
  })

  test('a released address rests before it is given out again', async () => {
    const world = await open({ addressPool: ['198.51.100.0/30'] })
    const ip = await makeFloatingIp(world)
    await makeFloatingIp(world)
    await world.api.delete(`/floating_ips/${ip.id}`)
    assert.equal((await world.api.post('/floating_ips', { type: 'ipv4', home_location: 'hel1' })).status, 412)
    world.clock.advance(600_000)
    assert.equal((await makeFloatingIp(world)).ip, ip.ip)
  })
})
