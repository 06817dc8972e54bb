import assert from 'node:assert/strict'
import type { World } from '../../../test/harness.ts'
import {
  type ActionScenario,
  act,
  conflict,
  done,
  type ErrorScenario,
  overLimit,
  type Proof,
  rename,
  type Samples,
  takenName,
  takenTwice,
  unique,
} from '../../../test/proof.ts'
import { builtIn } from '../../catalogue/built-in.ts'
import { openCatalogue } from '../../catalogue/catalogue.ts'

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

const errors: Proof['errors'] = {
  'networks.create': {
    uniqueness_error: takenTwice('/networks', body),
    resource_limit_exceeded: overLimit('networks', '/networks', body),
    service_error: ({ api }) => api.post('/networks', body({ subnets: [vswitchSubnet('10.0.1.0/24')] })),
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
    async vswitch_id_already_used({ open }) {
      const { api } = await open({ catalogue: vswitchCatalogue, runActions: false })
      const id = await makeNetwork({ api }, { subnets: [vswitchSubnet()] })
      return api.post(`/networks/${id}/actions/add_subnet`, vswitchSubnet())
    },
  },
  'networks.deleteSubnet': { conflict: meanwhile('delete_subnet', { ip_range: '10.0.1.0/24' }) },
  'networks.addRoute': {
    conflict: meanwhile('add_route', { ...route, destination: '10.100.2.0/24' }),
    async resource_limit_exceeded(stage) {
      const routes = Array.from({ length: 100 }, (_, i) => ({ ...route, destination: `10.100.${i}.0/24` }))
      const id = await makeNetwork(stage, { routes })
      return stage.api.post(`/networks/${id}/actions/add_route`, { ...route, destination: '10.101.0.0/24' })
    },
  },
  'networks.deleteRoute': { conflict: meanwhile('delete_route', route) },
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
  'networks/change_protection': onNetwork('change_protection', { delete: true }),
}

// ---- What must add up ----------------------------------------------------------------------------------------------

const consistency: Proof['consistency'] = {
  resources: 'network',
  belongs: [['network_vswitch', 'network_id', 'network']],
  async rows(found) {
    const coupled = (await found.all('network_vswitch')).map((row) => `${row.id} in ${row.network_id}`)
    const wanted: string[] = []
    for (const { id, former, subnets } of await found.all('network')) {
      assert.equal(former, null, `I10: network ${id} remembers what it cannot go back to`)
      for (const { vswitchId } of JSON.parse(subnets)) if (vswitchId !== null) wanted.push(`${vswitchId} in ${id}`)
    }
    assert.deepEqual(coupled.sort(), wanted.sort(), 'vSwitches are coupled with the networks that name them')
  },
  /** Networks whose newest state is confirmed are out there as they are wanted, and no others. */
  async world(found, { simulation }) {
    const { networks } = simulation.world
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
}

export const proof: Proof = { samples, errors, actions, consistency }
