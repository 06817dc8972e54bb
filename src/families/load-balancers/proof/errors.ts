import { testClock } from '../../../../test/kit/harness.ts'
import {
  conflict,
  done,
  type ErrorScenario,
  type ErrorScenarios,
  lacking,
  overLimit,
  type Stage,
  takenName,
  takenTwice,
  unique,
} from '../../../../test/kit/proof.ts'
import { cloudSubnet, makeNetwork, vswitchCatalogue, vswitchSubnet } from '../../networks/proof.ts'
import { makeServer, privateOnly } from '../../servers/proof.ts'
import {
  balancerBody,
  command,
  makeBalancer,
  makeCertificate,
  makeInside,
  makeSubnet,
  prepare,
  tcp,
  toIp,
  toSelector,
  toServer,
} from './samples.ts'

/** Asks for a change while another one is under way. */
const meanwhile = (path: string, body?: unknown): ErrorScenario => {
  return async (stage) => {
    const { id } = await prepare(stage)
    await done(command(stage.api, id, 'change_algorithm', { type: 'least_connections' }))
    return path === '' ? stage.api.delete(`/load_balancers/${id}`) : command(stage.api, id, path, body)
  }
}

/** Asks a Load Balancer, made with `more`, for something. */
const on = (path: string, body: object, more?: object): ErrorScenario => {
  return async (stage) => command(stage.api, await makeBalancer(stage, more), path, body)
}

/** Refusals of targets, as requests for a Load Balancer with `more` and with the target. */
type Refused = (stage: Stage) => Promise<{ readonly more?: object; readonly target: object }>

const refusedTargets = {
  target_already_defined: async () => ({
    more: { targets: [toSelector('a=b')] },
    target: toSelector('a==b'),
  }),
  load_balancer_not_attached_to_network: async () => ({ target: toSelector('a=b', true) }),
  load_balancer_public_interface_disabled: async (stage) => ({
    more: { network: await makeSubnet(stage), public_interface: false },
    target: toSelector('a=b'),
  }),
  server_not_attached_to_network: async (stage) => ({
    more: { network: await makeSubnet(stage) },
    target: toServer(await makeServer(stage), true),
  }),
  missing_ipv4: async (stage) => ({ target: toServer(await makeServer(stage, privateOnly)) }),
  cloud_resource_ip_not_allowed: async () => ({ target: toIp('192.0.2.77') }),
  ip_not_owned: async () => ({ target: toIp('198.18.0.9') }),
  network_has_no_vswitch_subnet: async (stage) => ({
    more: { network: await makeSubnet(stage) },
    target: toIp('10.0.1.77'),
  }),
} as const satisfies Record<string, Refused>

/** The same refusals when a Load Balancer is created, and when it is there. */
const atCreation = (refused: Refused): ErrorScenario => {
  return async (stage) => {
    const { more = {}, target } = await refused(stage)
    const others = (more as { targets?: object[] }).targets ?? []
    return stage.api.post('/load_balancers', balancerBody({ ...more, targets: [...others, target] }))
  }
}
const whenThere = (refused: Refused): ErrorScenario => {
  return async (stage) => {
    const { more, target } = await refused(stage)
    return command(stage.api, await makeBalancer(stage, more), 'add_target', target)
  }
}

function refusals(how: (refused: Refused) => ErrorScenario): Record<keyof typeof refusedTargets, ErrorScenario> {
  return Object.fromEntries(Object.entries(refusedTargets).map(([code, refused]) => [code, how(refused)])) as never
}

/** A target behind a vSwitch that does not reach it. */
const beyondVswitch = (how: (refused: Refused) => ErrorScenario): ErrorScenario => {
  return async (stage) => {
    const world = await stage.open({ catalogue: vswitchCatalogue })
    const network = await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24'), vswitchSubnet('10.0.2.0/24')] })
    return how(async () => ({ more: { network }, target: toIp('10.0.1.77') }))({ ...stage, ...world })
  }
}

