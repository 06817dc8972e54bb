import assert from 'node:assert/strict'
import {
  keyOf,
  named,
  namedState,
  protects,
  removes,
  showsNamed,
  showsProtected,
  when,
} from '../../../test/kit/crash.ts'
import type { World } from '../../../test/kit/harness.ts'
import {
  act,
  agree,
  anyLabels,
  anyName,
  anyProtection,
  anyRename,
  conflict,
  done,
  noBody,
  overLimit,
  type Proof,
  rename,
  type Samples,
  takenName,
  takenTwice,
  unique,
} from '../../../test/kit/proof.ts'
import { actionRows, type SpecRows } from '../../../test/walks/spec/rows.ts'
import { anyReverseName, checkHolders } from '../addresses/proof.ts'
import { makeServer, newServer } from '../servers/proof.ts'

const body = () => ({ type: 'ipv4', home_location: 'hel1' })

async function makeFloatingIp({ api, settle }: World, options: object = { home_location: 'hel1' }): Promise<number> {
  const { floating_ip } = await done(api.post('/floating_ips', { type: 'ipv4', ...options }))
  await settle()
  return floating_ip.id
}

async function makeAssigned(world: World): Promise<number> {
  return makeFloatingIp(world, { server: await makeServer(world) })
}

async function ipOf({ api }: World, id: number): Promise<string> {
  return (await done(api.get(`/floating_ips/${id}`))).floating_ip.ip
}

const prepare: Samples['prepare'] = async (world) => {
  const server = await makeServer(world)
  const { floating_ip, action } = await done(world.api.post('/floating_ips', { type: 'ipv4', server }))
  await world.settle()
  return { id: floating_ip.id, actionId: action.id }
}

const samples: Samples = {
  prepare,
  requests: {
    create: () => ({ body: body() }),
    update: rename('floating-ip'),
    assign: async (world) => ({ body: { server: await makeServer(world) } }),
    changeDnsPtr: async (world, { id }) => ({ body: { ip: await ipOf(world, id), dns_ptr: 'www.example.com' } }),
    changeProtection: () => ({ body: { delete: true } }),
    async remove({ api, settle }, { id }) {
      await done(api.post(`/floating_ips/${id}/actions/unassign`))
      await settle()
      return {}
    },
  },
}

// ---- Errors --------------------------------------------------------------------------------------------------------

const errors: Proof['errors'] = {
  'floating_ips.create': {
    uniqueness_error: takenTwice('/floating_ips', () => ({ ...body(), type: 'ipv6', name: unique('floating-ip') })),
    async unavailable({ open }) {
      const { api } = await open({ addressPool: ['2001:db8::/32'], runActions: false })
      return api.post('/floating_ips', body())
    },
    resource_limit_exceeded: overLimit('floating_ips', '/floating_ips', body),
  },
  'floating_ips.update': {
    uniqueness_error: takenName('floating_ips', prepare),
    conflict: conflict('floating_ips', 'floating_ip', prepare),
  },
  'floating_ips.remove': {
    async locked(stage) {
      const id = await makeAssigned(stage)
      await done(stage.api.post(`/floating_ips/${id}/actions/unassign`))
      return stage.api.delete(`/floating_ips/${id}`)
    },
    async protected(stage) {
      const id = await makeFloatingIp(stage)
      await done(stage.api.post(`/floating_ips/${id}/actions/change_protection`, { delete: true }))
      return stage.api.delete(`/floating_ips/${id}`)
    },
    must_be_unassigned: async (stage) => stage.api.delete(`/floating_ips/${await makeAssigned(stage)}`),
  },
  'floating_ips.assign': {
    async locked(stage) {
      const id = await makeAssigned(stage)
      await done(stage.api.post(`/floating_ips/${id}/actions/unassign`))
      const server = await newServer(stage.api, unique('server'))
      return stage.api.post(`/floating_ips/${id}/actions/assign`, { server })
    },
    async floating_ip_assigned(stage) {
      const server = await makeServer(stage)
      const id = await makeFloatingIp(stage, { server })
      return stage.api.post(`/floating_ips/${id}/actions/assign`, { server })
    },
  },
  'floating_ips.unassign': {
    async locked(stage) {
      const id = await makeAssigned(stage)
      const server = await makeServer(stage)
      await done(stage.api.post(`/floating_ips/${id}/actions/assign`, { server }))
      return stage.api.post(`/floating_ips/${id}/actions/unassign`)
    },
    service_error: async (stage) => stage.api.post(`/floating_ips/${await makeFloatingIp(stage)}/actions/unassign`),
  },
}

