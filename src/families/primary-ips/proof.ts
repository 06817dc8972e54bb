import {
  keyOf,
  named,
  namedState,
  protects,
  removes,
  showsNamed,
  showsProtected,
  when,
  yesOrNo,
} from '../../../test/kit/crash.ts'
import { type Answer, testClock, type World } from '../../../test/kit/harness.ts'
import {
  act,
  agree,
  anyLabels,
  anyName,
  anyProtection,
  anyRename,
  conflict,
  done,
  type ErrorScenario,
  noBody,
  overLimit,
  type Proof,
  type Samples,
  type Stage,
  takenName,
  takenTwice,
  unique,
} from '../../../test/kit/proof.ts'
import { actionRows, type SpecRows } from '../../../test/walks/spec/rows.ts'
import { anyReverseName, checkHolders } from '../addresses/proof.ts'
import { makeServer, serverBody } from '../servers/proof.ts'

const body = (options: object = { location: 'hel1' }) => ({ name: unique('primary-ip'), type: 'ipv4', ...options })

/** A server that is off, and has no IPv4 address unless the options say otherwise. */
export async function makeStopped(world: World, options: object = {}): Promise<number> {
  return makeServer(world, {
    location: 'hel1',
    start_after_create: false,
    public_net: { enable_ipv4: false },
    ...options,
  })
}

const withIpv4 = { public_net: {} }

export async function makePrimaryIp({ api, settle }: World, options?: object): Promise<number> {
  const { primary_ip } = await done(api.post('/primary_ips', body(options)))
  await settle()
  return primary_ip.id
}

async function makeAssigned(world: World): Promise<{ id: number; server: number }> {
  const server = await makeStopped(world)
  return { id: await makePrimaryIp(world, { assignee_id: server }), server }
}

async function ipOf({ api }: World, id: number): Promise<string> {
  return (await done(api.get(`/primary_ips/${id}`))).primary_ip.ip
}

const to = (server: number) => ({ assignee_id: server, assignee_type: 'server' })

const prepare: Samples['prepare'] = async (world) => {
  const server = await makeStopped(world)
  const { primary_ip, action } = await done(world.api.post('/primary_ips', body({ assignee_id: server })))
  await world.settle()
  return { id: primary_ip.id, actionId: action.id }
}

const samples: Samples = {
  prepare,
  requests: {
    create: () => ({ body: body() }),
    update: () => ({ body: { name: unique('primary-ip'), labels: { changed: 'yes' }, auto_delete: true } }),
    assign: async (world) => ({
      target: { id: await makePrimaryIp(world) },
      body: to(await makeStopped(world)),
    }),
    changeDnsPtr: async (world, { id }) => ({ body: { ip: await ipOf(world, id), dns_ptr: 'www.example.com' } }),
    async changeServerDnsPtr({ api }, { id }) {
      const { ip, assignee_id } = (await done(api.get(`/primary_ips/${id}`))).primary_ip
      return { target: { id: assignee_id }, body: { ip, dns_ptr: 'www.example.com' } }
    },
    changeProtection: () => ({ body: { delete: true } }),
    async remove({ api, settle }, { id }) {
      await done(api.post(`/primary_ips/${id}/actions/unassign`))
      await settle()
      return {}
    },
  },
}

// ---- Errors --------------------------------------------------------------------------------------------------------

/** Asks for an address for a server: with a new Primary IP, or by assigning one that there is. */
const forServer = (
  ask: 'create' | 'assign',
  prepareServer: (stage: Stage) => Promise<number>,
  type = 'ipv4',
): ErrorScenario => {
  return async (stage) => {
    const server = await prepareServer(stage)
    if (ask === 'create') return stage.api.post('/primary_ips', body({ type, assignee_id: server }))
    const id = await makePrimaryIp(stage, { type, location: 'hel1' })
    return stage.api.post(`/primary_ips/${id}/actions/assign`, to(server))
  }
}

const running = (stage: Stage) => makeStopped(stage, { start_after_create: true })

