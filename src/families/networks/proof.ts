import assert from 'node:assert/strict'
import {
  keyOf,
  named,
  namedState,
  protects,
  removes,
  renames,
  type State,
  showsNamed,
  showsProtected,
  when,
} from '../../../test/kit/crash.ts'
import type { World } from '../../../test/kit/harness.ts'
import {
  type ActionScenario,
  act,
  agree,
  anyLabels,
  anyName,
  anyProtection,
  anyRename,
  conflict,
  type Draw,
  done,
  type ErrorScenario,
  lacking,
  noBody,
  overLimit,
  type Proof,
  rename,
  type Samples,
  type Snapshot,
  takenName,
  takenTwice,
  unique,
} from '../../../test/kit/proof.ts'
import { builtIn } from '../../catalogue/built-in.ts'
import { openCatalogue } from '../../catalogue/catalogue.ts'
import { createAgain, makeServer, serverBody } from '../servers/proof.ts'
import { isReserved, type Subnet, subnetAround } from './domain.ts'
import type { InterfacesState } from './driver.ts'

/** A catalogue with vSwitches. */
export const vswitchCatalogue = openCatalogue({ ...builtIn, vswitches: [4711, 4712] })

export const cloudSubnet = (ip_range?: string) => ({
  type: 'cloud',
  network_zone: 'eu-central',
  ...(ip_range ? { ip_range } : {}),
})
export const vswitchSubnet = (ip_range?: string, vswitch_id = 4711) => ({
  ...cloudSubnet(ip_range),
  type: 'vswitch',
  vswitch_id,
})

const route = { destination: '10.100.1.0/24', gateway: '10.0.1.1' }
const body = (more: object = {}) => ({ name: unique('network'), ip_range: '10.0.0.0/16', ...more })

/** Creates a network and returns its id. */
export async function makeNetwork({ api }: Pick<World, 'api'>, more: object = {}): Promise<number> {
  return (await done(api.post('/networks', body(more)))).network.id
}

/** A network with a subnet, and a server. */
async function makePlace(world: World): Promise<{ server: number; network: number }> {
  const network = await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })
  return { server: await makeServer(world), network }
}

async function makeMember(world: World): Promise<{ server: number; network: number }> {
  const place = await makePlace(world)
  await done(world.api.post(`/servers/${place.server}/actions/attach_to_network`, { network: place.network }))
  await world.settle()
  return place
}

const prepare: Samples['prepare'] = async (world) => {
  const id = await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')], routes: [route] })
  const { action } = await done(world.api.post(`/networks/${id}/actions/change_protection`, { delete: false }))
  return { id, actionId: action.id }
}

const samples: Samples = {
  prepare,
  requests: {
    create: () => ({ body: body() }),
    update: rename('network'),
    addSubnet: () => ({ body: cloudSubnet() }),
    deleteSubnet: () => ({ body: { ip_range: '10.0.1.0/24' } }),
    addRoute: () => ({ body: { ...route, destination: '10.100.2.0/24' } }),
    deleteRoute: () => ({ body: route }),
    changeIpRange: () => ({ body: { ip_range: '10.0.0.0/8' } }),
    changeProtection: () => ({ body: { delete: true } }),
    async attachToNetwork(world) {
      const { server, network } = await makePlace(world)
      return { target: { id: server }, body: { network } }
    },
    async detachFromNetwork(world) {
      const { server, network } = await makeMember(world)
      return { target: { id: server }, body: { network } }
    },
    async changeAliasIps(world) {
      const { server, network } = await makeMember(world)
      return { target: { id: server }, body: { network, alias_ips: ['10.0.1.9'] } }
    },
  },
}

// ---- Errors --------------------------------------------------------------------------------------------------------

/** Asks for a change while another one is under way. */
const meanwhile = (path: string, change: object): ErrorScenario => {
  return async (stage) => {
    const { id } = await prepare(stage)
    await done(stage.api.post(`/networks/${id}/actions/add_subnet`, cloudSubnet()))
    return path === '' ? stage.api.delete(`/networks/${id}`) : stage.api.post(`/networks/${id}/actions/${path}`, change)
  }
}

/** Asks for a change of a server that an action holds. */
const lockedServer = (path: string, more: object): ErrorScenario => {
  return async (stage) => {
    const { server, network } = await makeMember(stage)
    await done(stage.api.post(`/servers/${server}/actions/poweroff`))
    return stage.api.post(`/servers/${server}/actions/${path}`, { network, ...more })
  }
}

