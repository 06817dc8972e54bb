import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gate, until } from '../../../../test/kit/database/bare-database.ts'
import { forProjects, type World } from '../../../../test/kit/harness.ts'
import { done } from '../../../../test/kit/proof.ts'
import { expect } from '../../../../test/kit/resources.ts'
import { selfSigned } from '../../../../test/kit/samples/certificates.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import { cloudSubnet, makeNetwork } from '../../networks/proof.ts'
import { makePrimaryIp } from '../../primary-ips/proof.ts'
import { makeServer, command as ofServer, serverOf } from '../../servers/proof.ts'
import { balancerOf, command, makeBalancer, makeCertificate, tcp, toSelector, toServer } from '../proof.ts'

const makeSubnet = (world: World) => makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })

const stateOf = ({ simulation }: World, id: number) => simulation.world.loadBalancers.get(id)!.state

/** The servers that get traffic. */
const serversOf = (world: World, id: number) => stateOf(world, id).targets.map(({ server }) => server)

const targetsOf = async ({ api }: World, id: number) => (await balancerOf(api, id)).targets

/** How often a Load Balancer has followed something. */
async function followed({ db }: World, id: number): Promise<number> {
  const all = acrossProjects(db.query).selectFrom('action').select('input')
  const rows = await all.where('definition', '=', 'load_balancers/update_targets').execute()
  return rows.filter(({ input }) => JSON.parse(input).balancer === id).length
}

