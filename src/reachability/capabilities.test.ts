import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forProjects, type World } from '../../test/kit/harness.ts'
import { expect } from '../../test/kit/resources.ts'
import { everything } from '../catalogue/capabilities.ts'
import { cloudSubnet, vswitchCatalogue, vswitchSubnet } from '../families/networks/proof.ts'

const helsinki = 3
const nothing = {
  rescue: false,
  iso: false,
  block_volumes: false,
  console: false,
  load_balancers: false,
  vswitches: false,
}

const doorsOfNobody = {
  isConfined: true,
  known: () => new Map(),
  forget: async () => undefined,
  noteKeys: () => undefined,
}

const capabilitiesOf = ({ api, baseUrl }: World, location: number) =>
  api.get(`${baseUrl.replace(/\/v1$/, '/wolke/v1')}/locations/${location}/capabilities`)

forProjects('what a location can do', (open) => {
  test('is told of each one by itself', async () => {
    const world = await open({ capabilities: (location) => (location === helsinki ? nothing : everything) })
    const toldOf = async (location: number) => {
      const { storage_boxes: _, ...others } = expect(await capabilitiesOf(world, location), 200).body.capabilities
      return others
    }
    assert.deepEqual(await toldOf(helsinki), { location: helsinki, ...nothing })
    assert.deepEqual(await toldOf(1), { location: 1, ...everything })
    expect(await capabilitiesOf(world, 99), 404, 'not_found')
  })

  test('includes how files of Storage Boxes are kept, and where their doors are', async () => {
    const told = async (world: World) => expect(await capabilitiesOf(world, 1), 200).body.capabilities.storage_boxes
    const none = { ssh: null, webdav: null, confined: null }
    const without = await open()
    assert.deepEqual(await told(without), { ...none, files: false, store: null })
    const opened = { ssh: '192.0.2.1:23', webdav: null }
    const { storageBoxes } = without.simulation.drivers
    const doors = { ...doorsOfNobody, opened }
    const world = await open({ drivers: { storageBoxes: Object.create(storageBoxes, { doors: { value: doors } }) } })
    assert.deepEqual(await told(world), { ...opened, confined: true, files: false, store: null })
  })

  test('is all that is taken there, and a refusal leaves nothing behind', async () => {
    const world = await open({ capabilities: (location) => (location === helsinki ? nothing : everything) })
    const { api } = world
    const body = { name: 'web', server_type: 'cpx22', image: 'debian-12', location: 'hel1' }
    const { server } = expect(await api.post('/servers', body), 201).body
    await world.settle()
    for (const [command, of] of [
      ['enable_rescue', {}],
      ['attach_iso', { iso: 8637 }],
      ['request_console', undefined],
    ] as const) {
      expect(await api.post(`/servers/${server.id}/actions/${command}`, of), 422, 'unsupported_error')
    }
    const shown = expect(await api.get(`/servers/${server.id}`), 200).body.server
    assert.deepEqual([shown.iso, shown.rescue_enabled, shown.locked], [null, false, false])
    const volume = { name: 'data', size: 10, location: 'hel1' }
    expect(await api.post('/volumes', volume), 422, 'unsupported_error')
    expect(await api.post('/volumes', { ...volume, location: undefined, server: server.id }), 422, 'unsupported_error')
    expect(await api.post('/volumes', { ...volume, format: 'ext4' }), 201)
    expect(await api.post('/volumes', { ...volume, name: 'raw', location: 'fsn1' }), 201)
    const balancer = { name: 'lb', load_balancer_type: 'lb11', location: 'hel1' }
    expect(await api.post('/load_balancers', balancer), 422, 'unsupported_error')
    assert.equal(expect(await api.get('/load_balancers'), 200).body.load_balancers.length, 0)
  })

  test('does not include images of servers that other hosts have', async () => {
    const infrastructureOf = (location: number) => (location === helsinki ? 'rack1' : 'rack2')
    const { api, settle } = await open({ infrastructureOf })
    const body = { name: 'web', server_type: 'cpx22', image: 'debian-12', location: 'hel1' }
    const { server } = expect(await api.post('/servers', body), 201).body
    await settle()
    const { image } = expect(await api.post(`/servers/${server.id}/actions/create_image`, {}), 201).body
    await settle()
    const from = (location: string) => api.post('/servers', { ...body, name: location, image: image.id, location })
    const refusal = expect(await from('fsn1'), 422, 'invalid_input').body.error
    assert.equal(refusal.details.fields[0].name, 'image')
    expect(await from('hel1'), 201)
    const { server: other } = expect(await api.post('/servers', { ...body, name: 'nbg', location: 'nbg1' }), 201).body
    await settle()
    const rebuild = (id: number) => api.post(`/servers/${id}/actions/rebuild`, { image: image.id })
    expect(await rebuild(other.id), 422, 'invalid_input')
    expect(await rebuild(server.id), 201)
  })

  test('lets a zone have vSwitches when one of its locations has them', async () => {
    const made = { name: 'net', ip_range: '10.0.0.0/16', subnets: [vswitchSubnet()] }
    const able = await open({ catalogue: vswitchCatalogue, capabilities: (id) => (id === 1 ? everything : nothing) })
    expect(await able.api.post('/networks', made), 201)
    const { api } = await open({ catalogue: vswitchCatalogue, capabilities: () => nothing })
    expect(await api.post('/networks', made), 422, 'unsupported_error')
    assert.deepEqual(expect(await api.get('/networks'), 200).body.networks, [])
    const { network } = expect(await api.post('/networks', { ...made, subnets: [] }), 201).body
    const add = `/networks/${network.id}/actions/add_subnet`
    expect(await api.post(add, vswitchSubnet()), 422, 'unsupported_error')
    expect(await api.post(add, { ...vswitchSubnet(), vswitch_id: null }), 422, 'invalid_input')
    assert.deepEqual(expect(await api.get(`/networks/${network.id}`), 200).body.network.subnets, [])
    expect(await api.post(add, cloudSubnet()), 201)
  })

  test('does not stop a network that has a vSwitch already from getting other subnets', async () => {
    let capabilities = everything
    const { api, settle } = await open({ catalogue: vswitchCatalogue, capabilities: () => capabilities })
    const made = { name: 'net', ip_range: '10.0.0.0/16', subnets: [vswitchSubnet()] }
    const { network } = expect(await api.post('/networks', made), 201).body
    await settle()
    capabilities = nothing
    const add = `/networks/${network.id}/actions/add_subnet`
    expect(await api.post(add, cloudSubnet()), 201)
    await settle()
    expect(await api.post(add, vswitchSubnet(undefined, 4712)), 422, 'unsupported_error')
  })

  test('decides where in a zone a Load Balancer comes to be', async () => {
    const world = await open({ capabilities: (location) => (location === 1 ? nothing : everything) })
    const body = { name: 'lb', load_balancer_type: 'lb11', network_zone: 'eu-central' }
    const { load_balancer: balancer } = expect(await world.api.post('/load_balancers', body), 201).body
    assert.equal(balancer.location.id, 2)
  })
})
