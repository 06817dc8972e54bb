/**
 * Walks the calendar of dated changes: each row that concerns a family there is has a case on the day before it and one
 * on the day itself; the others say why they make no difference.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calendar } from '../../src/calendar.ts'
import { makeBox, makeSubaccount } from '../../src/families/storage-boxes/proof.ts'
import { families } from '../../src/families.ts'
import { createProject } from '../../src/kernel/access/projects.ts'
import { createToken } from '../../src/kernel/access/tokens.ts'
import type { Endpoint } from '../../src/kernel/contract/contract.ts'
import { timestamp } from '../../src/kernel/process/clock.ts'
import {
  type Answer,
  forDatabasesInTurn,
  forEachDatabase,
  openForSuite,
  testClock,
  type World,
} from '../kit/harness.ts'
import { unique } from '../kit/proof.ts'
import { certify, chain, keyPem, party, pem } from '../kit/samples/certificates.ts'

/** What is observed on both sides of a change, from answers that look alike otherwise. */
type Case = (world: World) => Promise<unknown>

interface Expectation {
  readonly observe: Case
  readonly before: unknown
  readonly after: unknown
  /** Set for a case that takes all addresses there are, so that it needs a world with few. */
  readonly isGreedy?: true
}

const code = ({ status, body }: Answer) => (body?.error ? `${status} ${body.error.code}` : status)
const has = (object: object, field: string) => Object.hasOwn(object, field)

async function ok(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body, text } = await answer
  assert.ok(status < 300, text)
  return body
}

async function makeServer(world: World): Promise<{ id: number }> {
  const asked = { name: 'calendar', server_type: 'ccx13', image: 'ubuntu-22.04', location: 'fsn1' }
  const { server } = await ok(world.api.post('/servers', asked))
  await world.settle()
  return server
}

async function makeFloatingIp(world: World, more: object = { home_location: 'fsn1' }) {
  const { floating_ip } = await ok(world.api.post('/floating_ips', { type: 'ipv4', ...more }))
  await world.settle()
  return floating_ip
}

const askForPrimaryIp = ({ api }: World, more: object) => api.post('/primary_ips', { name: 'a', type: 'ipv4', ...more })

async function primaryIp(world: World) {
  return (await ok(askForPrimaryIp(world, { location: 'fsn1', assignee_type: 'server' }))).primary_ip
}

const askForLoadBalancer = ({ api }: World, more: object) =>
  api.post('/load_balancers', { name: unique('balancer'), load_balancer_type: 'lb11', location: 'fsn1', ...more })

async function makeRrset(api: World['api']): Promise<string> {
  const rrsets = [{ name: 'www', type: 'A', records: [{ value: '192.0.2.1' }] }]
  const name = `${unique('calendar')}.example`
  await ok(api.post('/zones', { name, mode: 'primary', rrsets }))
  return `/zones/${name}/rrsets/www/A`
}

const serverType = async ({ api }: World) => (await ok(api.get('/server_types/96'))).server_type
const priceList = async ({ api }: World) => (await ok(api.get('/pricing'))).pricing
const image = async ({ api }: World) => (await ok(api.get('/images/161547269'))).image
const loadBalancerType = async ({ api }: World) => (await ok(api.get('/load_balancer_types/1'))).load_balancer_type
const iso = async ({ api }: World) => (await ok(api.get('/isos?per_page=1'))).isos[0]
const field =
  (read: Case, name: string): Case =>
  async (world) =>
    has((await read(world)) as object, name)

/** An action that is older than 90 days is still found. */
const findsOldAction: Case = async (world) => {
  const { actions } = await ok(world.api.post('/firewalls', { name: 'old' }))
  const now = world.clock.now()
  world.clock.advance(-91 * 86_400_000)
  const { id } = (await ok(world.api.post('/firewalls', { name: 'older' }))).actions[0]
  world.clock.set(new Date(now).toISOString())
  assert.equal((await world.api.get(`/actions/${actions[0].id}`)).status, 200)
  return (await world.api.get(`/actions/${id}`)).status
}