// ---- Actions -------------------------------------------------------------------------------------------------------

const actions: Proof['actions'] = {
  async 'floating_ips/create_floating_ip'(world) {
    const server = await makeServer(world)
    return act((api) => api.post('/floating_ips', { type: 'ipv4', server }))
  },
  async 'floating_ips/assign_floating_ip'(world) {
    const id = await makeAssigned(world)
    const server = await makeServer(world)
    return act((api) => api.post(`/floating_ips/${id}/actions/assign`, { server }))
  },
  async 'floating_ips/unassign_floating_ip'(world) {
    const id = await makeAssigned(world)
    return act((api) => api.post(`/floating_ips/${id}/actions/unassign`))
  },
  async 'floating_ips/change_dns_ptr'(world) {
    const id = await makeFloatingIp(world)
    const ip = await ipOf(world, id)
    return act((api) => api.post(`/floating_ips/${id}/actions/change_dns_ptr`, { ip, dns_ptr: 'www.example.com' }))
  },
  async 'floating_ips/change_protection'(world) {
    const id = await makeFloatingIp(world)
    return act((api) => api.post(`/floating_ips/${id}/actions/change_protection`, { delete: true }))
  },
}

// ---- What must add up ----------------------------------------------------------------------------------------------

const consistency: Proof['consistency'] = {
  resources: 'floating_ip',
  belongs: [
    ['floating_ip', 'server_id', 'server'],
    ['floating_ip_routing', 'id', 'server'],
  ],
  rows: (found) => checkHolders(found, 'floating_ip'),
  /** I6: each one leads to the server that it is assigned to, and nowhere else. */
  async world(found, { simulation }) {
    const servers = new Set<number>((await found.all('server')).map(({ id }) => id))
    const routes = [...simulation.world.routes.values()]
    for (const { serverId } of routes) assert.ok(servers.has(serverId), `I10: routes to no server ${serverId}`)
    const assigned = (await found.all('floating_ip')).filter((row) => row.server_id !== null)
    const wanted = assigned.map((row) => `${row.ip} to ${row.server_id}`)
    const actual = routes.flatMap(({ serverId, ips }) => ips.map((ip) => `${ip} to ${serverId}`))
    assert.deepEqual(actual.sort(), wanted.sort(), 'I6: where Floating IPs lead')
  },
  shown: (api) =>
    agree(
      api,
      ['servers', ({ public_net }) => public_net.floating_ips],
      ['floating_ips', ({ server }) => (server === null ? [] : [server])],
    ),
}

// ---- Random requests -----------------------------------------------------------------------------------------------

const traffic: Proof['traffic'] = {
  kind: 'floating_ip',
  requests: {
    'POST /floating_ips': async (draw) => {
      const place = draw.number(2) === 0 ? { home_location: 'fsn1' } : { server: (await draw.any('servers')).id }
      const type = draw.oneOf(['ipv4', 'ipv4', 'ipv6'])
      return { type, name: anyName('ip', draw), labels: anyLabels(draw), ...place }
    },
    'PUT /floating_ips/{floating_ips}': anyRename('ip'),
    'DELETE /floating_ips/{floating_ips}': noBody,
    'POST /floating_ips/{floating_ips}/actions/assign': async ({ any }) => ({ server: (await any('servers')).id }),
    'POST /floating_ips/{floating_ips}/actions/unassign': noBody,
    'POST /floating_ips/{floating_ips}/actions/change_dns_ptr': anyReverseName,
    'POST /floating_ips/{floating_ips}/actions/change_protection': anyProtection,
  },
}