forProjects('Load Balancers follow', (open) => {
  test('the labels of servers, and new servers', async () => {
    const world = await open()
    const id = await makeBalancer(world, { services: [tcp(80)], targets: [toSelector('role=web')] })
    const labelled = await makeServer(world, { labels: { role: 'web' } })
    const other = await makeServer(world)
    const matched = async () =>
      (await targetsOf(world, id))[0].targets.map(({ server }: { server: { id: number } }) => server.id)
    assert.deepEqual([await matched(), serversOf(world, id)], [[labelled], [labelled]])
    await done(world.api.put(`/servers/${other}`, { labels: { role: 'web' } }))
    await world.settle()
    assert.deepEqual(
      [await matched(), serversOf(world, id)],
      [
        [labelled, other],
        [labelled, other],
      ],
    )
    await done(world.api.put(`/servers/${labelled}`, { labels: {} }))
    await world.settle()
    assert.deepEqual([await matched(), serversOf(world, id)], [[other], [other]])
    const times = await followed(world, id)
    await done(world.api.put(`/servers/${other}`, { labels: { role: 'web', more: '1' } }))
    assert.equal(await followed(world, id), times, 'what matters to nobody starts nothing')
    const { actions } = await done(world.api.get(`/load_balancers/${id}/actions?sort=id:desc&per_page=1`))
    assert.deepEqual([actions[0].command, actions[0].status], ['update_targets', 'success'])
  })

  test('the deletion of servers, by themselves and by selectors', async () => {
    const world = await open()
    const server = await makeServer(world, { labels: { role: 'web' } })
    const id = await makeBalancer(world, { targets: [toServer(server), toSelector('role=web')] })
    await done(world.api.delete(`/servers/${server}`))
    await world.settle()
    const [selector, ...more] = await targetsOf(world, id)
    assert.deepEqual([selector.targets, more, serversOf(world, id)], [[], [], []])
  })

  test('the deletion of their network, with which targets in it go and others stay', async () => {
    const world = await open()
    const network = await makeSubnet(world)
    const [inside, outside] = [await makeServer(world, { networks: [network] }), await makeServer(world)]
    const targets = [toServer(inside, true), toSelector('a=b', true), toServer(outside)]
    const id = await makeBalancer(world, { network, targets })
    expect(await world.api.delete(`/networks/${network}`), 204)
    await world.settle()
    const { private_net, targets: left } = await balancerOf(world.api, id)
    assert.deepEqual([private_net, left.length, left[0].server.id], [[], 1, outside])
    assert.deepEqual([stateOf(world, id).place, serversOf(world, id)], [null, [outside]])
  })

  test('servers that leave their network, which are no targets there any more', async () => {
    const world = await open()
    const network = await makeSubnet(world)
    const server = await makeServer(world, { networks: [network], labels: { role: 'web' } })
    const id = await makeBalancer(world, { network, targets: [toServer(server, true), toSelector('role=web', true)] })
    assert.deepEqual(serversOf(world, id), [server])
    await done(ofServer(world.api, server, 'detach_from_network', { network }))
    await world.settle()
    const [selector, ...more] = await targetsOf(world, id)
    assert.deepEqual([more, serversOf(world, id)], [[], []])
    // The selector still matches the server, which is reached again as soon as it is back.
    assert.equal(selector.targets.length, 1)
    await done(ofServer(world.api, server, 'attach_to_network', { network }))
    await world.settle()
    assert.deepEqual(serversOf(world, id), [server])
  })

  test('a matched server that gets its IPv4 address later', async () => {
    const world = await open()
    const off = { location: 'hel1', start_after_create: false, public_net: { enable_ipv4: false } }
    const server = await makeServer(world, { ...off, labels: { role: 'web' } })
    const id = await makeBalancer(world, { services: [tcp(80)], targets: [toSelector('role=web')] })
    const [{ targets }] = await targetsOf(world, id)
    assert.deepEqual(targets[0].health_status, [{ listen_port: 80, status: 'unknown' }])
    assert.deepEqual(serversOf(world, id), [])
    await makePrimaryIp(world, { assignee_id: server })
    await world.settle()
    assert.deepEqual(
      stateOf(world, id).targets.map(({ address }) => address),
      [(await serverOf(world.api, server)).public_net.ipv4.ip],
    )
  })

  test('the IPv4 address of a server that is a public target, which cannot be taken away', async () => {
    const world = await open()
    const network = await makeSubnet(world)
    const off = { networks: [network], start_after_create: false }
    const [named, inside] = [await makeServer(world, off), await makeServer(world, off)]
    await makeBalancer(world, { network, targets: [toServer(named), toServer(inside, true)] })
    const unassign = async (server: number) => {
      const { id } = (await serverOf(world.api, server)).public_net.ipv4
      return world.api.post(`/primary_ips/${id}/actions/unassign`)
    }
    expect(await unassign(named), 422, 'server_is_load_balancer_target')
    expect(await unassign(inside), 201)
    const { id } = (await serverOf(world.api, named)).public_net.ipv6
    expect(await world.api.post(`/primary_ips/${id}/actions/unassign`), 201)
  })

  test('a public target whose removal fails, and which keeps its IPv4 address for that', async () => {
    const world = await open({ runActions: false })
    const server = await makeServer(world, { start_after_create: false })
    const id = await makeBalancer(world, { targets: [toServer(server)] })
    const { ipv4 } = (await serverOf(world.api, server)).public_net
    await done(command(world.api, id, 'remove_target', toServer(server)))
    const unassign = () => world.api.post(`/primary_ips/${ipv4.id}/actions/unassign`)
    expect(await unassign(), 422, 'server_is_load_balancer_target')
    await world.settle()
    expect(await unassign(), 201)
  })

  test('nothing that is not about how they reach their targets', async () => {
    const world = await open()
    const [network, other] = [
      await makeSubnet(world),
      await makeNetwork(world, { subnets: [], ip_range: '10.1.0.0/16' }),
    ]
    await done(world.api.post(`/networks/${other}/actions/add_subnet`, cloudSubnet('10.1.1.0/24')))
    await world.settle()
    const server = await makeServer(world, { labels: { role: 'web' }, networks: [network] })
    const publicly = await makeBalancer(world, { targets: [toServer(server), toSelector('role=web')] })
    const inside = await makeBalancer(world, { network, targets: [toServer(server, true)] })
    const before = [await followed(world, publicly), await followed(world, inside)]
    await done(ofServer(world.api, server, 'attach_to_network', { network: other }))
    await world.settle()
    await done(ofServer(world.api, server, 'change_alias_ips', { network: other, alias_ips: ['10.1.1.9'] }))
    await world.settle()
    await done(ofServer(world.api, server, 'detach_from_network', { network: other }))
    await world.settle()
    assert.deepEqual([await followed(world, publicly), await followed(world, inside)], before)
    await done(ofServer(world.api, server, 'detach_from_network', { network }))
    await world.settle()
    assert.deepEqual([await followed(world, publicly), (await targetsOf(world, inside)).length], [before[0], 0])
  })

  test('a server many times while the data plane stands still, with one action under way and one that waits', async () => {
    const world = await open()
    const server = await makeServer(world)
    const id = await makeBalancer(world, { targets: [toSelector('role=web')] })
    const before = await followed(world, id)
    const held = gate()
    const { loadBalancers } = world.simulation.drivers
    const { apply } = loadBalancers
    loadBalancers.apply = (state) => held.pass().then(() => apply(state))
    const label = (role: string) => done(world.api.put(`/servers/${server}`, { labels: { role } }))
    await label('web')
    await until(() => held.arrived === 1)
    for (const role of ['db', 'web', 'db', 'web']) await label(role)
    assert.equal((await followed(world, id)) - before, 2)
    held.open()
    await world.settle()
    assert.deepEqual(serversOf(world, id), [server])
  })

  test('their certificates, in a form that every data plane reads, however they were uploaded', async () => {
    const world = await open()
    const { certificate, private_key } = selfSigned('bent.example')
    const bent = (pem: string) => pem.trimEnd().replaceAll('\n', ' ')
    const body = { name: 'bent', certificate: bent(certificate), private_key: bent(private_key) }
    const made = (await done(world.api.post('/certificates', body))).certificate
    assert.equal(made.certificate, body.certificate, 'it comes back as it was written')
    const services = [{ protocol: 'https', http: { certificates: [made.id] } }]
    const id = await makeBalancer(world, { services })
    const [served] = stateOf(world, id).services[0]!.http!.certificates
    assert.deepEqual([served?.chain, served?.privateKey], [certificate, private_key])
  })

  test('their certificates: one that is issued later is served then', async () => {
    const world = await open()
    const uploaded = await makeCertificate(world)
    const body = { name: 'later', type: 'managed', domain_names: ['later.example'] }
    const { certificate } = await done(world.api.post('/certificates', body))
    const http = { certificates: [certificate.id, uploaded] }
    const id = await makeBalancer(world, { services: [{ protocol: 'https', http }] })
    const served = () => stateOf(world, id).services[0]!.http!.certificates
    const ids = () => served().map((one) => one.id)
    assert.deepEqual(ids(), [uploaded], 'there is no zone for the other one')
    await done(world.api.post('/zones', { name: 'later.example', mode: 'primary' }))
    await done(world.api.post(`/certificates/${certificate.id}/actions/retry`))
    await world.settle()
    assert.deepEqual(ids(), [certificate.id, uploaded])
    const shown = (await done(world.api.get(`/certificates/${certificate.id}`))).certificate
    assert.deepEqual([served()[0]?.chain, shown.used_by], [shown.certificate, [{ id, type: 'load_balancer' }]])
  })
})