const expectations: Partial<Record<string, Expectation>> = {
  network_vswitch_routes: {
    observe: async ({ api }) => {
      const { network } = await ok(api.post('/networks', { name: 'n', ip_range: '10.0.0.0/16' }))
      return has(network, 'expose_routes_to_vswitch')
    },
    before: false,
    after: true,
  },
  vswitch_subnet_smaller: {
    observe: async ({ api }) => {
      const subnets = [{ type: 'vswitch', network_zone: 'eu-central', vswitch_id: 4711, ip_range: '10.0.0.0/16' }]
      return code(await api.post('/networks', { name: 'n', ip_range: '10.0.0.0/16', subnets }))
    },
    // There is no such vSwitch, which is found out last.
    before: '422 service_error',
    after: '422 invalid_input',
  },
  attach_ip_range: {
    observe: async (world) => {
      const { id } = await makeServer(world)
      const ip_range = '10.0.1.0/24'
      const subnets = [{ type: 'cloud', network_zone: 'eu-central', ip_range }]
      const { network } = await ok(world.api.post('/networks', { name: 'n', ip_range: '10.0.0.0/16', subnets }))
      const asked = { network: network.id, ip_range }
      return code(await world.api.post(`/servers/${id}/actions/attach_to_network`, asked))
    },
    before: '422 invalid_input',
    after: 201,
  },
  network_members: {
    observe: async ({ api }) => {
      const { network } = await ok(api.post('/networks', { name: 'n', ip_range: '10.0.0.0/16' }))
      return code(await api.get(`/networks/${network.id}/members`))
    },
    before: '404 not_found',
    after: 200,
  },
  server_subnets_removed: {
    observe: async ({ api }) => {
      const subnets = [{ type: 'server', network_zone: 'eu-central' }]
      return code(await api.post('/networks', { name: 'n', ip_range: '10.0.0.0/16', subnets }))
    },
    before: 201,
    after: '422 invalid_input',
  },
  architecture_added: { observe: field(image, 'architecture'), before: false, after: true },
  server_type_traffic_added: { observe: field(serverType, 'included_traffic'), before: false, after: true },
  action_endpoints_added: {
    observe: async ({ api }) => code(await api.get('/firewalls/actions')),
    before: '404 not_found',
    after: 200,
  },
  server_type_deprecation_added: { observe: field(serverType, 'deprecation'), before: false, after: true },
  sort_by_progress_removed: {
    observe: async (world) =>
      code(await world.api.get(`/servers/${(await makeServer(world)).id}/actions?sort=progress`)),
    before: 200,
    after: '422 invalid_input',
  },
  action_history_limited: { observe: findsOldAction, before: 200, after: 404 },
  compression_added: {
    observe: async ({ baseUrl, api }) => {
      const headers = { authorization: `Bearer ${api.token}`, 'accept-encoding': 'gzip' }
      const answer = await fetch(`${baseUrl}/images`, { headers })
      await answer.arrayBuffer()
      return answer.headers.get('content-encoding')
    },
    before: null,
    after: 'gzip',
  },
  price_traffic_added: {
    observe: async (world) => has((await serverType(world)).prices[0], 'price_per_tb_traffic'),
    before: false,
    after: true,
  },
  server_type_traffic_null: {
    observe: async (world) => (await serverType(world)).included_traffic === null,
    before: false,
    after: true,
  },
  rescue_linux32_removed: {
    observe: async (world) => {
      const { id } = await makeServer(world)
      return code(await world.api.post(`/servers/${id}/actions/enable_rescue`, { type: 'linux32' }))
    },
    before: 201,
    after: '422 invalid_input',
  },
  pricing_traffic_null: {
    observe: async (world) => (await priceList(world)).traffic === null,
    before: false,
    after: true,
  },
  location_sin_added: {
    observe: async ({ api }) => [
      (await ok(api.get('/locations'))).locations.length,
      code(await api.get('/locations/6')),
    ],
    before: [5, '404 not_found'],
    after: [6, 200],
  },
  server_type_traffic_removed: { observe: field(serverType, 'included_traffic'), before: true, after: false },
  pricing_traffic_removed: { observe: field(priceList, 'traffic'), before: true, after: false },
  actions_listing_removed: {
    observe: async ({ api }) => code(await api.get('/actions')),
    before: 200,
    after: '410 deprecated_api_endpoint',
  },
  firewall_not_found_code: {
    observe: async ({ api }) => {
      const { firewall } = await ok(api.post('/firewalls', { name: 'f' }))
      const apply_to = [{ type: 'server', server: { id: 4711 } }]
      return code(await api.post(`/firewalls/${firewall.id}/actions/apply_to_resources`, { apply_to }))
    },
    before: '404 not_found',
    after: '404 firewall_resource_not_found',
  },
  no_address_is_412: {
    observe: async (world) => {
      await makeFloatingIp(world)
      await makeFloatingIp(world)
      return code(await world.api.post('/floating_ips', { type: 'ipv4', home_location: 'fsn1' }))
    },
    before: '503 unavailable',
    after: '412 unavailable',
    isGreedy: true,
  },
  server_type_category_added: { observe: field(serverType, 'category'), before: false, after: true },
  server_type_locations_added: { observe: field(serverType, 'locations'), before: false, after: true },
  server_type_availability_added: {
    observe: field(async (world) => ((await serverType(world)) as { locations: object[] }).locations[0], 'available'),
    before: false,
    after: true,
  },
  dns_ptr_trailing_dot: {
    observe: async (world) => {
      const { id, ip } = await makeFloatingIp(world)
      return code(
        await world.api.post(`/floating_ips/${id}/actions/change_dns_ptr`, { ip, dns_ptr: 'www.example.com.' }),
      )
    },
    before: 201,
    after: '422 invalid_input',
  },
  rrset_comments: {
    observe: async ({ api }) => {
      const path = await makeRrset(api)
      const records = [{ value: '192.0.2.1', comment: 'changed' }]
      return code(await api.post(`${path}/actions/update_records`, { records }))
    },
    before: '404 not_found',
    after: 200,
  },
  cidr_host_bits_refused: {
    observe: async ({ api }) => {
      const rules = [{ direction: 'in', protocol: 'tcp', port: '80', source_ips: ['10.0.0.1/8'] }]
      const answer = await api.post('/firewalls', { name: 'f', rules })
      return answer.body.firewall?.rules[0].source_ips ?? code(answer)
    },
    before: ['10.0.0.0/8'],
    after: '422 invalid_input',
  },
  rfc3339_timestamps: {
    observe: async ({ api }) => (await ok(api.post('/firewalls', { name: 'f' }))).firewall.created.slice(19),
    before: '+00:00',
    after: 'Z',
  },
  server_location_added: {
    observe: async (world) =>
      has((await ok(world.api.get(`/servers/${(await makeServer(world)).id}`))).server, 'location'),
    before: false,
    after: true,
  },
  certificate_key_sizes: {
    async observe({ api }) {
      const self = party('www.example.com', 'P-521')
      const certificate = pem('CERTIFICATE', certify(self, self))
      return code(await api.post('/certificates', { name: 'c', certificate, private_key: keyPem(self.privateKey) }))
    },
    before: 201,
    after: '422 invalid_input',
  },
  certificate_size_limits: {
    async observe({ api }) {
      const { certificate, private_key } = chain(6)
      return code(await api.post('/certificates', { name: 'c', certificate, private_key }))
    },
    before: 201,
    after: '422 invalid_input',
  },
  rebuild_user_data: {
    observe: async (world) => {
      const { id } = await makeServer(world)
      return code(await world.api.post(`/servers/${id}/actions/rebuild`, { image: 'debian-12', user_data: 'x' }))
    },
    before: '422 invalid_input',
    after: 201,
  },
  floating_ip_delete_needs_unassign: {
    observe: async (world) => {
      const server = await makeServer(world)
      const { id } = await makeFloatingIp(world, { server: server.id })
      return code(await world.api.delete(`/floating_ips/${id}`))
    },
    before: 204,
    after: '422 must_be_unassigned',
  },
  primary_ip_location_added: { observe: field(primaryIp, 'location'), before: false, after: true },
  assignee_type_optional: {
    observe: async (world) => code(await askForPrimaryIp(world, { location: 'fsn1' })),
    before: '422 invalid_input',
    after: 201,
  },
  primary_ip_delete_needs_unassign: {
    observe: async (world) => {
      const asked = { name: 'off', server_type: 'ccx13', image: 'ubuntu-22.04', start_after_create: false }
      const { public_net: net } = (await ok(world.api.post('/servers', asked))).server
      await world.settle()
      return code(await world.api.delete(`/primary_ips/${net.ipv4.id}`))
    },
    before: 204,
    after: '422 must_be_unassigned',
  },
  primary_ip_datacenter_removed: {
    observe: async (world) => {
      const answer = await askForPrimaryIp(world, { datacenter: 'nbg1-dc3' })
      return answer.body.primary_ip?.datacenter.location.name ?? code(answer)
    },
    before: 'nbg1',
    after: '422 invalid_input',
  },
  timeout_idle: {
    observe: async (world) => {
      const ask = (http: object) => askForLoadBalancer(world, { services: [{ protocol: 'http', http }] })
      const refused = await ask({ timeout_idle: 60 })
      const { load_balancer } = await ok(ask({}))
      return [code(refused), has(load_balancer.services[0].http, 'timeout_idle')]
    },
    before: ['422 invalid_input', false],
    after: [201, true],
  },
  health_status_detail: {
    observe: async (world) => {
      const { id } = await makeServer(world)
      await ok(world.api.post(`/servers/${id}/actions/poweroff`))
      const services = [{ protocol: 'tcp', listen_port: 25, destination_port: 25 }]
      const asked = { services, targets: [{ type: 'server', server: { id } }] }
      const { load_balancer } = await ok(askForLoadBalancer(world, asked))
      await world.settle()
      const shown = (await ok(world.api.get(`/load_balancers/${load_balancer.id}`))).load_balancer
      return shown.targets[0].health_status
    },
    before: [{ listen_port: 25, status: 'unhealthy' }],
    after: [{ listen_port: 25, status: 'unhealthy', detail: 'layer4_timeout' }],
  },
  load_balancer_public_net: {
    observe: async (world) => {
      const { id } = await primaryIp(world)
      const refused = await askForLoadBalancer(world, { public_net: { ipv4: id } })
      const { load_balancer } = await ok(askForLoadBalancer(world, {}))
      await world.settle()
      const { status, text } = await world.api.delete(`/load_balancers/${load_balancer.id}`)
      return [code(refused), status, text === '']
    },
    before: ['422 invalid_input', 204, true],
    after: [201, 201, false],
  },
  load_balancer_type_deprecation: { observe: field(loadBalancerType, 'deprecation'), before: false, after: true },
  assignee_type_unassigned: {
    observe: async (world) => (await primaryIp(world)).assignee_type,
    before: 'server',
    after: 'unassigned',
  },
  server_datacenter_removed: {
    observe: async (world) => {
      const asked = { name: 'dc', server_type: 'ccx13', image: 'ubuntu-22.04', datacenter: 'nbg1-dc3' }
      const answer = await world.api.post('/servers', asked)
      return answer.body.server?.datacenter.location.name ?? code(answer)
    },
    before: 'nbg1',
    after: '422 invalid_input',
  },
  dns_ptr_required: {
    observe: async (world) => {
      const { id, ip } = await makeFloatingIp(world)
      return code(await world.api.post(`/floating_ips/${id}/actions/change_dns_ptr`, { ip }))
    },
    before: 201,
    after: '422 invalid_input',
  },
  rrset_ttl_required: {
    observe: async ({ api }) => code(await api.post(`${await makeRrset(api)}/actions/change_ttl`, {})),
    before: 201,
    after: '422 invalid_input',
  },
  datacenters_removed: {
    observe: async ({ api }) => code(await api.get('/datacenters')),
    before: 200,
    after: '410 deprecated_api_endpoint',
  },
  storage_box_passwords: {
    observe: async ({ api }) => {
      const box = { name: 'calendar', storage_box_type: 'bx11', location: 'fsn1', password: 'Only8Signs' }
      return code(await api.post('/storage_boxes', box))
    },
    before: 201,
    after: '422 invalid_input',
  },
  subaccount_name: {
    async observe(world) {
      const box = await makeBox(world)
      const subaccount = await makeSubaccount(world, box)
      return has((await ok(world.api.get(`/storage_boxes/${box}/subaccounts/${subaccount}`))).subaccount, 'name')
    },
    before: false,
    after: true,
  },
  iso_deprecation_added: { observe: field(iso, 'deprecation'), before: false, after: true },
  iso_deprecated_removed: { observe: field(iso, 'deprecated'), before: true, after: false },
  deprecated_field_removed: { observe: field(image, 'deprecated'), before: true, after: false },
  link_header_removed: {
    observe: async ({ api }) => (await api.get('/images?per_page=1')).headers.has('link'),
    before: true,
    after: false,
  },
}

