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
  yesOrNo,
} from '../../../test/kit/crash.ts'
import { type Answer, type Client, testClock, type World } from '../../../test/kit/harness.ts'
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
  type RandomBody,
  rename,
  type Samples,
  type Shown,
  type Snapshot,
  type Stage,
  takenName,
  takenTwice,
  unique,
} from '../../../test/kit/proof.ts'
import { assertNames } from '../../../test/kit/refusals.ts'
import { expect } from '../../../test/kit/resources.ts'
import { selfSigned } from '../../../test/kit/samples/certificates.ts'
import { actionRows, type SpecRows } from '../../../test/walks/spec/rows.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import { cloudSubnet, makeNetwork, vswitchCatalogue, vswitchSubnet } from '../networks/proof.ts'
import { createAgain, makeServer, privateOnly } from '../servers/proof.ts'
import { addressIn } from './domain.ts'
import { certificatesOf } from './services/domain.ts'

/** The body of a request for a Load Balancer. */
export const balancerBody = (more: object = {}) => {
  return { name: unique('balancer'), load_balancer_type: 'lb11', location: 'fsn1', ...more }
}

export const toServer = (id: number, usesPrivateIp = false) => {
  return { type: 'server', server: { id }, use_private_ip: usesPrivateIp }
}
export const toSelector = (selector: string, usesPrivateIp = false) => {
  return { type: 'label_selector', label_selector: { selector }, use_private_ip: usesPrivateIp }
}
export const toIp = (ip: string) => ({ type: 'ip', ip: { ip } })

export const tcp = (listen_port: number) => ({ protocol: 'tcp', listen_port, destination_port: 80 })

/** Creates a Load Balancer and returns its id, at rest. */
export async function makeBalancer({ api, settle }: World, more?: object): Promise<number> {
  const { load_balancer } = await done(api.post('/load_balancers', balancerBody(more)))
  await settle()
  return load_balancer.id
}

/** A Load Balancer as it is shown. */
export async function balancerOf(api: Client, id: number): Promise<Answer['body']> {
  return (await done(api.get(`/load_balancers/${id}`))).load_balancer
}

/** Asks for an action of a Load Balancer. */
export function command(api: Client, id: number, action: string, body?: unknown): Promise<Answer> {
  return api.post(`/load_balancers/${id}/actions/${action}`, body)
}

const makeSubnet = (world: World) => makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })

async function makeInside(world: World, more: object = {}): Promise<{ id: number; network: number }> {
  const network = await makeSubnet(world)
  return { id: await makeBalancer(world, { network, ...more }), network }
}

export async function makeCertificate({ api }: Pick<World, 'api'>): Promise<number> {
  const pair = selfSigned('www.example.com')
  return (await done(api.post('/certificates', { name: unique('certificate'), ...pair }))).certificate.id
}

const prepare: Samples['prepare'] = async ({ api, settle }) => {
  const { load_balancer, action } = await done(api.post('/load_balancers', balancerBody({ services: [tcp(25)] })))
  await settle()
  return { id: load_balancer.id, actionId: action.id }
}

const measured = 'type=bandwidth&start=2026-11-21T00:00:00Z&end=2026-11-21T01:00:00Z'

const samples: Samples = {
  prepare,
  requests: {
    create: () => ({ body: balancerBody() }),
    update: rename('balancer'),
    changeAlgorithm: () => ({ body: { type: 'least_connections' } }),
    changeType: () => ({ body: { load_balancer_type: 'lb21' } }),
    changeProtection: () => ({ body: { delete: true } }),
    async disablePublicInterface(world) {
      return { target: { id: (await makeInside(world)).id } }
    },
    addService: () => ({ body: tcp(26) }),
    updateService: () => ({ body: { listen_port: 25, destination_port: 26 } }),
    deleteService: () => ({ body: { listen_port: 25 } }),
    addTarget: () => ({ body: toSelector('sample=added') }),
    async removeTarget(world) {
      const target = toSelector('sample=removed')
      return { target: { id: await makeBalancer(world, { targets: [target] }) }, body: target }
    },
    attachToNetwork: async (world) => ({ body: { network: await makeSubnet(world) } }),
    async detachFromNetwork(world) {
      const { id, network } = await makeInside(world)
      return { target: { id }, body: { network } }
    },
    async changeDnsPtr({ api }, { id }) {
      const { ip } = (await balancerOf(api, id)).public_net.ipv4
      return { body: { ip, dns_ptr: 'balancer.example.com' } }
    },
    metrics: () => ({ query: measured }),
  },
}