const errors: Proof['errors'] = {
  'networks.create': {
    uniqueness_error: takenTwice('/networks', body),
    resource_limit_exceeded: overLimit('networks', '/networks', body),
    service_error: ({ api }) => api.post('/networks', body({ subnets: [vswitchSubnet('10.0.1.0/24')] })),
    unsupported_error: lacking('vswitches', async () => ['/networks', body({ subnets: [vswitchSubnet()] })]),
    async vswitch_id_already_used({ open }) {
      const { api } = await open({ catalogue: vswitchCatalogue, runActions: false })
      await makeNetwork({ api }, { subnets: [vswitchSubnet()] })
      return api.post('/networks', body({ subnets: [vswitchSubnet()] }))
    },
  },
  'networks.update': {
    uniqueness_error: takenName('networks', prepare),
    conflict: conflict('networks', 'network', prepare),
  },
  'networks.remove': {
    conflict: meanwhile('', {}),
    async protected(stage) {
      const id = await makeNetwork(stage)
      await done(stage.api.post(`/networks/${id}/actions/change_protection`, { delete: true }))
      return stage.api.delete(`/networks/${id}`)
    },
  },
  'networks.addSubnet': {
    conflict: meanwhile('add_subnet', cloudSubnet()),
    async resource_limit_exceeded(stage) {
      const id = await makeNetwork(stage, { subnets: Array.from({ length: 50 }, () => cloudSubnet()) })
      return stage.api.post(`/networks/${id}/actions/add_subnet`, cloudSubnet())
    },
    service_error: async (stage) =>
      stage.api.post(`/networks/${await makeNetwork(stage)}/actions/add_subnet`, vswitchSubnet()),
    unsupported_error: lacking('vswitches', async (world) => [
      `/networks/${await makeNetwork(world)}/actions/add_subnet`,
      vswitchSubnet(),
    ]),
    async vswitch_id_already_used({ open }) {
      const { api } = await open({ catalogue: vswitchCatalogue, runActions: false })
      const id = await makeNetwork({ api }, { subnets: [vswitchSubnet()] })
      return api.post(`/networks/${id}/actions/add_subnet`, vswitchSubnet())
    },
  },
  'networks.deleteSubnet': {
    conflict: meanwhile('delete_subnet', { ip_range: '10.0.1.0/24' }),
    async service_error(stage) {
      const { network } = await makeMember(stage)
      return stage.api.post(`/networks/${network}/actions/delete_subnet`, { ip_range: '10.0.1.0/24' })
    },
  },
  'networks.addRoute': {
    conflict: meanwhile('add_route', { ...route, destination: '10.100.2.0/24' }),
    async resource_limit_exceeded(stage) {
      const routes = Array.from({ length: 100 }, (_, i) => ({ ...route, destination: `10.100.${i}.0/24` }))
      const id = await makeNetwork(stage, { routes })
      return stage.api.post(`/networks/${id}/actions/add_route`, { ...route, destination: '10.101.0.0/24' })
    },
  },
  'networks.deleteRoute': { conflict: meanwhile('delete_route', route) },
  'networks.attachToNetwork': {
    locked: lockedServer('attach_to_network', {}),
    async resource_limit_exceeded({ open }) {
      const world = await open({ limits: { network_members: 0 } })
      const { server, network } = await makePlace(world)
      return world.api.post(`/servers/${server}/actions/attach_to_network`, { network })
    },
    async server_already_attached(stage) {
      const { server, network } = await makeMember(stage)
      return stage.api.post(`/servers/${server}/actions/attach_to_network`, { network })
    },
    async networks_overlap(stage) {
      const { server } = await makeMember(stage)
      const network = await makeNetwork(stage, { subnets: [cloudSubnet()] })
      return stage.api.post(`/servers/${server}/actions/attach_to_network`, { network })
    },
    async no_subnet_available(stage) {
      const server = await makeServer(stage)
      const network = await makeNetwork(stage)
      return stage.api.post(`/servers/${server}/actions/attach_to_network`, { network })
    },
    async ip_not_available(stage) {
      const { server, network } = await makePlace(stage)
      return stage.api.post(`/servers/${server}/actions/attach_to_network`, { network, ip: '10.0.1.255' })
    },
  },
  'networks.detachFromNetwork': {
    locked: lockedServer('detach_from_network', {}),
    async service_error(stage) {
      const { server, network } = await makePlace(stage)
      return stage.api.post(`/servers/${server}/actions/detach_from_network`, { network })
    },
  },
  'networks.changeAliasIps': {
    locked: lockedServer('change_alias_ips', { alias_ips: [] }),
    async service_error(stage) {
      const { server, network } = await makePlace(stage)
      return stage.api.post(`/servers/${server}/actions/change_alias_ips`, { network, alias_ips: [] })
    },
    async ip_not_available(stage) {
      const { server, network } = await makeMember(stage)
      return stage.api.post(`/servers/${server}/actions/change_alias_ips`, { network, alias_ips: ['10.0.1.1'] })
    },
  },
  'servers.create': {
    async no_subnet_available(stage) {
      return stage.api.post('/servers', serverBody(unique('server'), { networks: [await makeNetwork(stage)] }))
    },
    async networks_overlap(stage) {
      const networks = [1, 2].map(() => makeNetwork(stage, { subnets: [cloudSubnet()] }))
      return stage.api.post('/servers', serverBody(unique('server'), { networks: await Promise.all(networks) }))
    },
  },
  'networks.changeIpRange': { conflict: meanwhile('change_ip_range', { ip_range: '10.0.0.0/8' }) },
}