/** Rows of the calendar whose cases are in the test of another part, because no API request shows them. */
const elsewhere: Partial<Record<string, string>> = {
  ec2_metadata_removed: 'test/http/metadata.test.ts',
}

/** A world at a moment, for a Project of its own. */
async function worldAt(world: World, moment: number): Promise<World> {
  world.clock.set(new Date(moment).toISOString())
  const token = await world.db.transact(async (tx) => {
    const created = timestamp(tx.now)
    const { id } = await createProject(tx, unique('calendar'), created)
    return createToken(tx, { projectId: id, name: 'calendar', readOnly: false, created })
  })
  return { ...world, api: world.client(token) }
}

forEachDatabase('The calendar', (open, engineName) => {
  const openShared = openForSuite(engineName)
  let shared: Promise<World> | undefined
  const openAlone = () => open({ addressPool: ['198.51.100.0/30', '2001:db8::/32'] })
  const share = () => {
    shared ??= openShared()
    return shared
  }

  for (const { name, from, fromMs } of calendar) {
    const expectation = expectations[name]
    if (!expectation) continue
    const { observe, before, after, isGreedy } = expectation
    const openWorld = isGreedy ? openAlone : share
    test(`${name}: the day before ${from} and the day itself`, async () => {
      for (const [moment, expected] of [
        [fromMs - 86_400_000, before],
        [fromMs, after],
      ] as const) {
        const world = await worldAt(await openWorld(), moment)
        assert.deepEqual(await observe(world), expected, new Date(moment).toISOString())
      }
    })
  }
})