// ---- Errors --------------------------------------------------------------------------------------------------------

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

const creationErrors: NonNullable<Proof['errors']>[string] = {
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

const errors: Proof['errors'] = {
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
    load_balancer_not_attached_to_network: async (stage) =>
      on('detach_from_network', { network: await makeSubnet(stage) })(stage),
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

// ---- Actions -------------------------------------------------------------------------------------------------------

/** An action of a Load Balancer that is made with `more`. */
const action = (path: string, body?: object, more?: object): ActionScenario => {
  return async (world) => {
    const id = await makeBalancer(world, more)
    return act((api) => command(api, id, path, body))
  }
}

/** The actions of a command that a request started beside its own, by what their input names. */
async function startedBeside({ db }: World, definition: string, balancer: number) {
  const all = acrossProjects(db.query).selectFrom('action').select(['id', 'input']).where('definition', '=', definition)
  const rows = (await all.orderBy('id').execute()).filter(({ input }) => JSON.parse(input).balancer === balancer)
  return rows.slice(-1).map(({ id }) => ({ id, subjects: [balancer] }))
}

const actions: Proof['actions'] = {
  async 'load_balancers/create_load_balancer'(world) {
    const body = balancerBody({ network: await makeSubnet(world), services: [tcp(25)], targets: [toSelector('a=b')] })
    return act(async (api) => {
      for (const { id } of (await done(api.get(`/load_balancers?name=${body.name}`))).load_balancers) {
        await done(api.delete(`/load_balancers/${id}`))
        await world.settle()
      }
      return api.post('/load_balancers', body)
    })
  },
  async 'load_balancers/delete_load_balancer'(world) {
    let next: number | undefined = await makeBalancer(world, { services: [tcp(25)] })
    // One that the data plane kept is deleted all the same: the next time takes another one.
    return act(async (api) => {
      const id = next ?? (await makeBalancer(world))
      next = undefined
      return api.delete(`/load_balancers/${id}`)
    })
  },
  'load_balancers/add_service': action('add_service', tcp(25)),
  'load_balancers/update_service': action(
    'update_service',
    { listen_port: 25, destination_port: 26 },
    { services: [tcp(25)] },
  ),
  'load_balancers/delete_service': action('delete_service', { listen_port: 25 }, { services: [tcp(25)] }),
  async 'load_balancers/add_target'(world) {
    const target = toServer(await makeServer(world))
    return action('add_target', target, { services: [tcp(25)] })(world)
  },
  async 'load_balancers/remove_target'(world) {
    const target = toServer(await makeServer(world))
    return action('remove_target', target, { services: [tcp(25)], targets: [target] })(world)
  },
  'load_balancers/attach_to_network': async (world) =>
    action('attach_to_network', { network: await makeSubnet(world) })(world),
  async 'load_balancers/detach_from_network'(world) {
    const { id, network } = await makeInside(world, { targets: [toSelector('a=b', true)] })
    return act((api) => command(api, id, 'detach_from_network', { network }))
  },
  'load_balancers/change_algorithm': action('change_algorithm', { type: 'least_connections' }),
  'load_balancers/change_load_balancer_type': action('change_type', { load_balancer_type: 'lb21' }),
  'load_balancers/enable_public_interface': action('enable_public_interface'),
  async 'load_balancers/disable_public_interface'(world) {
    const { id } = await makeInside(world)
    return act((api) => command(api, id, 'disable_public_interface'))
  },
  async 'load_balancers/update_targets'(world) {
    // Of its own, so that no other Load Balancer follows.
    const follow = unique('follow')
    const balancer = await makeBalancer(world, { services: [tcp(25)], targets: [toSelector(`follow=${follow}`)] })
    const server = await makeServer(world, { labels: { follow } })
    let isLabelled = true
    return {
      async act(api) {
        isLabelled = !isLabelled
        await done(api.put(`/servers/${server}`, { labels: isLabelled ? { follow } : {} }))
        return startedBeside(world, 'load_balancers/update_targets', balancer)
      },
    }
  },
  async 'load_balancers/change_dns_ptr'(world) {
    const id = await makeBalancer(world)
    const { ip } = (await balancerOf(world.api, id)).public_net.ipv4
    return act((api) => command(api, id, 'change_dns_ptr', { ip, dns_ptr: 'balancer.example.com' }))
  },
  'load_balancers/change_protection': action('change_protection', { delete: true }),
  async 'servers/create_server behind a Load Balancer'(world) {
    const created = unique('created')
    await makeBalancer(world, { services: [tcp(25)], targets: [toSelector(`created=${created}`)] })
    return createAgain(world, { labels: { created } })
  },
  async 'servers/delete_server behind a Load Balancer'(world) {
    const id = await makeServer(world)
    await makeBalancer(world, { services: [tcp(25)], targets: [toServer(id)] })
    return act((api) => api.delete(`/servers/${id}`))
  },
}

// ---- What must add up ----------------------------------------------------------------------------------------------

const consistency: Proof['consistency'] = {
  resources: 'load_balancer',
  belongs: [
    ['load_balancer_target', 'load_balancer_id', 'load_balancer'],
    ['load_balancer_target', 'server_id', 'server'],
    ['load_balancer_match', 'target_id', 'load_balancer_target'],
    ['load_balancer_match', 'server_id', 'server'],
    ['load_balancer_place', 'id', 'load_balancer'],
    ['load_balancer_place', 'network_id', 'network'],
    ['primary_ip', 'load_balancer_id', 'load_balancer'],
  ],
  async rows(found) {
    for (const { id, former } of await found.all('load_balancer')) {
      assert.equal(former, null, `I10: Load Balancer ${id} remembers what it cannot go back to`)
    }
    for (const table of ['load_balancer_target', 'load_balancer_place'] as const) {
      for (const { id, status } of await found.all(table)) assert.equal(status, 'ok', `${table} ${id} is at rest`)
    }
    await checkAddresses(found)
    await checkCertificates(found)
  },
  /** Load Balancers whose newest state is confirmed are out there as they are wanted, and no others. */
  async world(found, { simulation: { world } }) {
    const states = new Map((await found.all('load_balancer_state')).map((row) => [row.id, row]))
    for (const id of world.loadBalancers.keys()) {
      assert.ok(states.has(id), `I10: Load Balancer ${id} is out there without an owner`)
    }
    const targets = Map.groupBy(await found.all('load_balancer_target'), (row) => row.load_balancer_id)
    const matches = Map.groupBy(await found.all('load_balancer_match'), (row) => row.load_balancer_id)
    for (const row of await found.all('load_balancer')) {
      const wanted = states.get(row.id)
      assert.ok(wanted, `something is desired of Load Balancer ${row.id}`)
      if (wanted.generation_in_force < wanted.generation) continue
      const state = world.loadBalancers.get(row.id)?.state
      const ports = JSON.parse(row.services).map((service: { listenPort: number }) => service.listenPort)
      assert.deepEqual(
        [state?.services.map(({ listenPort }) => listenPort), state?.algorithm, state?.publicAddresses],
        [ports, row.algorithm, row.public_enabled ? [row.ipv4, addressIn(row.ipv6)] : []],
        `Load Balancer ${row.id} is what it should be`,
      )
      const servers = [...(targets.get(row.id) ?? []), ...(matches.get(row.id) ?? [])].map(({ server_id: id }) => id)
      for (const { server } of state?.targets ?? []) {
        assert.ok(server === null || servers.includes(server), `Load Balancer ${row.id} has no target ${server}`)
      }
    }
  },
  async shown(api) {
    const directly = ({ targets }: Shown) =>
      targets.filter(({ type }: Shown) => type === 'server').map(({ server }: Shown) => server.id)
    await agree(api, ['servers', ({ load_balancers: ids }) => ids], ['load_balancers', directly])
    const networksOf = ({ private_net }: Shown) => private_net.map(({ network }: Shown) => network)
    await agree(api, ['networks', ({ load_balancers: ids }) => ids], ['load_balancers', networksOf])
  },
}

/** I4: own addresses are those that the pool says, the others those of Primary IPs. */
async function checkAddresses(found: Snapshot): Promise<void> {
  const balancers = await found.all('load_balancer')
  const claims = (await found.all('address')).filter(({ owner }) => owner?.startsWith('load_balancer:'))
  const own = balancers.flatMap(({ id, project_id, ipv4, ipv6, ipv4_primary, ipv6_primary }) => [
    ...(ipv4_primary === null ? [`${ipv4} load_balancer:${id} ${project_id}`] : []),
    ...(ipv6_primary === null ? [`${ipv6} load_balancer:${id} ${project_id}`] : []),
  ])
  const claimed = claims.map(({ ip, owner, project_id }) => `${ip} ${owner} ${project_id}`)
  assert.deepEqual(claimed.sort(), own.sort(), 'I4: the owner of an address has it, and nobody else')
  const held = (await found.all('primary_ip')).filter((row) => row.load_balancer_id !== null)
  const wanted = balancers.flatMap((row) =>
    [row.ipv4_primary, row.ipv6_primary].flatMap((id) => (id === null ? [] : [`${id} of ${row.id}`])),
  )
  assert.deepEqual(held.map((row) => `${row.id} of ${row.load_balancer_id}`).sort(), wanted.sort())
}

/** Certificates are used by those who have a service with them. */
async function checkCertificates(found: Snapshot): Promise<void> {
  const balancers = await found.all('load_balancer')
  const wanted = balancers.flatMap(({ id, services }) =>
    certificatesOf(JSON.parse(services)).map((certificate) => `${certificate} by ${id}`),
  )
  const known = new Set<number>(balancers.map(({ id }) => id))
  const uses = (await found.all('certificate_use')).filter(({ resource_id: id }) => known.has(id))
  const told = uses.map((row) => `${row.certificate_id} by ${row.resource_id}`)
  assert.deepEqual(told.sort(), wanted.sort(), 'uses of certificates')
}

// ---- Random requests -----------------------------------------------------------------------------------------------

const anyPort = ({ oneOf }: Draw) => oneOf([80, 443, 8080])

const anyTarget: RandomBody = async (draw) => {
  const isPrivate = draw.number(2) === 0
  if (draw.number(2) === 0) return toServer((await draw.any('servers')).id, isPrivate)
  return toSelector(draw.oneOf(['env=dev', 'tier', 'env in (dev,prod)']), isPrivate)
}

const anyService = async (draw: Draw): Promise<object> => {
  const protocol = draw.oneOf(['tcp', 'http', 'https'])
  const http = protocol === 'https' ? { http: { certificates: [(await draw.any('certificates')).id] } } : {}
  return { protocol, listen_port: anyPort(draw), destination_port: 80, ...http }
}

const network = async ({ any }: Draw) => ({ network: (await any('networks')).id })

const traffic: Proof['traffic'] = {
  kind: 'load_balancer',
  requests: {
    async 'POST /load_balancers'(draw) {
      const more = draw.oneOf<() => Promise<object>>([
        async () => ({}),
        async () => ({ targets: [await anyTarget(draw, { id: 0 })] }),
        async () => ({ services: [await anyService(draw)] }),
        async () => network(draw),
        async () => ({ public_net: { ipv4: (await draw.any('primary_ips')).id } }),
      ])
      const named = { name: anyName('l', draw), labels: anyLabels(draw) }
      return { ...named, load_balancer_type: draw.oneOf(['lb11', 'lb21']), location: 'fsn1', ...(await more()) }
    },
    'PUT /load_balancers/{load_balancers}': anyRename('l'),
    'DELETE /load_balancers/{load_balancers}': noBody,
    'POST /load_balancers/{load_balancers}/actions/add_service': anyService,
    'POST /load_balancers/{load_balancers}/actions/update_service': (draw) => ({
      listen_port: anyPort(draw),
      ...draw.oneOf<object>([{ destination_port: 81 }, { protocol: 'http' }, { proxyprotocol: true }]),
    }),
    'POST /load_balancers/{load_balancers}/actions/delete_service': (draw) => ({ listen_port: anyPort(draw) }),
    'POST /load_balancers/{load_balancers}/actions/add_target': anyTarget,
    'POST /load_balancers/{load_balancers}/actions/remove_target': anyTarget,
    'POST /load_balancers/{load_balancers}/actions/attach_to_network': network,
    'POST /load_balancers/{load_balancers}/actions/detach_from_network': network,
    'POST /load_balancers/{load_balancers}/actions/change_algorithm': ({ oneOf }) => ({
      type: oneOf(['round_robin', 'least_connections']),
    }),
    'POST /load_balancers/{load_balancers}/actions/change_type': ({ oneOf }) => ({
      load_balancer_type: oneOf(['lb11', 'lb21']),
    }),
    'POST /load_balancers/{load_balancers}/actions/enable_public_interface': noBody,
    'POST /load_balancers/{load_balancers}/actions/disable_public_interface': noBody,
    'POST /load_balancers/{load_balancers}/actions/change_protection': anyProtection,
    'POST /load_balancers/{load_balancers}/actions/change_dns_ptr': ({ number }, { public_net }) => ({
      ip: number(2) === 0 ? public_net.ipv4.ip : public_net.ipv6.ip,
      dns_ptr: number(2) === 0 ? null : `l${number(12)}.example.com`,
    }),
  },
}

// ---- Rows of the spec ----------------------------------------------------------------------------------------------

const section = 'Load Balancers'

const spec: SpecRows = {
  endpoints: actionRows(section, 'load_balancers', 0),
  fields: [
    {
      resource: 'Load Balancer',
      at: 'load_balancers.get',
      key: 'load_balancer',
      fields: {
        id: 'integer',
        name: 'string',
        public_net: 'object',
        private_net: 'array',
        location: 'object',
        load_balancer_type: 'object',
        protection: 'object',
        labels: 'object',
        created: 'timestamp',
        services: 'array',
        targets: 'array',
        algorithm: 'object',
        outgoing_traffic: 'integer or null',
        ingoing_traffic: 'integer or null',
        included_traffic: 'integer',
      },
    },
  ],
  codes: [
    {
      operation: 'POST /load_balancers/{id}/actions/add_target with public target while public interface disabled',
      at: 'load_balancers.addTarget',
      codes: [{ code: 'load_balancer_public_interface_disabled', status: 422 }],
    },
    {
      operation: 'POST /load_balancers (Primary IP assignment)',
      at: 'load_balancers.create',
      codes: [
        // The spec says 400 of this one; what is wrong in a body is 422 everywhere here.
        { code: 'invalid_input', status: 422 },
        { code: 'resource_limit_exceeded', status: 403 },
        { code: 'not_found', status: 404 },
        { code: 'primary_ip_version_mismatch', status: 412 },
        { code: 'primary_ip_assigned', status: 422 },
        { code: 'primary_ip_location_mismatch', status: 422 },
      ],
      unused: { primary_ip_blocked: 'no Primary IP is ever blocked' },
    },
  ],
  limits: [
    {
      limit: 'Load balancer HTTP/HTTPS service idle timeout (`http.timeout_idle`)',
      async check(open) {
        const world = await open()
        const id = await makeBalancer(world, { services: [{ protocol: 'http' }] })
        const set = (timeout_idle: number) =>
          command(world.api, id, 'update_service', { listen_port: 80, http: { timeout_idle } })
        for (const bound of [30, 300]) {
          expect(await set(bound), 201)
          await world.settle()
        }
        for (const beyond of [29, 301]) assertNames(await set(beyond), 'http.timeout_idle')
      },
    },
  ],
  sentences: [
    {
      section: 'Load Balancer',
      says: 'New ones have the documented fields with their defaults, and everything that the request asks for',
      tests: [
        'load-balancers.test.ts: one that is asked for by name, type and place has exactly the documented fields with their defaults',
        'load-balancers.test.ts: everything that a request asks for is there at once, and in force when the action has succeeded',
      ],
    },
    {
      section: 'Load Balancer',
      says: 'Target health has an entry for each service; its cause is there only while a target is unhealthy',
      tests: [
        'health.test.ts: is unknown at first, one entry for each service, and follows the power of the server',
        'health.test.ts: follows the packet filter in front of public addresses, and not within a network',
        'health.test.ts: has the cause only while a target is unhealthy, and a status only with an unexpected one',
        'health.test.ts: is unknown while the data plane does not answer',
      ],
    },
    {
      section: 'Load Balancer',
      says: 'Addresses have reverse names, a default for IPv4 and none for IPv6, which the name server tells',
      tests: [
        'addresses.test.ts: have reverse names that the name server answers with: a default for IPv4, none for IPv6',
        'addresses.test.ts: are named exactly, and take names as those of others do',
      ],
    },
    {
      section,
      says: 'Services have the documented defaults by protocol; an update changes what it names and nothing else',
      tests: [
        'services.test.ts: by tcp it needs both ports, and has a health check by tcp and nothing about HTTP',
        'services.test.ts: by http and https it has all defaults, https the port 443 and a certificate',
        'services.test.ts: what a request names is taken, null counts as left out, and the domain of a check may be null',
        'services.test.ts: an update changes what it names, within the health check too, and nothing else',
        'services.test.ts: from tcp to http it gets what is about HTTP and keeps its health check, and back it loses it',
        'services.test.ts: from https to http it loses its certificates and its redirect',
        'services.test.ts: bounds hold on both sides, and the field that breaks one is named',
      ],
    },
    {
      section,
      says: 'A port has one service; certificates are those of the Project and in use by the Load Balancer',
      tests: [
        'services.test.ts: a port has one service, and one that redirects HTTP has the port 80 as well',
        'services.test.ts: its certificates are those of the Project, each once, and are in use as long as it names them',
        'following.test.ts: their certificates: one that is issued later is served then',
      ],
    },
    {
      section,
      says: 'Services, targets and certificates are as many as the type allows, also when the type changes',
      tests: [
        'services.test.ts: there are as many as the type allows, with as many certificates',
        'targets.test.ts: there are as many as the type allows, and one address gets traffic once',
        'load-balancers.test.ts: the type changes to the same and to any that what is there fits in',
      ],
    },
    {
      section,
      says: 'Targets are servers, label selectors and addresses outside of the cloud, each once',
      tests: [
        'targets.test.ts: a server is reached by its public IPv4 address, and shows which Load Balancers it is a target of',
        'targets.test.ts: a server is reached by its address in the network of the Load Balancer when that is asked for',
        'targets.test.ts: a label selector stands for the servers that it matches, of which there may be none',
        'targets.test.ts: an address outside of the cloud is a target for the Project that owns it, and has no use_private_ip',
        'targets.test.ts: a private address is a target when a vSwitch of the network of the Load Balancer leads to it',
        'targets.test.ts: a target is there once, however it is written, and what is not there cannot be removed',
        'targets.test.ts: what a Load Balancer cannot reach is refused, when it is added and with the creation',
        'targets.test.ts: a server that the Project does not have, and a target that is none, are invalid input',
      ],
    },
    {
      section,
      says: 'Targets follow servers, labels, addresses and networks',
      tests: [
        'following.test.ts: the labels of servers, and new servers',
        'following.test.ts: the deletion of servers, by themselves and by selectors',
        'following.test.ts: the deletion of their network, with which targets in it go and others stay',
        'following.test.ts: servers that leave their network, which are no targets there any more',
        'following.test.ts: a matched server that gets its IPv4 address later',
        'following.test.ts: the IPv4 address of a server that is a public target, which cannot be taken away',
        'failures.test.ts: that could not follow a server does so as soon as that can be done',
      ],
    },
    {
      section,
      says: 'A Load Balancer is in one network at most, with which its private targets go, and is listed as a member',
      tests: [
        'places.test.ts: get the lowest free address, or the one or the subnet that they name',
        'places.test.ts: are in one at most',
        'places.test.ts: lose with their network what they reach there, keep the rest, and their address is free again',
        'places.test.ts: are listed as members beside servers, with what is being done with them',
        'places.test.ts: keep their subnet from being deleted, and count among the members that a network may have',
      ],
    },
    {
      section,
      says: 'Without the public interface the addresses stay, and public targets are refused',
      tests: [
        'load-balancers.test.ts: without its public interface it keeps its addresses and listens in its network alone',
        'targets.test.ts: what a Load Balancer cannot reach is refused, when it is added and with the creation',
      ],
    },
    {
      section,
      says: 'public_net takes Primary IPs, which stay for the life of the Load Balancer; what is left out is made',
      tests: [
        'addresses.test.ts: are those that the creation names, and keep their names',
        'addresses.test.ts: stay with it for its whole life, and then go or stay as auto_delete says',
        'addresses.test.ts: that it cannot have are refused, each with its code',
      ],
    },
    {
      section,
      says: 'Deleting one answers with delete_load_balancer and releases what it had; a protected one stays',
      tests: [
        'failures.test.ts: that is deleted is gone at once, with all that hung on it, and its action says when it carries nothing',
        'failures.test.ts: that the data plane did not remove is removed as soon as that can be done',
        'addresses.test.ts: are released with the Load Balancer, and rest before anybody gets them',
        'load-balancers.test.ts: one that is protected is not deleted until it is protected no longer',
      ],
    },
    {
      section,
      says: 'A change that fails is taken back, and one during another is conflict',
      tests: [
        'failures.test.ts: is after a change that failed what it was before, and can be changed again',
        'failures.test.ts: that cannot be made leaves nothing behind, and Primary IPs as they were',
        'failures.test.ts: answers conflict to a change and to its deletion during another change, and to nothing else',
        'failures.test.ts: has all of several targets that are added at once, each on its own when it is told to repeat',
        'failures.test.ts: fails to go back to what the data plane refuses as well, and gets there as soon as that can be done',
      ],
    },
    {
      section,
      says: 'Measurements are those of the asked kinds and times',
      tests: [
        'metrics.test.ts: begin with its life, follow what it does, and are the same whenever they are read',
        'metrics.test.ts: have the series of each kind that is asked for, repeated or with commas',
        'metrics.test.ts: need kinds and times that there are, and a Load Balancer of the Project',
      ],
    },
  ],
}

// ---- Writes under kill -9 ------------------------------------------------------------------------------------------

/** What a service shows of itself. */
const showsService = (port: number, destination: number) => `${port}>${destination}`
const servicesIn = ({ services }: State) => services!.split(' ').filter((one) => one !== '')
const firstPort = (state: State) => Number(servicesIn(state)[0]!.split('>')[0])
const hasServices = ({ services }: State) => services !== ''
const idIn = (key: string) => Number(key.split('/')[1])
const unlike = (is: string | undefined, [one, other]: readonly [string, string]) => (is === one ? other : one)

const crash: Proof['crash'] = {
  shows: {
    load_balancers: (balancer) => ({
      ...showsNamed(balancer),
      type: balancer.load_balancer_type.name,
      algorithm: balancer.algorithm.type,
      services: balancer.services
        .map((one: { listen_port: number; destination_port: number }) =>
          showsService(one.listen_port, one.destination_port),
        )
        .join(' '),
      target: balancer.targets.map(({ server }: ReturnType<typeof toServer>) => keyOf('servers', server.id)).join(' '),
      network: keyOf('networks', balancer.private_net[0]?.network),
      public: yesOrNo(balancer.public_net.enabled),
      reverse: balancer.public_net.ipv4.dns_ptr ?? '',
      ...showsProtected(balancer),
    }),
  },
  writes: {
    'POST /load_balancers': (draw) => {
      const [target, network] = draw.oneOf<readonly [boolean, boolean]>([
        [false, false],
        [true, false],
        [false, true],
      ])
      const [server, inside] = [target && draw.any('servers'), network && draw.any('networks')]
      const port = 1 + (draw.number % 60_000)
      return {
        body: {
          ...balancerBody(named(draw)),
          services: [tcp(port)],
          targets: server ? [toServer(server.id)] : [],
          network: inside ? inside.id : null,
        },
        makes: {
          ...namedState(draw),
          type: 'lb11',
          algorithm: 'round_robin',
          services: showsService(port, 80),
          target: server ? server.key : '',
          network: inside ? inside.key : '',
          public: 'yes',
          protected: 'no',
        },
      }
    },
    'PUT /load_balancers/{load_balancers}': renames,
    'DELETE /load_balancers/{load_balancers}': removes,
    'POST /load_balancers/{load_balancers}/actions/add_service': (draw, { state }) => {
      const port = 1 + (draw.number % 60_000)
      const certificate = draw.oneOf([false, true]) && draw.any('certificates', ({ type }) => type === 'uploaded')
      const https = certificate ? { protocol: 'https', http: { certificates: [certificate.id] } } : {}
      const services = [...servicesIn(state), showsService(port, 80)]
      return {
        body: { ...tcp(port), ...https },
        to: { services: services.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)).join(' ') },
      }
    },
    'POST /load_balancers/{load_balancers}/actions/update_service': when(hasServices, ({ number }, { state }) => {
      const port = firstPort(state)
      const destination = 1 + (number % 60_000)
      const [, ...others] = servicesIn(state)
      return {
        body: { listen_port: port, destination_port: destination },
        to: { services: [showsService(port, destination), ...others].join(' ') },
      }
    }),
    'POST /load_balancers/{load_balancers}/actions/delete_service': when(hasServices, (_, { state }) => ({
      body: { listen_port: firstPort(state) },
      to: { services: servicesIn(state).slice(1).join(' ') },
    })),
    'POST /load_balancers/{load_balancers}/actions/add_target': when(
      ({ target }) => !target,
      ({ any }) => {
        const { id, key } = any('servers')
        return { body: toServer(id), to: { target: key } }
      },
    ),
    'POST /load_balancers/{load_balancers}/actions/remove_target': when(
      ({ target }) => Boolean(target),
      (_, { state }) => ({ body: { type: 'server', server: { id: idIn(state.target!) } }, to: { target: '' } }),
    ),
    'POST /load_balancers/{load_balancers}/actions/attach_to_network': when(
      ({ network }) => !network,
      ({ any }) => {
        const { id, key } = any('networks')
        return { body: { network: id }, to: { network: key } }
      },
    ),
    'POST /load_balancers/{load_balancers}/actions/detach_from_network': when(
      ({ network }) => Boolean(network),
      (_, { state }) => ({ body: { network: idIn(state.network!) }, to: { network: '' } }),
    ),
    'POST /load_balancers/{load_balancers}/actions/change_algorithm': (_, { state }) => {
      const algorithm = unlike(state.algorithm, ['round_robin', 'least_connections'])
      return { body: { type: algorithm }, to: { algorithm } }
    },
    'POST /load_balancers/{load_balancers}/actions/change_type': (_, { state }) => {
      const type = unlike(state.type, ['lb11', 'lb21'])
      return { body: { load_balancer_type: type }, to: { type } }
    },
    'POST /load_balancers/{load_balancers}/actions/enable_public_interface': when(
      (state) => state.public === 'no',
      () => ({ to: { public: 'yes' } }),
    ),
    'POST /load_balancers/{load_balancers}/actions/disable_public_interface': when(
      ({ network, target }) => Boolean(network) && !target,
      () => ({ to: { public: 'no' } }),
    ),
    'POST /load_balancers/{load_balancers}/actions/change_dns_ptr': ({ version }, { shown: { public_net } }) => ({
      body: { ip: public_net.ipv4.ip, dns_ptr: `${version}.example.com` },
      to: { reverse: `${version}.example.com` },
    }),
    'POST /load_balancers/{load_balancers}/actions/change_protection': protects,
  },
}

export const proof: Proof = {
  samples,
  references: {
    'load_balancers.create network': { family: 'networks', body: (id) => balancerBody({ network: id }) },
    'load_balancers.create public_net.ipv4': {
      family: 'primary_ips',
      body: (id) => balancerBody({ public_net: { ipv4: id } }),
    },
    'load_balancers.create targets': { family: 'servers', body: (id) => balancerBody({ targets: [toServer(id)] }) },
    'load_balancers.create services': {
      family: 'certificates',
      body: (id) => balancerBody({ services: [{ protocol: 'https', http: { certificates: [id] } }] }),
    },
    'load_balancers.addTarget': { family: 'servers', body: (id) => toServer(id) },
    'load_balancers.addService': {
      family: 'certificates',
      body: (id) => ({ protocol: 'https', http: { certificates: [id] } }),
    },
    'load_balancers.attachToNetwork': { family: 'networks', body: (id) => ({ network: id }) },
    'load_balancers.detachFromNetwork': { family: 'networks', body: (id) => ({ network: id }) },
  },
  errors,
  actions,
  consistency,
  traffic,
  crash,
  spec,
}