async function starting(stage: Stage): Promise<number> {
  const id = await makeStopped(stage)
  await done(stage.api.post(`/servers/${id}/actions/poweron`))
  return id
}

const whatServersRefuse = (ask: 'create' | 'assign') => ({
  server_not_stopped: forServer(ask, running),
  server_has_ipv4: forServer(ask, (stage) => makeStopped(stage, withIpv4)),
  server_has_ipv6: forServer(ask, (stage) => makeStopped(stage, withIpv4), 'ipv6'),
})

/** Deletes one of a running server on the last day on which it was unassigned on the way. */
const deleteFromRunning: ErrorScenario = async ({ open }) => {
  const world = await open({ clock: testClock('2026-04-30T00:00:00Z') })
  const { id, server } = await makeAssigned(world)
  await done(world.api.post(`/servers/${server}/actions/poweron`))
  await world.settle()
  return world.api.delete(`/primary_ips/${id}`)
}

/** Asks for a new server with a Primary IP that is there. */
async function serverWith({ api }: World, id: number, options: object = {}): Promise<Answer> {
  const given = { location: 'hel1', public_net: { ipv4: id }, ...options }
  return api.post('/servers', serverBody(unique('server'), given))
}

const errors: Proof['errors'] = {
  'servers.create': {
    primary_ip_assigned: async (stage) => serverWith(stage, (await makeAssigned(stage)).id),
    primary_ip_datacenter_mismatch: async (stage) =>
      serverWith(stage, await makePrimaryIp(stage, { location: 'nbg1' })),
    primary_ip_version_mismatch: async (stage) =>
      serverWith(stage, await makePrimaryIp(stage, { type: 'ipv6', location: 'hel1' })),
  },
  'primary_ips.create': {
    uniqueness_error: takenTwice('/primary_ips', () => ({ ...body(), type: 'ipv6' })),
    async unavailable({ open }) {
      const { api } = await open({ addressPool: ['2001:db8::/32'], runActions: false })
      return api.post('/primary_ips', body())
    },
    resource_limit_exceeded: overLimit('primary_ips', '/primary_ips', body),
    locked: forServer('create', starting),
    ...whatServersRefuse('create'),
  },
  'primary_ips.update': {
    uniqueness_error: takenName('primary_ips', prepare),
    conflict: conflict('primary_ips', 'primary_ip', prepare),
  },
  'primary_ips.remove': {
    async locked(stage) {
      const { id } = await makeAssigned(stage)
      await done(stage.api.post(`/primary_ips/${id}/actions/unassign`))
      return stage.api.delete(`/primary_ips/${id}`)
    },
    async protected(stage) {
      const id = await makePrimaryIp(stage)
      await done(stage.api.post(`/primary_ips/${id}/actions/change_protection`, { delete: true }))
      return stage.api.delete(`/primary_ips/${id}`)
    },
    must_be_unassigned: async (stage) => stage.api.delete(`/primary_ips/${(await makeAssigned(stage)).id}`),
    server_not_stopped: deleteFromRunning,
  },
  'primary_ips.assign': {
    locked: async (stage) => {
      const server = await makeStopped(stage)
      const id = await makePrimaryIp(stage)
      await done(stage.api.post(`/servers/${server}/actions/poweron`))
      return stage.api.post(`/primary_ips/${id}/actions/assign`, to(server))
    },
    async primary_ip_already_assigned(stage) {
      const { id } = await makeAssigned(stage)
      return stage.api.post(`/primary_ips/${id}/actions/assign`, to(await makeStopped(stage)))
    },
    async primary_ip_location_mismatch(stage) {
      const id = await makePrimaryIp(stage, { location: 'nbg1' })
      return stage.api.post(`/primary_ips/${id}/actions/assign`, to(await makeStopped(stage)))
    },
    ...whatServersRefuse('assign'),
  },
  'primary_ips.unassign': {
    async locked(stage) {
      const { id } = await makeAssigned(stage)
      await done(stage.api.post(`/primary_ips/${id}/actions/unassign`))
      return stage.api.post(`/primary_ips/${id}/actions/unassign`)
    },
    service_error: async (stage) => stage.api.post(`/primary_ips/${await makePrimaryIp(stage)}/actions/unassign`),
    async server_not_stopped(stage) {
      const { id, server } = await makeAssigned(stage)
      await done(stage.api.post(`/servers/${server}/actions/poweron`))
      await stage.settle()
      return stage.api.post(`/primary_ips/${id}/actions/unassign`)
    },
  },
}