// ---- Actions -------------------------------------------------------------------------------------------------------

const onNetwork = (path: string, change: object): ActionScenario => {
  return async (world) => {
    const { id } = await prepare(world)
    return act((api) => api.post(`/networks/${id}/actions/${path}`, change))
  }
}

const actions: Proof['actions'] = {
  'networks/add_subnet': onNetwork('add_subnet', cloudSubnet('10.0.2.0/24')),
  'networks/delete_subnet': onNetwork('delete_subnet', { ip_range: '10.0.1.0/24' }),
  'networks/add_route': onNetwork('add_route', { ...route, destination: '10.100.2.0/24' }),
  'networks/delete_route': onNetwork('delete_route', route),
  'networks/change_ip_range': onNetwork('change_ip_range', { ip_range: '10.0.0.0/8' }),
  async 'networks/attach_to_network'(world) {
    const { server, network } = await makePlace(world)
    return act((api) => api.post(`/servers/${server}/actions/attach_to_network`, { network }))
  },
  async 'networks/detach_from_network'(world) {
    const { server, network } = await makeMember(world)
    return act((api) => api.post(`/servers/${server}/actions/detach_from_network`, { network }))
  },
  async 'networks/change_alias_ips'(world) {
    const { server, network } = await makeMember(world)
    return act((api) => api.post(`/servers/${server}/actions/change_alias_ips`, { network, alias_ips: ['10.0.1.9'] }))
  },
  'servers/create_server in a network': async (world) =>
    createAgain(world, { networks: [await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })] }),
  'networks/change_protection': onNetwork('change_protection', { delete: true }),
}

// ---- What must add up ----------------------------------------------------------------------------------------------

const consistency: Proof['consistency'] = {
  resources: 'network',
  belongs: [
    ['network_vswitch', 'network_id', 'network'],
    ['network_attachment', 'network_id', 'network'],
    ['network_attachment', 'server_id', 'server'],
    ['network_interfaces', 'id', 'server'],
  ],
  async rows(found) {
    const coupled = (await found.all('network_vswitch')).map((row) => `${row.id} in ${row.network_id}`)
    const wanted: string[] = []
    for (const { id, former, subnets } of await found.all('network')) {
      assert.equal(former, null, `I10: network ${id} remembers what it cannot go back to`)
      for (const { vswitchId } of JSON.parse(subnets)) if (vswitchId !== null) wanted.push(`${vswitchId} in ${id}`)
    }
    for (const { id, status, former_alias_ips: former } of await found.all('network_attachment')) {
      assert.deepEqual([status, former], ['ok', null], `attachment ${id} is at rest`)
    }
    assert.deepEqual(coupled.sort(), wanted.sort(), 'vSwitches are coupled with the networks that name them')
    await checkAddresses(found)
  },
  /** Networks whose newest state is confirmed are out there as they are wanted, and no others. */
  async world(found, { simulation }) {
    const { networks, interfaces } = simulation.world
    await checkInterfaces(found, interfaces)
    const states = new Map((await found.all('network_state')).map((row) => [row.id, row]))
    for (const id of networks.keys()) assert.ok(states.has(id), `I10: network ${id} is out there without an owner`)
    for (const { id, ip_range, subnets, routes } of await found.all('network')) {
      const wanted = states.get(id)
      assert.ok(wanted, `something is desired of network ${id}`)
      if (wanted.generation_in_force < wanted.generation) continue
      const known = networks.get(id)
      const ranges = (list: readonly { ipRange: string }[] = []) => list.map(({ ipRange }) => ipRange)
      assert.deepEqual(
        [known?.ipRange, ranges(known?.subnets), known?.routes],
        [ip_range, ranges(JSON.parse(subnets)), JSON.parse(routes)],
        `network ${id} is what it should be`,
      )
    }
  },
  shown: (api) =>
    agree(
      api,
      ['servers', ({ private_net }) => private_net.map(({ network }: { network: number }) => network)],
      ['networks', ({ servers }) => servers],
    ),
}