// ---- Rows of the spec ----------------------------------------------------------------------------------------------

const spec: SpecRows = {
  endpoints: [
    {
      section: 'Floating IPs',
      endpoint: 'GET /floating_ips',
      status: 200,
      query: ['name', 'label_selector', 'page', 'per_page'],
      sort: ['id', 'created'],
      reply: ['floating_ips', 'meta'],
    },
    {
      section: 'Floating IPs',
      endpoint: 'POST /floating_ips',
      status: 201,
      required: ['type'],
      optional: ['home_location', 'server', 'description', 'labels', 'name'],
      reply: ['floating_ip', 'action'],
      also: [
        'floating-ips.test.ts: it needs exactly one of server and home_location, and both by what the Project and the catalogue have',
        'floating-ips.test.ts: with a server it takes its location, is assigned by create_floating_ip, and leads there',
      ],
    },
    {
      section: 'Floating IPs',
      endpoint: 'GET /floating_ips/{id}',
      status: 200,
      reply: ['floating_ip'],
    },
    {
      section: 'Floating IPs',
      endpoint: 'PUT /floating_ips/{id}',
      status: 200,
      optional: ['description', 'labels', 'name'],
      reply: ['floating_ip'],
      also: ['floating-ips.test.ts: names are unique, and updates change what they name'],
    },
    {
      section: 'Floating IPs',
      endpoint: 'DELETE /floating_ips/{id}',
      status: 204,
      reply: [],
      also: [
        'floating-ips.test.ts: before 30 Sep 2026 leaving dns_ptr out resets it; before May 2026 deletion unassigns',
        'floating-ips.test.ts: a released address rests before it is given out again',
      ],
    },
    {
      section: 'Floating IPs',
      endpoint: 'POST /floating_ips/{id}/actions/assign',
      status: 201,
      required: ['server'],
      reply: ['action'],
      also: ['floating-ips.test.ts: a move from one server to another is one call, and never leads to both'],
    },
    {
      section: 'Floating IPs',
      endpoint: 'POST /floating_ips/{id}/actions/unassign',
      status: 201,
      reply: ['action'],
      also: ['floating-ips.test.ts: unassigned means unreachable'],
    },
    {
      section: 'Floating IPs',
      endpoint: 'POST /floating_ips/{id}/actions/change_dns_ptr',
      status: 201,
      required: ['ip', 'dns_ptr'],
      reply: ['action'],
      also: ['floating-ips.test.ts: reverse names follow the rules of their kind of address'],
    },
    {
      section: 'Floating IPs',
      endpoint: 'POST /floating_ips/{id}/actions/change_protection',
      status: 201,
      optional: ['delete'],
      reply: ['action'],
      also: ['floating-ips.test.ts: a protected one is not deleted'],
    },
    ...actionRows('Floating IPs', 'floating_ips', 2),
  ],
  fields: [
    {
      resource: 'Floating IP',
      at: 'floating_ips.get',
      key: 'floating_ip',
      fields: {
        id: 'integer',
        name: 'string',
        labels: 'object',
        created: 'timestamp',
        description: 'string or null',
        type: 'string',
        ip: 'string',
        server: 'integer or null',
        home_location: 'object',
        blocked: 'boolean',
        dns_ptr: 'array',
        protection: 'object',
      },
    },
  ],
  codes: [
    {
      operation: 'DELETE of an assigned Primary IP or Floating IP (from 1 May 2026)',
      at: 'floating_ips.remove',
      codes: [
        {
          code: 'must_be_unassigned',
          status: 422,
        },
      ],
    },
    {
      operation: 'POST /primary_ips and POST /floating_ips, no IP available',
      at: 'floating_ips.create',
      codes: [
        {
          code: 'unavailable',
          status: 412,
        },
      ],
    },
  ],
  sentences: [
    {
      section: 'Action',
      says: 'An action that runs, also while what failed is undone, shows no error',
      tests: ['floating-ips.test.ts: a failed assignment leaves it where it was, unlocked'],
    },
    {
      section: 'Floating IP',
      says: 'IPv4 is one address, IPv6 a network of /64; names are unique',
      tests: [
        'floating-ips.test.ts: an unassigned one has no action, a name of its own and a default reverse name',
        'floating-ips.test.ts: an IPv6 one is a /64 without reverse names',
        'floating-ips.test.ts: names are unique, and updates change what they name',
      ],
    },
    {
      section: 'States and transitions',
      says: 'Assigning, unassigning and creation with a server each have their action',
      tests: [
        'floating-ips.test.ts: with a server it takes its location, is assigned by create_floating_ip, and leads there',
        'floating-ips.test.ts: a move from one server to another is one call, and never leads to both',
        'floating-ips.test.ts: unassigned means unreachable',
      ],
    },
    {
      section: 'States and transitions',
      says: 'Protection prevents deletion',
      tests: [
        'floating-ips.test.ts: a protected one is not deleted',
        'own-images.test.ts: a snapshot can be protected from deletion, a backup cannot',
      ],
    },
    {
      section: 'Floating IPs',
      says: 'change_dns_ptr: the exact address or one inside the /64; null resets; the key is mandatory; no trailing dot',
      tests: ['floating-ips.test.ts: reverse names follow the rules of their kind of address'],
    },
    {
      section: 'Floating IPs',
      says: 'Without a free address creation answers 412 unavailable',
      tests: [
        'floating-ips.test.ts: 40 clients draining a pool get each address once, and an empty pool is 412 unavailable',
      ],
    },
  ],
}