test('each row has its cases, or says why it makes no difference', () => {
  for (const { name, standing } of calendar) {
    const reasons = [expectations[name], elsewhere[name], standing].filter((reason) => reason !== undefined)
    assert.equal(reasons.length, 1, name)
  }
})

forDatabasesInTurn('GET /v1/changes', (open) => {
  test('serves the table and says what holds by the clock', async () => {
    const { anonymous, clock } = await open({ clock: testClock('2026-04-15T00:00:00Z') })
    const row = async () => {
      const { changes } = (await anonymous.get('/changes')).body
      assert.equal(changes.length, calendar.length)
      return changes.find((change: { name: string }) => change.name === 'datacenters_removed')
    }
    assert.equal((await row()).in_effect, false)
    clock.set('2026-10-01T00:00:00Z')
    assert.deepEqual(await row(), {
      name: 'datacenters_removed',
      from: '2026-10-01',
      section: 'Datacenters',
      summary: 'The datacenter endpoints are gone; server_types.locations has what they told',
      in_effect: true,
      waits_for: null,
      standing: null,
    })
  })
})

forDatabasesInTurn('Replies as of an earlier date', (open) => {
  test('change what the contract calls a timestamp, never a text that looks like one', async () => {
    const { api } = await open({ clock: testClock('2025-06-01T00:00:00Z') })
    const looksLikeTime = '2025-06-01T00:00:00Z'
    const labels = { created: 'architecture' }
    const rules = [{ direction: 'in', protocol: 'icmp', source_ips: ['192.0.2.0/24'], description: looksLikeTime }]
    const created = await ok(api.post('/firewalls', { name: looksLikeTime, labels, rules }))
    const { firewall } = await ok(api.get(`/firewalls/${created.firewall.id}`))
    assert.deepEqual(
      [firewall.name, firewall.labels, firewall.rules[0].description, firewall.created],
      [looksLikeTime, labels, looksLikeTime, '2025-06-01T00:00:00+00:00'],
    )
    const { firewalls } = await ok(api.get(`/firewalls?name=${encodeURIComponent(firewall.name)}`))
    assert.deepEqual(
      firewalls.map(({ id }: { id: number }) => id),
      [firewall.id],
    )
  })
})

test('replies have no unions but those with null, so that each value has one schema at every date', () => {
  const unions = (schema: unknown): unknown[] => {
    if (typeof schema !== 'object' || schema === null) return []
    const { anyOf } = schema as { anyOf?: { type?: string }[] }
    const own = anyOf && anyOf.filter(({ type }) => type !== 'null').length !== 1 ? [anyOf] : []
    return [...own, ...Object.values(schema).flatMap(unions)]
  }
  assert.equal(unions({ items: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] } }).length, 1)
  for (const { endpoints } of families) {
    for (const { path, reply } of Object.values<Endpoint>(endpoints)) assert.deepEqual(unions(reply), [], path)
  }
})