async function primaryIp({ api }: Stage, more: object = {}): Promise<number> {
  const body = { name: unique('ip'), type: 'ipv4', location: 'fsn1', ...more }
  return (await done(api.post('/primary_ips', body))).primary_ip.id
}

/** Creates a Load Balancer with an IPv4 address of its own choice. */
const withAddress = (find: (stage: Stage) => Promise<number>): ErrorScenario => {
  return async (stage) => stage.api.post('/load_balancers', balancerBody({ public_net: { ipv4: await find(stage) } }))
}

async function heldAddress(stage: Stage): Promise<number> {
  const id = await primaryIp(stage)
  await makeBalancer(stage, { public_net: { ipv4: id } })
  return id
}

const creationErrors: ErrorScenarios[string] = {
  ...refusals(atCreation),
  ip_not_in_vswitch_subnet: beyondVswitch(atCreation),
  uniqueness_error: takenTwice('/load_balancers', () => balancerBody()),
  resource_limit_exceeded: overLimit('load_balancers', '/load_balancers', () => balancerBody()),
  not_found: withAddress(async () => 4_000_000_000_000_000),
  async locked(stage) {
    const server = await makeServer(stage, { ...privateOnly, start_after_create: false })
    const id = await primaryIp(stage)
    await done(stage.api.post(`/primary_ips/${id}/actions/assign`, { assignee_id: server, assignee_type: 'server' }))
    return withAddress(async () => id)(stage)
  },
  async resource_unavailable({ open }) {
    const { api } = await open({ addressPool: ['192.0.2.1/32', '2001:db8::/64'], runActions: false })
    await done(api.post('/load_balancers', balancerBody()))
    return api.post('/load_balancers', balancerBody())
  },
  primary_ip_version_mismatch: withAddress((stage) => primaryIp(stage, { type: 'ipv6' })),
  primary_ip_assigned: withAddress(heldAddress),
  primary_ip_location_mismatch: withAddress((stage) => primaryIp(stage, { location: 'ash' })),
  source_port_already_used: async ({ api }) =>
    api.post('/load_balancers', balancerBody({ services: [tcp(25), tcp(25)] })),
  async no_subnet_available(stage) {
    return stage.api.post('/load_balancers', balancerBody({ network: await makeNetwork(stage) }))
  },
  unsupported_error: lacking('load_balancers', async () => ['/load_balancers', balancerBody()]),
}

const fiveServices = { services: [1, 2, 3, 4, 5].map(tcp) }