// ---- Writes under kill -9 ------------------------------------------------------------------------------------------

const crash: Proof['crash'] = {
  shows: {
    floating_ips: (ip) => ({
      ...showsNamed(ip),
      description: ip.description,
      server: keyOf('servers', ip.server),
      dns: ip.dns_ptr[0]?.dns_ptr ?? '',
      ...showsProtected(ip),
    }),
  },
  writes: {
    'POST /floating_ips': (draw) => {
      const server = draw.oneOf([false, true]) ? draw.any('servers') : undefined
      const place = server ? { server: server.id } : { home_location: 'fsn1' }
      return {
        body: { ...named(draw), type: 'ipv4', description: draw.version, ...place },
        makes: { ...namedState(draw), description: draw.version, server: server?.key ?? '', protected: 'no' },
      }
    },
    'PUT /floating_ips/{floating_ips}': (draw) => ({
      body: { ...named(draw), description: draw.version },
      to: { ...namedState(draw), description: draw.version },
    }),
    'DELETE /floating_ips/{floating_ips}': when(({ server }) => !server, removes),
    'POST /floating_ips/{floating_ips}/actions/assign': (draw, { state }) => {
      const { id, key } = draw.any('servers')
      return key === state.server ? undefined : { body: { server: id }, to: { server: key } }
    },
    'POST /floating_ips/{floating_ips}/actions/unassign': when(
      ({ server }) => Boolean(server),
      () => ({ to: { server: '' } }),
    ),
    'POST /floating_ips/{floating_ips}/actions/change_dns_ptr': ({ version }, { shown: { ip } }) => ({
      body: { ip, dns_ptr: `${version}.example.com` },
      to: { dns: `${version}.example.com` },
    }),
    'POST /floating_ips/{floating_ips}/actions/change_protection': protects,
  },
}

export const proof: Proof = {
  samples,
  references: {
    'floating_ips.create': { family: 'servers', body: (id) => ({ type: 'ipv4', server: id }) },
    'floating_ips.assign': { family: 'servers', body: (id) => ({ server: id }) },
  },
  errors,
  actions,
  consistency,
  traffic,
  crash,
  spec,
}