/** Nobody in a network has the address of another one or of its gateway, and each is in a subnet. */
async function checkAddresses(found: Snapshot): Promise<void> {
  const members = Map.groupBy(await found.all('network_attachment'), (row) => row.network_id)
  for (const { id, ip_range, subnets } of await found.all('network')) {
    const network = { ipRange: ip_range, subnets: JSON.parse(subnets) as Subnet[] }
    const addresses = (members.get(id) ?? []).flatMap((row) => [row.ip, ...(JSON.parse(row.alias_ips) as string[])])
    assert.deepEqual(addresses, [...new Set(addresses)], `I4: an address of network ${id} is given once`)
    for (const address of addresses) {
      const subnet = subnetAround(network.subnets, address)
      assert.ok(subnet && !isReserved(network, subnet, address), `${address} is there for servers in network ${id}`)
    }
  }
}

/** Servers have out there the addresses that they have in networks. */
async function checkInterfaces(found: Snapshot, sets: ReadonlyMap<number, InterfacesState>): Promise<void> {
  const attachments = await found.all('network_attachment')
  const desired = await found.all('network_interfaces')
  const known = new Set<number>(desired.map(({ id }) => id))
  for (const id of sets.keys()) assert.ok(known.has(id), `I10: interfaces of no server ${id}`)
  for (const { id, generation, generation_in_force: inForce } of desired) {
    if (inForce < generation) continue
    const wanted = attachments.filter((row) => row.server_id === id)
    assert.deepEqual(
      sets.get(id)?.interfaces.map(({ networkId, ip, aliasIps }) => [networkId, ip, JSON.stringify(aliasIps)]),
      wanted.map((row) => [row.network_id, row.ip, row.alias_ips]),
      `the private interfaces of server ${id}`,
    )
  }
}

const references: Proof['references'] = {
  'servers.create networks': { family: 'networks', body: (id) => serverBody(unique('server'), { networks: [id] }) },
  'networks.attachToNetwork network': { family: 'networks', body: (network) => ({ network }) },
  'networks.detachFromNetwork network': { family: 'networks', body: (network) => ({ network }) },
  'networks.changeAliasIps network': { family: 'networks', body: (network) => ({ network, alias_ips: [] }) },
}

// ---- Random requests -----------------------------------------------------------------------------------------------

const ranges = ['10.0.0.0/16', '10.1.0.0/16', '10.0.0.0/8']
/** Small ones, so that their addresses run out. */
const subnets = ['10.0.1.0/29', '10.0.2.0/29', '10.1.1.0/29'].map(cloudSubnet)
const routes = [route, { destination: '10.100.2.0/24', gateway: '10.0.2.2' }]
const hosts = ['10.0.1.2', '10.0.1.3', '10.0.1.4', '10.0.2.2', '10.0.2.3', '10.1.1.2']

const anyAddresses = ({ oneOf }: Draw) =>
  oneOf<object>([{}, {}, { ip: oneOf(hosts) }, { alias_ips: [oneOf(hosts)] }, { ip_range: oneOf(subnets).ip_range }])

const anyNetwork = async ({ any }: Draw) => (await any('networks')).id