// ---- Actions -------------------------------------------------------------------------------------------------------

const actions: Proof['actions'] = {
  async 'primary_ips/assign_primary_ip'(world) {
    const id = await makePrimaryIp(world)
    const server = await makeStopped(world)
    return act((api) => api.post(`/primary_ips/${id}/actions/assign`, to(server)))
  },
  async 'primary_ips/unassign_primary_ip'(world) {
    const { id } = await makeAssigned(world)
    return act((api) => api.post(`/primary_ips/${id}/actions/unassign`))
  },
  async 'primary_ips/change_dns_ptr'(world) {
    const id = await makePrimaryIp(world)
    const ip = await ipOf(world, id)
    return act((api) => api.post(`/primary_ips/${id}/actions/change_dns_ptr`, { ip, dns_ptr: 'www.example.com' }))
  },
  async 'primary_ips/change_dns_ptr of a server'(world) {
    const { id, server } = await makeAssigned(world)
    const ip = await ipOf(world, id)
    return act((api) => api.post(`/servers/${server}/actions/change_dns_ptr`, { ip, dns_ptr: 'www.example.com' }))
  },
  async 'primary_ips/change_protection'(world) {
    const id = await makePrimaryIp(world)
    return act((api) => api.post(`/primary_ips/${id}/actions/change_protection`, { delete: true }))
  },
}

// ---- Random requests -----------------------------------------------------------------------------------------------

const traffic: Proof['traffic'] = {
  kind: 'primary_ip',
  requests: {
    'POST /primary_ips': async (draw) => {
      const place = draw.number(2) === 0 ? { location: 'fsn1' } : { assignee_id: (await draw.any('servers')).id }
      const type = draw.oneOf(['ipv4', 'ipv4', 'ipv6'])
      return { type, name: anyName('p', draw), labels: anyLabels(draw), auto_delete: draw.number(2) === 0, ...place }
    },
    'PUT /primary_ips/{primary_ips}': (draw, target) =>
      draw.number(2) === 0 ? { auto_delete: draw.number(2) === 0 } : anyRename('p')(draw, target),
    'DELETE /primary_ips/{primary_ips}': noBody,
    'POST /primary_ips/{primary_ips}/actions/assign': async ({ any }) => to((await any('servers')).id),
    'POST /primary_ips/{primary_ips}/actions/unassign': noBody,
    'POST /primary_ips/{primary_ips}/actions/change_dns_ptr': anyReverseName,
    'POST /primary_ips/{primary_ips}/actions/change_protection': anyProtection,
    'POST /servers/{servers}/actions/change_dns_ptr': async (draw, target) =>
      anyReverseName(draw, target.public_net.ipv4 ?? (await draw.any('primary_ips'))),
  },
  adds: {
    async 'POST /servers'({ any }) {
      const { id, type, assignee_id } = await any('primary_ips')
      return assignee_id === null ? { public_net: { [type]: id } } : {}
    },
  },
}

// ---- Rows of the spec ----------------------------------------------------------------------------------------------

const section = 'Primary IPs'