export const errors: ErrorScenarios = {
  'load_balancers.create': creationErrors,
  'load_balancers.update': {
    uniqueness_error: takenName('load_balancers', prepare),
    conflict: conflict('load_balancers', 'load_balancer', prepare),
  },
  'load_balancers.remove': {
    conflict: meanwhile(''),
    async protected(stage) {
      const id = await makeBalancer(stage)
      await done(command(stage.api, id, 'change_protection', { delete: true }))
      return stage.api.delete(`/load_balancers/${id}`)
    },
  },
  'load_balancers.changeAlgorithm': { conflict: meanwhile('change_algorithm', { type: 'round_robin' }) },
  'load_balancers.changeType': {
    conflict: meanwhile('change_type', { load_balancer_type: 'lb21' }),
    async invalid_load_balancer_type(stage) {
      const services = [...fiveServices.services, tcp(6)]
      const id = await makeBalancer(stage, { load_balancer_type: 'lb21', services })
      return command(stage.api, id, 'change_type', { load_balancer_type: 'lb11' })
    },
  },
  'load_balancers.enablePublicInterface': { conflict: meanwhile('enable_public_interface') },
  'load_balancers.disablePublicInterface': {
    conflict: meanwhile('disable_public_interface'),
    load_balancer_not_attached_to_network: on('disable_public_interface', {}),
    async targets_without_use_private_ip(stage) {
      const { id } = await makeInside(stage, { targets: [toSelector('a=b')] })
      return command(stage.api, id, 'disable_public_interface')
    },
  },
  'load_balancers.addService': {
    conflict: meanwhile('add_service', tcp(26)),
    resource_limit_exceeded: on('add_service', tcp(6), fiveServices),
    source_port_already_used: on('add_service', tcp(5), fiveServices),
  },
  'load_balancers.updateService': {
    conflict: meanwhile('update_service', { listen_port: 25, destination_port: 26 }),
    async resource_limit_exceeded(stage) {
      const certificates: number[] = []
      for (let i = 0; i < 11; i++) certificates.push(await makeCertificate(stage))
      const http = { certificates: certificates.slice(0, 1) }
      const id = await makeBalancer(stage, { services: [{ protocol: 'https', http }] })
      return command(stage.api, id, 'update_service', { listen_port: 443, http: { certificates } })
    },
    async source_port_already_used(stage) {
      const http = { certificates: [await makeCertificate(stage)] }
      const id = await makeBalancer(stage, { services: [{ protocol: 'https', http }, tcp(80)] })
      return command(stage.api, id, 'update_service', { listen_port: 443, http: { redirect_http: true } })
    },
  },
  'load_balancers.deleteService': { conflict: meanwhile('delete_service', { listen_port: 25 }) },
  'load_balancers.addTarget': {
    ...refusals(whenThere),
    ip_not_in_vswitch_subnet: beyondVswitch(whenThere),
    conflict: meanwhile('add_target', toSelector('a=b')),
    resource_limit_exceeded: on('add_target', toSelector('a=z'), {
      targets: Array.from({ length: 25 }, (_, index) => toSelector(`a=b${index}`)),
    }),
  },
  'load_balancers.removeTarget': {
    conflict: meanwhile('remove_target', toSelector('a=b')),
    load_balancer_target_not_found: on('remove_target', toSelector('a=b')),
  },
  'load_balancers.attachToNetwork': {
    async conflict(stage) {
      return meanwhile('attach_to_network', { network: await makeSubnet(stage) })(stage)
    },
    async resource_limit_exceeded({ open, ...stage }) {
      const world = await open({ limits: { network_members: 0 } })
      return on('attach_to_network', { network: await makeSubnet(world) })({ ...stage, open, ...world })
    },
    async load_balancer_already_attached(stage) {
      const { id } = await makeInside(stage)
      return command(stage.api, id, 'attach_to_network', { network: await makeSubnet(stage) })
    },
    no_subnet_available: async (stage) => on('attach_to_network', { network: await makeNetwork(stage) })(stage),
    ip_not_available: async (stage) =>
      on('attach_to_network', { network: await makeSubnet(stage), ip: '10.0.9.9' })(stage),
  },
  'load_balancers.detachFromNetwork': {
    async conflict(stage) {
      return meanwhile('detach_from_network', { network: await makeSubnet(stage) })(stage)
    },
  },
  'primary_ips.remove': {
    // Before May 2026 an assigned one was unassigned on the way.
    async server_is_load_balancer_target({ open }) {
      const world = await open({ clock: testClock('2026-04-30T00:00:00Z') })
      const id = await makeServer(world, { start_after_create: false })
      await makeBalancer(world, { targets: [toServer(id)] })
      const { public_net } = (await done(world.api.get(`/servers/${id}`))).server
      return world.api.delete(`/primary_ips/${public_net.ipv4.id}`)
    },
  },
  'primary_ips.unassign': {
    async server_is_load_balancer_target(stage) {
      const id = await makeServer(stage, { start_after_create: false })
      await makeBalancer(stage, { targets: [toServer(id)] })
      const { public_net } = (await done(stage.api.get(`/servers/${id}`))).server
      return stage.api.post(`/primary_ips/${public_net.ipv4.id}/actions/unassign`)
    },
    unsupported_error: async (stage) => stage.api.post(`/primary_ips/${await heldAddress(stage)}/actions/unassign`),
  },
}
