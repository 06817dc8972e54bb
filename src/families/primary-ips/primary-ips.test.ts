import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, forProjects, testClock, type World } from '../../../test/kit/harness.ts'
import { serverBody } from '../servers/proof.ts'
import { makePrimaryIp, makeStopped } from './proof.ts'

const code = ({ status, body }: Answer) => (body?.error ? `${status} ${body.error.code}` : status)
const show = async ({ api }: World, id: number) => (await api.get(`/primary_ips/${id}`)).body.primary_ip
const to = (server: number) => ({ assignee_id: server, assignee_type: 'server' })

/** The addresses that a server has in the infrastructure. */
function addressesOf({ simulation }: World, server: number) {
  const { ipv4, ipv6 } = simulation.world.servers.get(server)!.state
  return [ipv4, ipv6]
}

async function act({ api, settle }: World, id: number, name: string, body?: object): Promise<Answer> {
  const answer = await api.post(`/primary_ips/${id}/actions/${name}`, body)
  await settle()
  return answer
}

forProjects('Primary IPs', (open) => {
  test('an unassigned one has no action and a default reverse name', async () => {
    const { api } = await open()
    const asked = { name: 'web', type: 'ipv4', location: 'hel1', assignee_type: 'server', labels: { env: 'dev' } }
    const { status, body } = await api.post('/primary_ips', asked)
    const { primary_ip: ip, action } = body
    assert.deepEqual([status, action, ip.name, ip.type, ip.location.name], [201, null, 'web', 'ipv4', 'hel1'])
    assert.deepEqual([ip.assignee_id, ip.assignee_type, ip.auto_delete], [null, 'unassigned', false])
    assert.deepEqual([ip.blocked, ip.labels, ip.protection], [false, { env: 'dev' }, { delete: false }])
    const reversed = ip.ip.split('.').reverse().join('.')
    assert.deepEqual(ip.dns_ptr, [{ ip: ip.ip, dns_ptr: `static.${reversed}.clients.wolke.example` }])
    assert.equal('datacenter' in ip, false)
  })

  test('with a server it takes its location, and the server gets the address', async () => {
    const world = await open()
    const server = await makeStopped(world)
    const { body } = await world.api.post('/primary_ips', { name: 'a', type: 'ipv4', assignee_id: server })
    const { primary_ip: ip, action } = body
    assert.deepEqual([ip.assignee_id, ip.assignee_type, ip.location.name], [server, 'server', 'hel1'])
    assert.deepEqual([action.command, action.status], ['assign_primary_ip', 'running'])
    assert.deepEqual(action.resources, [
      { id: server, type: 'server' },
      { id: ip.id, type: 'primary_ip' },
    ])
    await world.settle()
    assert.equal(addressesOf(world, server)[0], ip.ip)
    const { public_net: net } = (await world.api.get(`/servers/${server}`)).body.server
    assert.deepEqual([net.ipv4.id, net.ipv4.ip], [ip.id, ip.ip])
  })

  test('older clients repeat its id in the bodies of its actions', async () => {
    const world = await open()
    const server = await makeStopped(world)
    const id = await makePrimaryIp(world, { location: 'hel1' })
    const { ip } = await show(world, id)
    // What they repeat is ignored, whatever it is.
    for (const [name, body] of [
      ['assign', to(server)],
      ['change_dns_ptr', { ip, dns_ptr: 'www.example.com' }],
      ['change_protection', { delete: true }],
    ] as const) {
      assert.equal(code(await act(world, id, name, { ...body, ID: id + 1 })), 201, name)
    }
    const { assignee_id, dns_ptr, protection } = await show(world, id)
    assert.deepEqual(
      [assignee_id, dns_ptr, protection],
      [server, [{ ip, dns_ptr: 'www.example.com' }], { delete: true }],
    )
    assert.equal(code(await act(world, id, 'change_protection', { id })), '422 invalid_input')
  })

  test('it needs exactly one of assignee_id and location, by what the Project and the catalogue have', async () => {
    const world = await open()
    const server = await makeStopped(world)
    const refused: [object, string[]][] = [
      [{}, ['assignee_id', 'location']],
      [{ assignee_id: server, location: 'hel1' }, ['assignee_id', 'location']],
      [{ location: 'abc' }, ['location']],
      [{ assignee_id: server + 1 }, ['assignee_id']],
      [{ datacenter: 'hel1-dc2' }, ['datacenter']],
      [{ location: 'hel1', assignee_type: 'load_balancer' }, ['assignee_type']],
    ]
    for (const [given, fields] of refused) {
      const { status, body } = await world.api.post('/primary_ips', { name: 'a', type: 'ipv4', ...given })
      const found = body.error.details.fields.map(({ name }: { name: string }) => name)
      assert.deepEqual([status, found], [422, fields])
    }
    const foreign = await world.foreign.post('/primary_ips', { name: 'a', type: 'ipv4', assignee_id: server })
    assert.equal(code(foreign), '422 invalid_input')
  })

  test('those that a server got at its creation are like any other', async () => {
    const world = await open()
    const server = await makeStopped(world, { public_net: {} })
    const { primary_ips: ips } = (await world.api.get('/primary_ips')).body
    assert.deepEqual(
      ips.map((ip: Record<string, unknown>) => [ip.name, ip.type, ip.assignee_id, ip.auto_delete]),
      ips.map(({ id }: { id: number }, i: number) => [`primary_ip-${id}`, ['ipv4', 'ipv6'][i], server, true]),
    )
    assert.equal(code(await act(world, ips[0].id, 'unassign')), 201)
    assert.deepEqual(addressesOf(world, server), [null, ips[1].ip])
    assert.equal((await show(world, ips[0].id)).assignee_id, null)
  })

  test('it moves between servers that are off', async () => {
    const world = await open()
    const [a, b] = [await makeStopped(world), await makeStopped(world)]
    const id = await makePrimaryIp(world, { assignee_id: a })
    const { ip } = await show(world, id)
    assert.equal(code(await act(world, id, 'assign', to(b))), '422 primary_ip_already_assigned')
    assert.equal((await act(world, id, 'unassign')).body.action.command, 'unassign_primary_ip')
    assert.deepEqual([addressesOf(world, a)[0], (await show(world, id)).assignee_type], [null, 'unassigned'])
    assert.equal((await act(world, id, 'assign', to(b))).body.action.command, 'assign_primary_ip')
    assert.deepEqual([addressesOf(world, b)[0], (await show(world, id)).assignee_id], [ip, b])
    await world.api.post(`/servers/${b}/actions/poweron`)
    await world.settle()
    assert.equal(code(await act(world, id, 'unassign')), '422 server_not_stopped')
    assert.equal(code(await act(world, id, 'assign', to(4_711))), '404 not_found')
  })

  test('while it is assigned, neither it nor its server changes otherwise', async () => {
    const world = await open({ runActions: false })
    const server = await makeStopped(world)
    const id = await makePrimaryIp(world)
    assert.equal(code(await world.api.post(`/primary_ips/${id}/actions/assign`, to(server))), 201)
    for (const refused of [
      await world.api.post(`/primary_ips/${id}/actions/unassign`),
      await world.api.post(`/servers/${server}/actions/poweron`),
      await world.api.post('/primary_ips', { name: 'b', type: 'ipv4', assignee_id: server }),
      await world.api.delete(`/servers/${server}`),
    ]) {
      assert.equal(code(refused), '423 locked')
    }
  })

  test('a failed assignment leaves it unassigned, a failed unassignment where it was', async () => {
    const world = await open({ alone: true })
    const server = await makeStopped(world)
    const id = await makePrimaryIp(world)
    const failOnce = () => {
      let refusals = 1
      world.simulation.behave(() => (refusals-- > 0 ? 'error after effect' : undefined))
    }
    const { ip } = await show(world, id)
    failOnce()
    await act(world, id, 'assign', to(server))
    assert.deepEqual([(await show(world, id)).assignee_id, addressesOf(world, server)[0]], [null, null])
    assert.equal(code(await act(world, id, 'assign', to(server))), 201)
    failOnce()
    await act(world, id, 'unassign')
    assert.deepEqual([(await show(world, id)).assignee_id, addressesOf(world, server)[0]], [server, ip])
  })

  test('only an unassigned one is deleted; before May 2026 deletion unassigned it', async () => {
    const world = await open({ clock: testClock('2026-04-30T00:00:00Z') })
    const server = await makeStopped(world)
    const make = () => makePrimaryIp(world, to(server))
    assert.equal(code(await world.api.delete(`/primary_ips/${await make()}`)), 204)
    await world.settle()
    assert.equal(addressesOf(world, server)[0], null)
    world.clock.set('2026-05-01T00:00:00Z')
    const id = await make()
    assert.equal(code(await world.api.delete(`/primary_ips/${id}`)), '422 must_be_unassigned')
    await act(world, id, 'unassign')
    assert.equal(code(await world.api.delete(`/primary_ips/${id}`)), 204)
  })

  test('a server takes those with auto_delete with it; the others stay, unassigned', async () => {
    const world = await open()
    const server = await makeStopped(world)
    const id = await makePrimaryIp(world, { assignee_id: server, labels: { keep: 'yes' } })
    const { primary_ips: ips } = (await world.api.get('/primary_ips?sort=id:desc')).body
    const { ipv6 } = (await world.api.get(`/servers/${server}`)).body.server.public_net
    await world.api.put(`/primary_ips/${ipv6.id}`, { labels: { gone: 'yes' } })
    assert.equal(ips.length, 2)
    await world.api.delete(`/servers/${server}`)
    await world.settle()
    const left = (await world.api.get('/primary_ips')).body.primary_ips
    assert.deepEqual(
      left.map((ip: Record<string, unknown>) => [ip.id, ip.assignee_id]),
      [[id, null]],
    )
  })

  test('one is either protected or deleted with its server', async () => {
    const world = await open()
    const id = await makePrimaryIp(world)
    assert.equal(code(await act(world, id, 'change_protection', { delete: true })), 201)
    assert.equal(code(await world.api.put(`/primary_ips/${id}`, { auto_delete: true })), '422 invalid_input')
    const refused = await world.api.delete(`/primary_ips/${id}`)
    assert.deepEqual([code(refused), refused.body.error.message], ['423 protected', 'Primary IP deletion is protected'])
    await act(world, id, 'change_protection', { delete: false })
    assert.equal(code(await world.api.put(`/primary_ips/${id}`, { auto_delete: true })), 200)
    assert.equal(code(await act(world, id, 'change_protection', { delete: true })), '422 invalid_input')
    assert.equal(code(await world.api.delete(`/primary_ips/${id}`)), 204)
  })

  test('updates change what they name, and names are unique', async () => {
    const world = await open()
    const [a, b] = [await makePrimaryIp(world, { location: 'hel1', name: 'a' }), await makePrimaryIp(world)]
    const { body } = await world.api.put(`/primary_ips/${b}`, { auto_delete: true, labels: { x: 'y' } })
    const { name, auto_delete, labels } = body.primary_ip
    assert.deepEqual([auto_delete, labels], [true, { x: 'y' }])
    assert.equal(code(await world.api.put(`/primary_ips/${b}`, { name: 'a' })), '409 uniqueness_error')
    assert.equal((await world.api.put(`/primary_ips/${b}`, {})).body.primary_ip.name, name)
    assert.equal((await world.api.put(`/primary_ips/${a}`, { name: 'c' })).body.primary_ip.name, 'c')
  })

  test('they are found by address, name and labels', async () => {
    const world = await open()
    const a = await makePrimaryIp(world, { location: 'hel1', name: 'a', labels: { env: 'dev' } })
    await makePrimaryIp(world, { location: 'nbg1', name: 'b' })
    const { ip } = await show(world, a)
    for (const query of [`ip=${ip}`, 'name=a', 'label_selector=env', 'sort=id&per_page=1']) {
      const { primary_ips: found } = (await world.api.get(`/primary_ips?${query}`)).body
      assert.deepEqual(
        found.map(({ id }: { id: number }) => id),
        [a],
        query,
      )
    }
    assert.equal((await world.api.get('/primary_ips?ip=192.0.2.255')).body.primary_ips.length, 0)
    const network = await makePrimaryIp(world, { location: 'hel1', name: 'c', type: 'ipv6' })
    const [address = ''] = (await show(world, network)).ip.split('/')
    for (const spelling of [address, `${address}/64`, address.toUpperCase(), address.replace('::', ':0:0:0:0')]) {
      const { primary_ips: found } = (await world.api.get(`/primary_ips?ip=${spelling}`)).body
      assert.deepEqual(
        found.map(({ id }: { id: number }) => id),
        [network],
        spelling,
      )
    }
    for (const none of [`${address}1`, `${address}/63`, 'nonsense']) {
      assert.deepEqual((await world.api.get(`/primary_ips?ip=${none}`)).body.primary_ips, [], none)
    }
    assert.equal((await world.api.get('/primary_ips?sort=name')).status, 422)
  })

  test('reverse names follow the rules of their kind of address', async () => {
    const world = await open()
    const [v4, v6] = [await makePrimaryIp(world), await makePrimaryIp(world, { type: 'ipv6', location: 'hel1' })]
    const { ip, dns_ptr: byDefault } = await show(world, v4)
    const changed = await act(world, v4, 'change_dns_ptr', { ip, dns_ptr: 'www.example.com' })
    assert.deepEqual([changed.body.action.command, changed.body.action.status], ['change_dns_ptr', 'success'])
    assert.deepEqual((await show(world, v4)).dns_ptr, [{ ip, dns_ptr: 'www.example.com' }])
    await act(world, v4, 'change_dns_ptr', { ip, dns_ptr: null })
    assert.deepEqual((await show(world, v4)).dns_ptr, byDefault)
    const one = `${(await show(world, v6)).ip.replace('::/64', '')}::1`
    await act(world, v6, 'change_dns_ptr', { ip: one, dns_ptr: 'one.example.com' })
    assert.deepEqual((await show(world, v6)).dns_ptr, [{ ip: one, dns_ptr: 'one.example.com' }])
    for (const body of [{ ip }, { ip: '192.0.2.250', dns_ptr: null }, { ip, dns_ptr: 'x.example.com.' }]) {
      assert.equal(code(await act(world, v4, 'change_dns_ptr', body)), '422 invalid_input')
    }
  })

  test('a new server takes the addresses that it is given, and only the others are made', async () => {
    const world = await open()
    const id = await makePrimaryIp(world)
    const { ip } = await show(world, id)
    const server = await makeStopped(world, { public_net: { ipv4: id, ipv6: null } })
    const { public_net: net } = (await world.api.get(`/servers/${server}`)).body.server
    assert.deepEqual([net.ipv4.id, net.ipv4.ip], [id, ip])
    assert.deepEqual(addressesOf(world, server), [ip, net.ipv6.ip])
    assert.equal((await world.api.get('/primary_ips')).body.primary_ips.length, 2)
    await world.api.delete(`/servers/${server}`)
    await world.settle()
    assert.equal((await show(world, id)).assignee_id, null)
    assert.equal(code(await world.api.get(`/primary_ips/${net.ipv6.id}`)), '404 not_found')
  })

  test('a new server takes only what is free, of the type, in its location, and wanted', async () => {
    const world = await open()
    const make = async (public_net: object) =>
      code(await world.api.post('/servers', serverBody('refused', { location: 'hel1', public_net })))
    const [id, elsewhere] = [await makePrimaryIp(world), await makePrimaryIp(world, { location: 'nbg1' })]
    assert.equal(await make({ ipv6: id }), '412 primary_ip_version_mismatch')
    assert.equal(await make({ ipv4: elsewhere }), '422 primary_ip_datacenter_mismatch')
    assert.equal(await make({ ipv4: 4_711 }), '422 invalid_input')
    assert.equal(await make({ ipv4: id, enable_ipv4: false }), '422 invalid_input')
    const server = await makeStopped(world, { public_net: { ipv4: id } })
    assert.equal(await make({ ipv4: id }), '422 primary_ip_assigned')
    await world.app.engine.stop()
    assert.equal(code(await world.api.post(`/primary_ips/${id}/actions/unassign`)), 201)
    assert.equal(await make({ ipv4: id }), '423 locked', 'while it is being unassigned')
    assert.equal((await world.api.get('/servers')).body.servers.length, 1)
    assert.ok(server)
  })

  test('a new server without a location goes where the addresses or volumes are that it is given', async () => {
    const world = await open({ alone: true })
    const ip = await makePrimaryIp(world, { location: 'nbg1' })
    const volume = { name: 'data', size: 10, location: 'fsn1' }
    const { volume: data } = (await world.api.post('/volumes', volume)).body
    await world.settle()
    const placed = async (name: string, options: object) =>
      (await world.api.post('/servers', serverBody(name, options))).body.server.location.name
    assert.equal(await placed('one', { public_net: { ipv4: ip } }), 'nbg1')
    assert.equal(await placed('two', { volumes: [data.id] }), 'fsn1')
    const torn = { public_net: { ipv4: await makePrimaryIp(world) }, location: 'fsn1' }
    assert.equal(
      code(await world.api.post('/servers', serverBody('three', torn))),
      '422 primary_ip_datacenter_mismatch',
    )
  })

  test('a server that cannot be made gives back what it was given, and what was made for it is gone', async () => {
    const world = await open({ alone: true, runActions: false })
    const id = await makePrimaryIp(world, { location: 'hel1', auto_delete: true })
    world.simulation.behave(({ driver }) => (driver === 'servers' ? 'error before effect' : undefined))
    const { server } = (await world.api.post('/servers', serverBody('failed', { public_net: { ipv4: id } }))).body
    assert.equal(server.public_net.ipv4.id, id)
    await world.settle()
    assert.equal(code(await world.api.get(`/servers/${server.id}`)), '404 not_found')
    assert.deepEqual(
      (await world.api.get('/primary_ips')).body.primary_ips.map((ip: { id: number }) => ip.id),
      [id],
    )
    assert.equal((await show(world, id)).assignee_type, 'unassigned')
  })

  test('two new servers that want the same address: one of them gets it', async () => {
    const world = await open()
    const id = await makePrimaryIp(world)
    const body = (name: string) => serverBody(name, { location: 'hel1', public_net: { ipv4: id } })
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => world.api.post('/servers', body(name))))
    assert.deepEqual(answers.map(code).sort(), [201, '422 primary_ip_assigned', '422 primary_ip_assigned'])
    await world.settle()
  })

  test('what a new server brings counts against the limit', async () => {
    const world = await open({ limits: { primary_ips: 3 } })
    const id = await makePrimaryIp(world)
    const make = async (public_net: object) =>
      world.api.post('/servers', serverBody(`s${Object.keys(public_net).length}`, { location: 'hel1', public_net }))
    assert.equal(code(await make({ enable_ipv4: true })), 201)
    const refused = await make({ enable_ipv6: false })
    assert.equal(code(refused), '403 resource_limit_exceeded')
    assert.equal(refused.body.error.message, 'Primary IP limit exceeded: a Project cannot have more than 3 Primary IPs')
    assert.equal(code(await make({ ipv4: id, enable_ipv6: false })), 201)
    await world.settle()
  })

  test('a server changes the reverse names of its addresses', async () => {
    const world = await open()
    const server = await makeStopped(world, { public_net: {} })
    const shown = async () => (await world.api.get(`/servers/${server}`)).body.server.public_net
    const { ipv4, ipv6 } = await shown()
    const rename = (body: object) => world.api.post(`/servers/${server}/actions/change_dns_ptr`, body)
    const one = `${ipv6.ip.replace('::/64', '')}::1`
    const { action } = (await rename({ ip: ipv4.ip, dns_ptr: 'www.example.com' })).body
    assert.deepEqual(
      [action.command, action.status, action.resources],
      ['change_dns_ptr', 'success', [{ id: server, type: 'server' }]],
    )
    assert.equal(code(await rename({ ip: one, dns_ptr: 'one.example.com' })), 201)
    const { ipv4: changed, ipv6: network } = await shown()
    assert.deepEqual([changed.dns_ptr, network.dns_ptr], ['www.example.com', [{ ip: one, dns_ptr: 'one.example.com' }]])
    await rename({ ip: ipv4.ip, dns_ptr: null })
    assert.equal((await shown()).ipv4.dns_ptr, ipv4.dns_ptr)
    for (const body of [{ ip: '192.0.2.250', dns_ptr: null }, { ip: 'x:y', dns_ptr: null }, { ip: ipv4.ip }]) {
      assert.equal(code(await rename(body)), '422 invalid_input')
    }
    const bare = await makeStopped(world, { public_net: { enable_ipv4: false, enable_ipv6: false } })
    const refused = await world.api.post(`/servers/${bare}/actions/change_dns_ptr`, { ip: ipv4.ip, dns_ptr: null })
    assert.equal(code(refused), '422 invalid_input')
  })

  test('rivals for one server: one of them gets it', async () => {
    const world = await open({ alone: true })
    const server = await makeStopped(world)
    const ids = await Promise.all(Array.from({ length: 4 }, () => makePrimaryIp(world)))
    const answers = await Promise.all(ids.map((id) => world.api.post(`/primary_ips/${id}/actions/assign`, to(server))))
    assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    await world.settle()
    const left = (await world.api.get('/primary_ips')).body.primary_ips
    const holders = left.filter((ip: Record<string, unknown>) => ip.type === 'ipv4' && ip.assignee_id === server)
    assert.equal(holders.length, 1)
  })
})