/** The tables of the spec have no endpoints of Primary IPs: it tells them in words. */
const endpoints: SpecRows['endpoints'] = [
  {
    section,
    endpoint: 'GET /primary_ips',
    status: 200,
    query: ['name', 'label_selector', 'ip', 'page', 'per_page'],
    effects: { ip: { empty: '203.0.113.1' } },
    sort: ['id', 'created'],
    reply: ['primary_ips', 'meta'],
    also: ['primary-ips.test.ts: they are found by address, name and labels'],
  },
  {
    section,
    endpoint: 'POST /primary_ips',
    status: 201,
    required: ['name', 'type'],
    optional: ['assignee_id', 'assignee_type', 'location', 'auto_delete', 'labels'],
    reply: ['primary_ip', 'action'],
    also: [
      'primary-ips.test.ts: it needs exactly one of assignee_id and location, by what the Project and the catalogue have',
      'primary-ips.test.ts: with a server it takes its location, and the server gets the address',
    ],
  },
  { section, endpoint: 'GET /primary_ips/{id}', status: 200, reply: ['primary_ip'] },
  {
    section,
    endpoint: 'PUT /primary_ips/{id}',
    status: 200,
    optional: ['name', 'labels', 'auto_delete'],
    reply: ['primary_ip'],
    also: ['primary-ips.test.ts: updates change what they name, and names are unique'],
  },
  {
    section,
    endpoint: 'DELETE /primary_ips/{id}',
    status: 204,
    reply: [],
    also: ['primary-ips.test.ts: only an unassigned one is deleted; before May 2026 deletion unassigned it'],
  },
  {
    section,
    endpoint: 'POST /primary_ips/{id}/actions/assign',
    status: 201,
    required: ['assignee_id', 'assignee_type'],
    reply: ['action'],
    also: ['primary-ips.test.ts: it moves between servers that are off'],
  },
  {
    section,
    endpoint: 'POST /primary_ips/{id}/actions/unassign',
    status: 201,
    reply: ['action'],
    also: ['primary-ips.test.ts: it moves between servers that are off'],
  },
  {
    section,
    endpoint: 'POST /primary_ips/{id}/actions/change_dns_ptr',
    status: 201,
    required: ['ip', 'dns_ptr'],
    reply: ['action'],
    also: ['primary-ips.test.ts: reverse names follow the rules of their kind of address'],
  },
  {
    section,
    endpoint: 'POST /primary_ips/{id}/actions/change_protection',
    status: 201,
    optional: ['delete'],
    reply: ['action'],
    also: ['primary-ips.test.ts: one is either protected or deleted with its server'],
  },
  {
    section: 'Servers',
    endpoint: 'POST /servers/{id}/actions/change_dns_ptr',
    status: 201,
    required: ['ip', 'dns_ptr'],
    reply: ['action'],
    also: ['primary-ips.test.ts: a server changes the reverse names of its addresses'],
  },
  ...actionRows(section, 'primary_ips', 4),
].map((row) => ({ ...row, inWords: true as const }))

const spec: SpecRows = {
  endpoints,
  fields: [
    {
      resource: 'Primary IP',
      at: 'primary_ips.get',
      key: 'primary_ip',
      fields: {
        id: 'integer',
        name: 'string',
        type: 'string',
        ip: 'string',
        location: 'object',
        assignee_id: 'integer or null',
        assignee_type: 'string',
        auto_delete: 'boolean',
        blocked: 'boolean',
        dns_ptr: 'array',
        labels: 'object',
        protection: 'object',
        created: 'timestamp',
      },
    },
  ],
  sentences: [
    {
      section,
      says: 'A server keeps addresses without auto_delete from going with it',
      tests: ['primary-ips.test.ts: a server takes those with auto_delete with it; the others stay, unassigned'],
    },
    {
      section: 'Servers',
      says: 'public_net takes existing Primary IPs; the others are made',
      tests: ['primary-ips.test.ts: a new server takes the addresses that it is given, and only the others are made'],
    },
    {
      section,
      says: 'An action that fails leaves the address where it was',
      tests: ['primary-ips.test.ts: a failed assignment leaves it unassigned, a failed unassignment where it was'],
    },
  ],
}

// ---- Writes under kill -9 ------------------------------------------------------------------------------------------