const traffic: Proof['traffic'] = {
  kind: 'network',
  requests: {
    'POST /networks': (draw) => {
      const topology = draw.oneOf<object>([
        {},
        { subnets: [draw.oneOf(subnets)] },
        { subnets: [subnets[0]] },
        { subnets: subnets.slice(0, 2) },
      ])
      return { name: anyName('n', draw), labels: anyLabels(draw), ip_range: draw.oneOf(ranges), ...topology }
    },
    'PUT /networks/{networks}': anyRename('n'),
    'DELETE /networks/{networks}': noBody,
    'POST /networks/{networks}/actions/add_subnet': ({ oneOf }) => oneOf(subnets),
    'POST /networks/{networks}/actions/delete_subnet': ({ oneOf }) => ({ ip_range: oneOf(subnets).ip_range }),
    'POST /networks/{networks}/actions/add_route': ({ oneOf }) => oneOf(routes),
    'POST /networks/{networks}/actions/delete_route': ({ oneOf }) => oneOf(routes),
    'POST /networks/{networks}/actions/change_ip_range': ({ oneOf }) => ({ ip_range: oneOf(ranges) }),
    'POST /networks/{networks}/actions/change_protection': anyProtection,
    'POST /servers/{servers}/actions/attach_to_network': async (draw) => ({
      network: await anyNetwork(draw),
      ...anyAddresses(draw),
    }),
    'POST /servers/{servers}/actions/detach_from_network': async (draw) => ({ network: await anyNetwork(draw) }),
    'POST /servers/{servers}/actions/change_alias_ips': async (draw) => ({
      network: await anyNetwork(draw),
      alias_ips: draw.oneOf([[], [draw.oneOf(hosts)], hosts.slice(0, 2)]),
    }),
  },
  adds: { 'POST /servers': async (draw) => ({ networks: [await anyNetwork(draw)] }) },
}

// ---- Writes under kill -9 ------------------------------------------------------------------------------------------

const wideRanges = ['10.0.0.0/16', '10.0.0.0/12', '10.0.0.0/8']
const wider = ({ range }: State) => wideRanges[wideRanges.indexOf(range!) + 1]
const isMember = ({ network }: State) => Boolean(network)
/** What a server shows of the network that it is in. */
const showsMember = (network: string, aliases: readonly string[]) => [network, ...aliases].join(':')
const networkIn = ({ network }: State) => Number(network!.split(/[/:]/)[1])

const crash: Proof['crash'] = {
  shows: {
    networks: (network) => ({
      ...showsNamed(network),
      range: network.ip_range,
      subnets: network.subnets.map((subnet: { ip_range: string }) => subnet.ip_range).join(' '),
      routes: network.routes.map((one: typeof route) => one.destination).join(' '),
      ...showsProtected(network),
    }),
    servers({ private_net: [own] }) {
      return { network: own ? showsMember(keyOf('networks', own.network), own.alias_ips) : '' }
    },
  },
  writes: {
    'POST /networks': (draw) => ({
      body: { ...named(draw), ip_range: '10.0.0.0/16', subnets: [cloudSubnet('10.0.1.0/24')], routes: [route] },
      makes: {
        ...namedState(draw),
        range: '10.0.0.0/16',
        subnets: '10.0.1.0/24',
        routes: route.destination,
        protected: 'no',
      },
    }),
    'PUT /networks/{networks}': renames,
    'DELETE /networks/{networks}': removes,
    'POST /networks/{networks}/actions/add_subnet': when(
      ({ subnets }) => subnets === '10.0.1.0/24',
      () => ({ body: cloudSubnet('10.0.2.0/24'), to: { subnets: '10.0.1.0/24 10.0.2.0/24' } }),
    ),
    'POST /networks/{networks}/actions/delete_subnet': when(
      ({ subnets }) => subnets !== '10.0.1.0/24',
      () => ({ body: { ip_range: '10.0.2.0/24' }, to: { subnets: '10.0.1.0/24' } }),
    ),
    'POST /networks/{networks}/actions/add_route': when(
      ({ routes }) => routes === '',
      () => ({ body: route, to: { routes: route.destination } }),
    ),
    'POST /networks/{networks}/actions/delete_route': when(
      ({ routes }) => routes !== '',
      () => ({ body: route, to: { routes: '' } }),
    ),
    'POST /networks/{networks}/actions/change_ip_range': (_, { state }) => {
      const range = wider(state)
      return range === undefined ? undefined : { body: { ip_range: range }, to: { range } }
    },
    'POST /networks/{networks}/actions/change_protection': protects,
    'POST /servers/{servers}/actions/attach_to_network': when(
      (state) => !isMember(state),
      ({ any }) => {
        const { id, key } = any('networks')
        return { body: { network: id }, to: { network: key } }
      },
    ),
    'POST /servers/{servers}/actions/detach_from_network': when(isMember, (_, { state }) => ({
      body: { network: networkIn(state) },
      to: { network: '' },
      // It is in the network until it was taken out.
      later: 'all',
    })),
    'POST /servers/{servers}/actions/change_alias_ips': when(isMember, ({ number }, { state }) => {
      const network = networkIn(state)
      const aliases = [`10.0.1.${100 + (number % 150)}`]
      return { body: { network, alias_ips: aliases }, to: { network: showsMember(`networks/${network}`, aliases) } }
    }),
  },
}

export const proof: Proof = { samples, references, errors, actions, consistency, traffic, crash }
