import assert from 'node:assert/strict'
import { keyOf, named, namedState, removes, renames, showsNamed, when } from '../../../test/kit/crash.ts'
import type { Client, World } from '../../../test/kit/harness.ts'
import {
  act,
  agree,
  anyLabels,
  anyName,
  anyRename,
  conflict,
  type Draw,
  done,
  neverExisted,
  noBody,
  type Proof,
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
import { actionRows, type SpecRows } from '../../../test/walks/spec/rows.ts'
import { matches, parseSelector, type Selector } from '../../kernel/contract/selectors.ts'
import { createAgain, makeServer, privateOnly, serverBody } from '../servers/proof.ts'
import { type Filter, type Rule, toFilter } from './domain.ts'

/** Creates a firewall and returns its id. */
export async function newFirewall(api: Client, name: string, options: object = {}): Promise<number> {
  return (await done(api.post('/firewalls', { name, ...options }))).firewall.id
}

export const toServer = (id: number) => ({ type: 'server', server: { id } })
export const toSelector = (selector: string) => ({ type: 'label_selector', label_selector: { selector } })

/** Puts servers behind a new firewall, and waits for it. */
export async function guard(
  { api, settle }: World,
  name: string,
  rules: object[],
  servers: readonly { readonly id: number }[],
): Promise<void> {
  await newFirewall(api, name, { rules, apply_to: servers.map(({ id }) => toServer(id)) })
  await settle()
}

/** How a firewall shows a selector with the servers that it matches. */
export const bySelector = (selector: string, ...servers: number[]) => ({
  ...toSelector(selector),
  applied_to_resources: servers.map(toServer),
})

/** An inbound rule for one port. */
export function allow(port: string, sources: readonly string[] = ['0.0.0.0/0', '::/0']) {
  return { direction: 'in', protocol: 'tcp', port, source_ips: sources }
}

const rules = [allow('22')]

const makeFirewall = ({ api }: World, options: object = {}) =>
  newFirewall(api, unique('firewall'), { rules, ...options })

const prepare: Samples['prepare'] = async ({ api }) => {
  const { firewall, actions } = await done(api.post('/firewalls', { name: unique('firewall'), rules }))
  return { id: firewall.id, actionId: actions[0].id }
}

const create = (client: Client, apply_to: object[]) => client.post('/firewalls', { name: unique('firewall'), apply_to })

/** An action as it is shown. */
interface Told {
  readonly id: number
  readonly command: string
  readonly status: string
  readonly resources: readonly { id: number; type: string }[]
}

/** Commands with the resources they name, without the ids of selectors, which nobody can know. */
export const told = (actions: readonly Told[]) =>
  actions.map(({ command, resources }) => [
    command,
    ...resources.map(({ type, id }) => (type === 'label_selector' ? type : `${type} ${id}`)),
  ])

/** Asks for a firewall to be applied to targets. */
export const apply = (api: Client, id: number, ...targets: unknown[]) =>
  api.post(`/firewalls/${id}/actions/apply_to_resources`, { apply_to: targets })

/** Asks for a firewall to be removed from targets. */
export const remove = (api: Client, id: number, ...targets: unknown[]) =>
  api.post(`/firewalls/${id}/actions/remove_from_resources`, { remove_from: targets })

/** Asks for other rules of a firewall. */
export const setRules = (api: Client, id: number, rules: unknown[]) =>
  api.post(`/firewalls/${id}/actions/set_rules`, { rules })

/** The inbound ports that are open at a server now; undefined when it has no filter. */
export const openPorts = ({ simulation }: World, id: number) =>
  simulation.world.filters.get(id)?.inbound.accept.flatMap(({ ports }) => (ports ? [ports.first] : []))

/** The newest actions that name a server. */
export const actionsOf = async (api: Client, id: number): Promise<Told[]> =>
  (await done(api.get(`/servers/${id}/actions?sort=id`))).actions

const samples: Samples = {
  prepare,
  requests: {
    create: () => ({ body: { name: unique('firewall'), rules } }),
    update: rename('firewall'),
    setRules: () => ({ body: { rules: [allow('80')] } }),
    applyToResources: () => ({ body: { apply_to: [toSelector('sample=applied')] } }),
    async removeFromResources({ api }, { id }) {
      const target = toSelector('sample=removed')
      await done(apply(api, id, target))
      return { body: { remove_from: [target] } }
    },
  },
}

const references: Proof['references'] = {
  'firewalls.create': { family: 'servers', body: (id) => ({ name: unique('firewall'), apply_to: [toServer(id)] }) },
  'firewalls.applyToResources': { family: 'servers', body: (id) => ({ apply_to: [toServer(id)] }) },
  'firewalls.removeFromResources': { family: 'servers', body: (id) => ({ remove_from: [toServer(id)] }) },
  'servers.create firewalls': {
    family: 'firewalls',
    body: (id) => serverBody(unique('server'), { firewalls: [{ firewall: id }] }),
  },
}

// ---- Errors --------------------------------------------------------------------------------------------------------

/** A server under as many firewalls as it may have. */
async function makeFullServer(stage: Stage): Promise<number> {
  const id = await makeServer(stage)
  for (let i = 0; i < 5; i++) await makeFirewall(stage, { apply_to: [toServer(id)] })
  await stage.settle()
  return id
}

const errors: Proof['errors'] = {
  'firewalls.create': {
    uniqueness_error: takenTwice('/firewalls', () => ({ name: unique('firewall') })),
    async server_already_added(stage) {
      const target = toServer(await makeServer(stage))
      return create(stage.api, [target, target])
    },
    incompatible_network_type: async (stage) => create(stage.api, [toServer(await makeServer(stage, privateOnly))]),
    firewall_resource_not_found: ({ api }) => create(api, [toServer(neverExisted)]),
    resource_limit_exceeded: async (stage) => create(stage.api, [toServer(await makeFullServer(stage))]),
  },
  'firewalls.update': {
    uniqueness_error: takenName('firewalls', prepare),
    conflict: conflict('firewalls', 'firewall', prepare),
  },
  'firewalls.remove': {
    async resource_in_use(stage) {
      const id = await makeFirewall(stage, { apply_to: [toSelector('in=use')] })
      return stage.api.delete(`/firewalls/${id}`)
    },
  },
  'firewalls.applyToResources': {
    async firewall_already_applied(stage) {
      const target = toServer(await makeServer(stage))
      return apply(stage.api, await makeFirewall(stage, { apply_to: [target] }), target)
    },
    incompatible_network_type: async (stage) =>
      apply(stage.api, await makeFirewall(stage), toServer(await makeServer(stage, privateOnly))),
    firewall_resource_not_found: async (stage) => apply(stage.api, await makeFirewall(stage), toServer(neverExisted)),
    async resource_limit_exceeded(stage) {
      const id = await makeFullServer(stage)
      return apply(stage.api, await makeFirewall(stage), toServer(id))
    },
  },
  'firewalls.removeFromResources': {
    firewall_resource_not_found: async (stage) =>
      remove(stage.api, await makeFirewall(stage), toServer(await makeServer(stage))),
    async firewall_managed_by_label_selector(stage) {
      const label = unique('managed')
      const server = await makeServer(stage, { labels: { [label]: 'yes' } })
      const id = await makeFirewall(stage, { apply_to: [toSelector(label)] })
      return remove(stage.api, id, toServer(server))
    },
  },
  'servers.create': {
    async resource_limit_exceeded(stage) {
      const firewalls: { firewall: number }[] = []
      for (let i = 0; i < 6; i++) firewalls.push({ firewall: await makeFirewall(stage) })
      return stage.api.post('/servers', serverBody(unique('server'), { firewalls }))
    },
  },
  'servers.update': {
    async resource_limit_exceeded(stage) {
      const label = unique('sixth')
      const id = await makeFullServer(stage)
      await makeFirewall(stage, { apply_to: [toSelector(label)] })
      return stage.api.put(`/servers/${id}`, { labels: { [label]: 'yes' } })
    },
  },
}

// ---- Actions -------------------------------------------------------------------------------------------------------

const actions: Proof['actions'] = {
  async 'servers/create_server under a firewall'(world) {
    return createAgain(world, { firewalls: [{ firewall: await makeFirewall(world) }] })
  },
  async 'servers/delete_server under a firewall'(world) {
    const id = await makeServer(world)
    await makeFirewall(world, { apply_to: [toServer(id)] })
    await world.settle()
    return act((api) => api.delete(`/servers/${id}`))
  },
  async 'firewalls/apply_firewall'(world) {
    const [server, firewall] = [await makeServer(world), await makeFirewall(world)]
    return act((api) => apply(api, firewall, toServer(server)))
  },
  async 'firewalls/remove_firewall'(world) {
    const target = toServer(await makeServer(world))
    const firewall = await makeFirewall(world, { apply_to: [target] })
    await world.settle()
    let isApplied = true
    return act(async (api) => {
      // One that could not be removed from the server is wanted no longer all the same: it is put back to go again.
      if (!isApplied) {
        await done(apply(api, firewall, target))
        await world.settle()
      }
      isApplied = false
      return remove(api, firewall, target)
    })
  },
  async 'firewalls/set_firewall_rules'(world) {
    const firewall = await makeFirewall(world, { apply_to: [toServer(await makeServer(world))] })
    await world.settle()
    let port = 1000
    return act((api) => api.post(`/firewalls/${firewall}/actions/set_rules`, { rules: [allow(String(++port))] }))
  },
}

// ---- What must add up ----------------------------------------------------------------------------------------------

function isMatch(selector: string, labels: string): boolean {
  const result = parseSelector(selector)
  assert.ok(result.ok)
  return matches((result as { selector: Selector }).selector, JSON.parse(labels))
}

/** Matches are recomputed from the labels: they must say the same, each server once a firewall. */
async function checkMatches(found: Snapshot): Promise<void> {
  const servers = await found.all('server')
  const applications = await found.all('firewall_application')
  const rows = await found.all('firewall_match')
  const wanted = new Set<string>()
  for (const { firewall_id, selector, project_id } of applications) {
    for (const { id, labels, project_id: owner } of servers) {
      if (selector === null || owner !== project_id) continue
      if (isMatch(selector, labels)) wanted.add(`${firewall_id} ${id}`)
    }
  }
  const actual = rows.map(({ firewall_id, server_id }) => `${firewall_id} ${server_id}`).sort()
  assert.deepEqual(actual, [...wanted].sort(), 'matches follow the labels')
  for (const { application_id, firewall_id, server_id } of rows) {
    const application = applications.find((one) => one.id === application_id)
    assert.equal(application?.firewall_id, firewall_id, 'I10: a match counts for a selector of its firewall')
    const { labels } = servers.find((server) => server.id === server_id)!
    assert.ok(isMatch(application!.selector!, labels), 'a match counts for a selector that holds')
  }
}

/** A filter as its rules add up: their order means nothing. */
function inOrder({ inbound, outbound }: Filter): unknown {
  const sorted = ({ otherwise, accept }: Filter['inbound']) => ({
    otherwise,
    accept: accept.map(({ protocol, ports, networks }) => JSON.stringify([protocol, ports, networks])).sort(),
  })
  return { inbound: sorted(inbound), outbound: sorted(outbound) }
}

/** I7: each server has in force what its firewalls add up to, and no more firewalls than it may. */
async function checkFilters(found: Snapshot, { simulation }: World, pendingToo: boolean): Promise<void> {
  const rows = [...(await found.all('firewall_application')), ...(await found.all('firewall_match'))]
  const [filters, firewalls] = [await found.all('firewall_filter'), await found.all('firewall')]
  for (const { id } of await found.all('server')) {
    const ids = new Set(rows.filter((row) => row.server_id === id).map((row) => row.firewall_id))
    assert.ok(ids.size <= 5, `server ${id} has ${ids.size} firewalls`)
    const filter = filters.find((row) => row.id === id)
    if (ids.size > 0) assert.ok(filter, `server ${id} has a filter`)
    if (filter && filter.generation_in_force < filter.generation && !pendingToo) continue
    const its = firewalls.filter((firewall) => ids.has(firewall.id))
    const wanted = toFilter(its.map((firewall) => ({ rules: JSON.parse(firewall.rules) as Rule[] })))
    const inForce = simulation.world.filters.get(id) ?? toFilter([])
    assert.deepEqual(inOrder(inForce), inOrder(wanted), `I7: the filter of server ${id} is in force`)
  }
}

const consistency: Proof['consistency'] = {
  resources: 'firewall',
  belongs: [
    ['firewall_application', 'server_id', 'server'],
    ['firewall_application', 'firewall_id', 'firewall'],
    ['firewall_match', 'server_id', 'server'],
    ['firewall_match', 'firewall_id', 'firewall'],
    ['firewall_filter', 'id', 'server'],
  ],
  rows: checkMatches,
  async world(found, world, { pendingToo = false }) {
    const servers = new Set<number>((await found.all('server')).map(({ id }) => id))
    for (const id of world.simulation.world.filters.keys()) assert.ok(servers.has(id), `I10: filter of no server ${id}`)
    await checkFilters(found, world, pendingToo)
  },
  shown: (api) =>
    agree(
      api,
      ['servers', ({ public_net }) => public_net.firewalls.map(({ id }: Shown) => id)],
      ['firewalls', ({ id, applied_to }) => serversOf(id, applied_to)],
    ),
}

interface AppliedTo {
  readonly server?: { readonly id: number }
  readonly applied_to_resources?: readonly AppliedTo[]
}

function serversOf(firewall: number, entries: readonly AppliedTo[]): number[] {
  const selected = entries.flatMap((entry) => entry.applied_to_resources ?? []).map((one) => one.server!.id)
  assert.equal(new Set(selected).size, selected.length, `firewall ${firewall} shows a server under one selector`)
  return [...new Set([...selected, ...entries.flatMap(({ server }) => server?.id ?? [])])]
}

// ---- Random requests -----------------------------------------------------------------------------------------------

const ruleSets = [
  [],
  [allow('80')],
  [allow('22', ['10.0.0.0/8']), allow('any')],
  [{ direction: 'out', protocol: 'icmp', destination_ips: ['::/0'] }],
  [allow('443'), { direction: 'out', protocol: 'udp', port: '1-53', destination_ips: ['192.0.2.0/24'] }],
]
const selectors = ['env', 'env=dev', '!env', 'tier in (1,2)', 'env!=prod,tier']

/** Up to two servers, in any order, or those of a selector. */
async function anyTargets({ any, number, oneOf }: Draw): Promise<object[]> {
  const toAny = async () => toServer((await any('servers')).id)
  return [[], [toSelector(oneOf(selectors))], [await toAny()], [await toAny(), await toAny()]][number(4)]!
}

const traffic: Proof['traffic'] = {
  kind: 'firewall',
  requests: {
    'POST /firewalls': async (draw) => ({
      name: anyName('f', draw),
      labels: anyLabels(draw),
      rules: draw.oneOf(ruleSets),
      apply_to: draw.number(2) === 0 ? [toSelector(draw.oneOf(selectors))] : await anyTargets(draw),
    }),
    'PUT /firewalls/{firewalls}': anyRename('f'),
    'DELETE /firewalls/{firewalls}': noBody,
    'POST /firewalls/{firewalls}/actions/set_rules': ({ oneOf }) => ({ rules: oneOf(ruleSets) }),
    'POST /firewalls/{firewalls}/actions/apply_to_resources': async (draw) => ({ apply_to: await anyTargets(draw) }),
    'POST /firewalls/{firewalls}/actions/remove_from_resources': async (draw) => ({
      remove_from: await anyTargets(draw),
    }),
  },
  adds: { 'POST /servers': async ({ any }) => ({ firewalls: [{ firewall: (await any('firewalls')).id }] }) },
  release: (api, { id, applied_to }) => remove(api, id, ...applied_to),
}

// ---- Rows of the spec ----------------------------------------------------------------------------------------------

const ports = (count: number) => Array.from({ length: count }, (_, i) => allow(String(i + 1), ['10.0.0.0/8']))

const spec: SpecRows = {
  limits: [
    {
      limit: 'Firewall rules',
      async check(open) {
        const { api } = await open()
        const id = await newFirewall(api, 'f')
        const setRules = (count: number) => api.post(`/firewalls/${id}/actions/set_rules`, { rules: ports(count) })
        expect(await setRules(50), 201)
        assertNames(await setRules(51), 'rules')
        expect(await api.post('/firewalls', { name: 'g', rules: ports(50) }), 201)
        assertNames(await api.post('/firewalls', { name: 'h', rules: ports(51) }), 'rules')
      },
    },
  ],
  endpoints: [
    {
      section: 'Firewalls',
      endpoint: 'GET /firewalls',
      status: 200,
      query: ['name', 'label_selector', 'page', 'per_page'],
      sort: ['id', 'name', 'created'],
      reply: ['firewalls', 'meta'],
      also: ['firewalls.test.ts: lists sort by id, name and creation, and filter by name and labels'],
    },
    {
      section: 'Firewalls',
      endpoint: 'POST /firewalls',
      status: 201,
      required: ['name'],
      optional: ['labels', 'rules', 'apply_to'],
      reply: ['firewall', 'actions'],
      also: ['firewalls.test.ts: a firewall has exactly the documented fields, and is gone after its deletion'],
    },
    {
      section: 'Firewalls',
      endpoint: 'GET /firewalls/{id}',
      status: 200,
      reply: ['firewall'],
    },
    {
      section: 'Firewalls',
      endpoint: 'PUT /firewalls/{id}',
      status: 200,
      optional: ['labels', 'name'],
      reply: ['firewall'],
      also: [
        'firewalls.test.ts: an update changes what it names, labels as a whole, and nothing else',
        'firewalls.test.ts: who keeps losing against rivals hears conflict, and nothing of theirs is written',
      ],
    },
    {
      section: 'Firewalls',
      endpoint: 'DELETE /firewalls/{id}',
      status: 204,
      reply: [],
      also: [
        'applications.test.ts: a firewall in use cannot be deleted, be it by a server or by a selector without servers',
      ],
    },
    {
      section: 'Firewalls',
      endpoint: 'POST /firewalls/{id}/actions/apply_to_resources',
      status: 201,
      required: ['apply_to'],
      reply: ['actions'],
      also: ['applications.test.ts: applying to a server puts its rules in force there, removing takes them out again'],
    },
    {
      section: 'Firewalls',
      endpoint: 'POST /firewalls/{id}/actions/remove_from_resources',
      status: 201,
      required: ['remove_from'],
      reply: ['actions'],
      also: ['applications.test.ts: removing several targets is done as a whole or not at all'],
    },
    {
      section: 'Firewalls',
      endpoint: 'POST /firewalls/{id}/actions/set_rules',
      status: 201,
      required: ['rules'],
      reply: ['actions'],
      also: ['firewalls.test.ts: new rules start an apply_firewall for each server; the same rules again start none'],
    },
    ...actionRows('Firewalls', 'firewalls', 4, [
      'firewalls.test.ts: the actions of firewalls are listed, filtered and found in four places',
    ]),
  ],
  fields: [
    {
      resource: 'Firewall',
      at: 'firewalls.get',
      key: 'firewall',
      fields: {
        id: 'integer',
        name: 'string',
        labels: 'object',
        created: 'timestamp',
        rules: 'array',
        applied_to: 'array',
      },
    },
  ],
  codes: [
    {
      operation: 'POST /firewalls',
      at: 'firewalls.create',
      codes: [
        {
          code: 'server_already_added',
          status: 422,
        },
        {
          code: 'incompatible_network_type',
          status: 422,
        },
        {
          code: 'firewall_resource_not_found',
          status: 422,
        },
      ],
    },
    {
      operation: 'DELETE /firewalls/{id}',
      at: 'firewalls.remove',
      codes: [
        {
          code: 'resource_in_use',
          status: 422,
        },
      ],
    },
    {
      operation: 'POST /firewalls/{id}/actions/apply_to_resources',
      at: 'firewalls.applyToResources',
      codes: [
        {
          code: 'firewall_already_applied',
          status: 422,
        },
        {
          code: 'incompatible_network_type',
          status: 422,
        },
        {
          code: 'firewall_resource_not_found',
          status: 404,
        },
      ],
    },
    {
      operation: 'POST /firewalls/{id}/actions/remove_from_resources',
      at: 'firewalls.removeFromResources',
      codes: [
        {
          code: 'firewall_resource_not_found',
          status: 404,
        },
        {
          code: 'firewall_managed_by_label_selector',
          status: 422,
        },
      ],
      unused: {
        firewall_already_removed: 'the row itself says that it is no longer used',
      },
    },
    {
      operation: 'POST /firewalls/{id}/actions/set_rules',
      at: 'firewalls.setRules',
      codes: [],
      unused: {
        firewall_resource_not_found: 'rules name no resource that could be missing',
      },
    },
    {
      operation: 'Firewall operations, resource to attach/detach does not exist',
      at: 'firewalls.applyToResources',
      codes: [
        {
          code: 'firewall_resource_not_found',
          status: 404,
        },
      ],
    },
  ],
  sentences: [
    {
      section: 'Common types',
      says: 'Ids are wider than 32 bits; timestamps are RFC 3339',
      tests: [
        'ssh-keys.test.ts: a key comes back byte for byte, with its MD5 fingerprint, under an id of more than 32 bits',
        'firewalls.test.ts: a firewall has exactly the documented fields, and is gone after its deletion',
      ],
    },
    {
      section: 'Labels',
      says: 'The prefix <vendor>.cloud/ is reserved, and no other',
      tests: ['firewalls.test.ts: labels cannot have the prefix of the installation; its subdomains are free'],
    },
    {
      section: 'Labels',
      says: 'An update replaces all labels',
      tests: [
        'firewalls.test.ts: an update changes what it names, labels as a whole, and nothing else',
        'servers.test.ts: an update changes what it names, labels as a whole, and nothing else',
      ],
    },
    {
      section: 'Label selector',
      says: 'Lists and firewalls choose by the same expressions',
      tests: [
        'listing.test.ts: under every selector, sort and page shows what looking at everything finds',
        'applications.test.ts: matching follows the labels of servers, with an action for each change',
      ],
    },
    {
      section: 'Firewall',
      says: 'Networks have no host bits',
      tests: ['domain.test.ts: a network needs its mask and must not have host bits'],
    },
    {
      section: 'Firewall',
      says: 'Without an inbound rule nothing comes in, without an outbound rule everything goes out',
      tests: [
        'domain.test.ts: with a firewall without rules nothing may come in and everything may go out',
        'domain.test.ts: the first outbound rule closes the way out for everything else',
      ],
    },
    {
      section: 'Firewall',
      says: 'An entry for a selector lists the servers that it matches',
      tests: ['applications.test.ts: matching follows the labels of servers, with an action for each change'],
    },
    {
      section: 'Firewalls',
      says: 'A server that several selectors of a firewall match is shown under one of them',
      tests: [
        'applications.test.ts: under several selectors of a firewall a server is shown once, and passes to the next one',
      ],
    },
    {
      section: 'Firewalls',
      says: 'Rules that do not change start no apply_firewall',
      tests: ['firewalls.test.ts: new rules start an apply_firewall for each server; the same rules again start none'],
    },
  ],
}

// ---- Writes under kill -9 ------------------------------------------------------------------------------------------

const portOf = (number: number) => String(1 + (number % 65_535))

const crash: Proof['crash'] = {
  shows: {
    firewalls: (firewall) => ({
      ...showsNamed(firewall),
      port: firewall.rules[0]?.port ?? '',
      server: firewall.applied_to
        .map(({ server }: ReturnType<typeof toServer>) => keyOf('servers', server.id))
        .join(' '),
    }),
  },
  writes: {
    'POST /firewalls': (draw) => {
      const server = draw.oneOf([false, true]) ? draw.any('servers') : undefined
      const port = portOf(draw.number)
      return {
        body: { ...named(draw), rules: [allow(port)], apply_to: server ? [toServer(server.id)] : [] },
        makes: { ...namedState(draw), port, server: server?.key ?? '' },
      }
    },
    'PUT /firewalls/{firewalls}': renames,
    'DELETE /firewalls/{firewalls}': removes,
    'POST /firewalls/{firewalls}/actions/set_rules': ({ number }) => ({
      body: { rules: [allow(portOf(number))] },
      to: { port: portOf(number) },
    }),
    'POST /firewalls/{firewalls}/actions/apply_to_resources': when(
      ({ server }) => !server,
      ({ any }) => {
        const { id, key } = any('servers')
        return { body: { apply_to: [toServer(id)] }, to: { server: key } }
      },
    ),
    'POST /firewalls/{firewalls}/actions/remove_from_resources': when(
      ({ server }) => Boolean(server),
      (_, { state }) => ({
        body: { remove_from: [toServer(Number(state.server!.split('/')[1]))] },
        to: { server: '' },
      }),
    ),
  },
}

export const proof: Proof = { samples, references, errors, actions, consistency, traffic, crash, spec }