/** Whether the address goes with the server that has it. */
const goesWith = (auto: string | undefined, server: string | undefined) => (auto === 'yes' && server ? server : '')

const crash: Proof['crash'] = {
  shows: {
    primary_ips(ip) {
      const server = keyOf('servers', ip.assignee_id)
      const auto = yesOrNo(ip.auto_delete)
      // A server makes addresses of its own, which bear its id.
      if (ip.labels.version === undefined && goesWith(auto, server)) return undefined
      const dns = ip.dns_ptr[0]?.dns_ptr ?? ''
      return { ...showsNamed(ip), server, auto, with: goesWith(auto, server), dns, ...showsProtected(ip) }
    },
    servers: ({ public_net }) => ({ reverse: public_net.ipv4?.dns_ptr ?? '' }),
  },
  writes: {
    'POST /primary_ips': (draw) => {
      const server = draw.oneOf([false, true]) ? draw.any('servers', ({ power }) => power === 'off') : undefined
      const place = server ? { assignee_id: server.id, assignee_type: 'server' } : { location: 'fsn1' }
      const auto = draw.oneOf(['yes', 'no'])
      const makes = { auto, server: server?.key ?? '', with: goesWith(auto, server?.key), protected: 'no' }
      return {
        body: { ...named(draw), type: 'ipv4', auto_delete: auto === 'yes', ...place },
        makes: { ...namedState(draw), ...makes },
      }
    },
    'PUT /primary_ips/{primary_ips}': (draw, { state }) => {
      const auto = state.protected === 'yes' ? 'no' : draw.oneOf(['yes', 'no'])
      return {
        body: { ...named(draw), auto_delete: auto === 'yes' },
        to: { ...namedState(draw), auto, with: goesWith(auto, state.server) },
      }
    },
    'DELETE /primary_ips/{primary_ips}': when(({ server }) => !server, removes),
    'POST /primary_ips/{primary_ips}/actions/assign': when(
      ({ server }) => !server,
      ({ any }, { state }) => {
        const { id, key } = any('servers', ({ power }) => power === 'off')
        return { body: to(id), to: { server: key, with: goesWith(state.auto, key) } }
      },
    ),
    'POST /primary_ips/{primary_ips}/actions/unassign': when(
      ({ server }) => Boolean(server),
      () => ({ to: { server: '', with: '' } }),
    ),
    'POST /primary_ips/{primary_ips}/actions/change_dns_ptr': ({ version }, { shown: { ip } }) => ({
      body: { ip, dns_ptr: `${version}.example.com` },
      to: { dns: `${version}.example.com` },
    }),
    'POST /primary_ips/{primary_ips}/actions/change_protection': when(({ auto }) => auto === 'no', protects),
    'POST /servers/{servers}/actions/change_dns_ptr': ({ version }, { shown: { public_net } }) =>
      public_net.ipv4 === null
        ? undefined
        : {
            body: { ip: public_net.ipv4.ip, dns_ptr: `${version}.example.com` },
            to: { reverse: `${version}.example.com` },
          },
  },
}

export const proof: Proof = {
  samples,
  references: {
    'primary_ips.create': { family: 'servers', body: (id) => body({ assignee_id: id }) },
    'servers.create public_net.ipv4': {
      family: 'primary_ips',
      body: (id) => serverBody(unique('server'), { public_net: { ipv4: id } }),
    },
    'primary_ips.assign': { family: 'servers', body: to },
  },
  errors,
  actions,
  consistency: {
    resources: 'primary_ip',
    belongs: [['primary_ip', 'server_id', 'server']],
    rows: (found) => checkHolders(found, 'primary_ip'),
    shown: (api) =>
      agree(
        api,
        ['servers', ({ public_net: { ipv4, ipv6 } }) => [ipv4, ipv6].flatMap((ip) => ip?.id ?? [])],
        ['primary_ips', ({ assignee_id: id, assignee_type: type }) => (type === 'server' ? [id] : [])],
      ),
  },
  traffic,
  crash,
  spec,
}
