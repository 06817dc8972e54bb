/** Data of every family that a version has, made through its API. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { certificate, privateKey } from '../../../fixtures/tls.ts'
import { call, makeKey } from '../../kit/program.ts'
import type { Operations } from './told.ts'

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape and version
type Made = any

/** Sends the requests of which a version knows the operation, and waits for the actions that they start. */
export class Maker {
  readonly #baseUrl: string
  readonly #operations: Operations

  constructor(baseUrl: string, operations: Operations) {
    this.#baseUrl = baseUrl
    this.#operations = operations
  }

  /** Undefined where this version has no such operation. Errors: an assertion when it refuses the request. */
  async post(template: string, body: unknown, ...ids: readonly (number | string)[]): Promise<Made> {
    if (!this.#operations.has('post', template)) return undefined
    const left = [...ids]
    const path = template.replace(/\{\w+\}/g, () => String(left.shift()))
    const { status, json } = await call(this.#baseUrl, 'POST', path, body)
    assert.ok(status >= 200 && status < 300, `POST ${path}: ${JSON.stringify(json)}`)
    for (const { id } of [json.action, ...(json.actions ?? []), ...(json.next_actions ?? [])].filter(Boolean))
      await this.#ended(id)
    return json
  }

  async get(path: string): Promise<Made> {
    return (await call(this.#baseUrl, 'GET', path)).json
  }

  async #ended(id: number): Promise<void> {
    for (;;) {
      const { action } = (await call(this.#baseUrl, 'GET', `/actions/${id}`)).json
      if (action.status === 'success') return
      assert.equal(action.status, 'running', JSON.stringify(action))
      await delay(10)
    }
  }
}

const labels = { env: 'production', team: 'blue' }
const location = 'hel1'
const text = 'Sieben.Teller-7'

/** Makes something of every family, with what hangs on it. */
export async function makeData(maker: Maker): Promise<void> {
  const servers = await makeServers(maker)
  await makeAddresses(maker, servers)
  await makeDisks(maker, servers)
  await makeNames(maker)
  await makeNetworks(maker, servers)
  await makeBoxes(maker)
}

async function makeServers(maker: Maker): Promise<number[]> {
  const key = await maker.post('/ssh_keys', { name: 'laptop', public_key: makeKey(), labels })
  const group = await maker.post('/placement_groups', { name: 'apart', type: 'spread', labels })
  const rules = [
    { direction: 'in', protocol: 'tcp', port: '443', source_ips: ['0.0.0.0/0', '::/0'], description: 'HTTPS' },
    { direction: 'out', protocol: 'icmp', destination_ips: ['10.0.0.0/8'] },
  ]
  const firewall = await maker.post('/firewalls', { name: 'web', labels, rules })
  const servers: number[] = []
  for (const name of ['web-1', 'web-2']) {
    const body = { name, server_type: 'cpx22', image: 'debian-12', location, labels, ssh_keys: [key.ssh_key.id] }
    const more = { user_data: '#cloud-config\n', firewalls: [{ firewall: firewall.firewall.id }] }
    const placed = group ? { placement_group: group.placement_group.id } : {}
    servers.push((await maker.post('/servers', { ...body, ...more, ...placed })).server.id)
  }
  const [first = 0, second = 0] = servers
  await maker.post(
    '/firewalls/{id}/actions/apply_to_resources',
    { apply_to: [{ type: 'label_selector', label_selector: { selector: 'team=blue' } }] },
    firewall.firewall.id,
  )
  await maker.post('/servers/{id}/actions/enable_backup', {}, first)
  await maker.post('/servers/{id}/actions/change_protection', { delete: true, rebuild: true }, first)
  await maker.post('/servers/{id}/actions/create_image', { description: 'before', type: 'snapshot', labels }, first)
  await maker.post(
    '/servers/{id}/actions/change_dns_ptr',
    { ip: await addressOf(maker, first), dns_ptr: 'a.b.example' },
    first,
  )
  await maker.post('/servers/{id}/actions/attach_iso', { iso: (await maker.get('/isos'))?.isos?.[0].id }, second)
  await maker.post('/servers/{id}/actions/enable_rescue', { type: 'linux64' }, second)
  await maker.post('/servers/{id}/actions/poweroff', {}, second)
  return servers
}

/** The IPv4 address of a server. */
const addressOf = (maker: Maker, id: number) =>
  maker.get(`/servers/${id}`).then(({ server }) => server.public_net.ipv4.ip)

async function makeAddresses(maker: Maker, [first = 0]: readonly number[]): Promise<void> {
  const floating = await maker.post('/floating_ips', {
    name: 'front',
    type: 'ipv4',
    server: first,
    labels,
    description: 'a',
  })
  const { id, ip } = floating.floating_ip
  await maker.post('/floating_ips/{id}/actions/change_dns_ptr', { ip, dns_ptr: 'front.example.com' }, id)
  await maker.post('/floating_ips/{id}/actions/change_protection', { delete: true }, id)
  const primary = { name: 'kept', type: 'ipv4', assignee_type: 'server', auto_delete: false, labels, location }
  await maker.post('/primary_ips', primary)
}

async function makeDisks(maker: Maker, [first = 0]: readonly number[]): Promise<void> {
  const attached = { name: 'data', size: 10, server: first, format: 'ext4', automount: false, labels }
  const volume = await maker.post('/volumes', attached)
  if (volume) await maker.post('/volumes/{id}/actions/resize', { size: 20 }, volume.volume.id)
  await maker.post('/volumes', { name: 'spare', size: 10, location })
}

async function makeNames(maker: Maker): Promise<void> {
  await maker.post('/certificates', { name: 'uploaded', certificate, private_key: privateKey, labels })
  const rrsets = [
    { name: 'www', type: 'A', ttl: 300, records: [{ value: '192.0.2.1', comment: 'front' }, { value: '192.0.2.2' }] },
    { name: '@', type: 'TXT', records: [{ value: '"v=spf1 -all"' }], labels },
  ]
  await maker.post('/zones', { name: 'example.com', mode: 'primary', ttl: 3600, labels, rrsets })
  const managed = { name: 'managed', type: 'managed', domain_names: ['www.example.com'], labels }
  await maker.post('/certificates', managed)
}

async function makeNetworks(maker: Maker, [first = 0]: readonly number[]): Promise<void> {
  const subnets = [{ type: 'cloud', network_zone: 'eu-central', ip_range: '10.1.1.0/24' }]
  const network = await maker.post('/networks', { name: 'inner', ip_range: '10.1.0.0/16', labels, subnets })
  const id = network?.network.id
  if (id === undefined) return
  await maker.post('/networks/{id}/actions/add_route', { destination: '10.100.1.0/24', gateway: '10.1.1.5' }, id)
  await maker.post(
    '/servers/{id}/actions/attach_to_network',
    { network: id, ip: '10.1.1.7', alias_ips: ['10.1.1.8'] },
    first,
  )
  const services = [{ protocol: 'http', listen_port: 80, destination_port: 8080, proxyprotocol: false }]
  const targets = [{ type: 'server', server: { id: first } }]
  const balancer = { name: 'front', load_balancer_type: 'lb11', location, labels, services, targets, network: id }
  await maker.post('/load_balancers', { ...balancer, algorithm: { type: 'least_connections' } })
}

async function makeBoxes(maker: Maker): Promise<void> {
  const access = { reachable_externally: true, ssh_enabled: true, webdav_enabled: true }
  const box = {
    name: 'backups',
    storage_box_type: 'bx11',
    location: 'fsn1',
    password: text,
    labels,
    access_settings: access,
  }
  const id = (await maker.post('/storage_boxes', box))?.storage_box.id
  if (id === undefined) return
  await maker.post('/storage_boxes/{id}/snapshots', { description: 'before', labels }, id)
  const plan = { max_snapshots: 3, hour: 3, minute: 30 }
  await maker.post('/storage_boxes/{id}/actions/enable_snapshot_plan', plan, id)
  const reader = { home_directory: 'reader', password: text, labels, access_settings: { ...access, readonly: true } }
  await maker.post('/storage_boxes/{id}/subaccounts', reader, id)
}

/** Begins an action, and does not wait for it; returns its id. */
export async function begin(baseUrl: string): Promise<number> {
  const body = { name: 'begun', server_type: 'cpx22', image: 'debian-12', location }
  const { status, json } = await call(baseUrl, 'POST', '/servers', body)
  assert.equal(status, 201)
  return json.action.id
}
