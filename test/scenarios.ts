/**
 * What the repository-wide tests know about each family: how to make one of its resources, a request that each of its
 * endpoints accepts, a way to each error that it declares, and a run of each of its actions. A new endpoint, error or
 * action without an entry here fails test/coverage.test.ts.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { replaceUses } from '../src/families/certificates/effects.ts'
import type { ErrorCode } from '../src/kernel/errors.ts'
import type { ProjectScope } from '../src/kernel/scope.ts'
import { selfSigned } from './certificates.ts'
import type { Answer, Client, Open, World } from './harness.ts'

type Body = Answer['body']

// ---- Making resources ----------------------------------------------------------------------------------------------

let made = 0

/** A name that nothing else in this process has. */
export function unique(what: string): string {
  return `${what}-${++made}`
}

/** The body of an answer that must be a success. */
async function done(pending: Promise<Answer>): Promise<Body> {
  const answer = await pending
  assert.ok(answer.status < 300, `${answer.status} ${answer.text}`)
  return answer.body
}

/** An ed25519 public key that nobody has. */
export function publicKey(): string {
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
  const blob = Buffer.concat([field(Buffer.from('ssh-ed25519')), field(randomBytes(32))])
  return `ssh-ed25519 ${blob.toString('base64')}`
}

const serverBody = (more: object = {}) => ({
  name: unique('server'),
  server_type: 'cx23',
  image: 'ubuntu-24.04',
  ...more,
})

const withoutNetwork = { start_after_create: false, public_net: { enable_ipv4: false, enable_ipv6: false } }
const rule = { direction: 'in', protocol: 'tcp', port: '22', source_ips: ['0.0.0.0/0'] }

async function makeServer({ api, settle }: World, more: object = {}): Promise<number> {
  const { server } = await done(api.post('/servers', serverBody(more)))
  await settle()
  return server.id
}

async function makeServerUnsettled({ api }: World): Promise<number> {
  return (await done(api.post('/servers', serverBody()))).server.id
}

async function makeFirewall({ api }: World, more: object = {}): Promise<number> {
  return (await done(api.post('/firewalls', { name: unique('firewall'), rules: [rule], ...more }))).firewall.id
}

/** A snapshot of a new server, or a backup. */
async function makeImage(world: World, type: 'snapshot' | 'backup' = 'snapshot'): Promise<number> {
  const server = await makeServer(world)
  if (type === 'backup') await done(world.api.post(`/servers/${server}/actions/enable_backup`))
  const { image } = await done(world.api.post(`/servers/${server}/actions/create_image`, { type }))
  await world.settle()
  return image.id
}

const onServer = (id: number) => ({ type: 'server', server: { id } })
const onSelector = (selector: string) => ({ type: 'label_selector', label_selector: { selector } })

/** As many firewalls on a server as it may have. */
async function fillServer(world: World, serverId: number): Promise<void> {
  for (let i = 0; i < 5; i++) await makeFirewall(world, { apply_to: [onServer(serverId)] })
  await world.settle()
}

// ---- A resource and a request for each endpoint --------------------------------------------------------------------

/** A resource of the first Project and an action that names it. */
export interface Target {
  readonly id: number
  readonly actionId?: number
}

/** What one endpoint accepts. */
export interface Sample {
  /** A resource of its own, where the one that was prepared will not do. */
  readonly target?: Target
  readonly query?: string
  readonly body?: unknown
  /** What this version answers to everybody who may ask. */
  readonly refusal?: ErrorCode
}

export interface FamilySamples {
  /** Resources of the catalogue are the same for every Project. */
  readonly isShared?: true
  prepare(world: World): Promise<Target>
  /** By the key of the endpoint; endpoints that need neither query nor body have none. */
  readonly requests?: Readonly<Record<string, (world: World, target: Target) => Sample | Promise<Sample>>>
}

async function prepareServer(world: World): Promise<Target> {
  const { server, action } = await done(world.api.post('/servers', serverBody()))
  await world.settle()
  return { id: server.id, actionId: action.id }
}

async function prepareImage(world: World): Promise<Target> {
  const server = await makeServer(world)
  const { image, action } = await done(world.api.post(`/servers/${server}/actions/create_image`, {}))
  await world.settle()
  return { id: image.id, actionId: action.id }
}

async function prepareFirewall({ api }: World): Promise<Target> {
  const { firewall, actions } = await done(api.post('/firewalls', { name: unique('firewall'), rules: [rule] }))
  return { id: firewall.id, actionId: actions[0].id }
}

async function makeFloatingIp({ api, settle }: World, more: object = { home_location: 'hel1' }): Promise<number> {
  const { floating_ip } = await done(api.post('/floating_ips', { type: 'ipv4', ...more }))
  await settle()
  return floating_ip.id
}

async function assignedFloatingIp(world: World): Promise<number> {
  return makeFloatingIp(world, { server: await makeServer(world) })
}

async function prepareFloatingIp(world: World): Promise<Target> {
  const server = await makeServer(world)
  const { floating_ip, action } = await done(world.api.post('/floating_ips', { type: 'ipv4', server }))
  await world.settle()
  return { id: floating_ip.id, actionId: action.id }
}

const pair = selfSigned('www.example.com')
const certificateBody = () => ({ name: unique('certificate'), ...pair })

/** The Project that has a certificate. */
async function scopeOf({ query }: World['db'], id: number): Promise<ProjectScope> {
  const rows = query.selectFrom('certificate').select('project_id').where('id', '=', id)
  return { projectId: (await rows.executeTakeFirstOrThrow()).project_id }
}

/** Certificates are used by load balancers, which call the same effect. */
async function makeUsedCertificate({ api, db }: World): Promise<number> {
  const { id } = (await done(api.post('/certificates', certificateBody()))).certificate
  const scope = await scopeOf(db, id)
  await db.transact((tx) => replaceUses(tx, scope, { type: 'load_balancer', id: neverExisted }, [id]))
  return id
}

/** A name that nothing else in this process has, and the zone for it. */
async function makeDomain({ api }: World): Promise<string> {
  const name = `${unique('managed')}.example`
  await done(api.post('/zones', { name, mode: 'primary' }))
  return name
}

const managedBody = (...domain_names: string[]) => ({ name: unique('certificate'), type: 'managed', domain_names })

async function prepareCertificate(world: World): Promise<Target> {
  const domain = await makeDomain(world)
  const { certificate, action } = await done(world.api.post('/certificates', managedBody(domain, `*.${domain}`)))
  return { id: certificate.id, actionId: action.id }
}

/** One whose issuance has failed because there was no zone for it, which there is now. */
async function makeFailedCertificate(world: World): Promise<number> {
  const name = `${unique('managed')}.example`
  const { certificate } = await done(world.api.post('/certificates', managedBody(name)))
  await world.settle()
  await done(world.api.post('/zones', { name, mode: 'primary' }))
  return certificate.id
}

async function firstOf({ api }: World, family: string): Promise<Target> {
  return { id: (await done(api.get(`/${family}?per_page=1`)))[family][0].id }
}

const address = (last: number) => ({ value: `192.0.2.${last}` })

async function makeZone({ api }: World, more: object = {}): Promise<Target> {
  const rrsets = [{ name: 'www', type: 'A', records: [address(1)] }]
  const { zone, action } = await done(
    api.post('/zones', { name: `${unique('zone')}.example`, mode: 'primary', rrsets, ...more }),
  )
  return { id: zone.id, actionId: action.id }
}

const primaries = { primary_nameservers: [{ address: '203.0.113.1' }] }
const makeSecondary = (world: World) => makeZone(world, { mode: 'secondary', rrsets: null, ...primaries })

/** A zone file that a zone of the tests accepts. */
const zonefile = ['@ SOA ns1 hostmaster 1 2 3 4 5', ...[1, 2, 3].map((n) => `@ NS ns${n}.wolke.example.`)].join('\n')

const rename = (what: string) => () => ({ body: { name: unique(what), labels: { changed: 'yes' } } })

export const samples: Readonly<Record<string, FamilySamples>> = {
  actions: {
    prepare: prepareServer,
    requests: { list: (_world, { actionId }) => ({ query: `id=${actionId}` }) },
  },
  certificates: {
    prepare: prepareCertificate,
    requests: {
      create: () => ({ body: certificateBody() }),
      update: rename('certificate'),
      retry: async (world) => ({ target: { id: await makeFailedCertificate(world) } }),
    },
  },
  firewalls: {
    prepare: prepareFirewall,
    requests: {
      create: () => ({ body: { name: unique('firewall'), rules: [rule] } }),
      update: rename('firewall'),
      setRules: () => ({ body: { rules: [{ ...rule, port: '80' }] } }),
      applyToResources: () => ({ body: { apply_to: [onSelector('sample=applied')] } }),
      async removeFromResources({ api }, { id }) {
        const target = onSelector('sample=removed')
        await done(api.post(`/firewalls/${id}/actions/apply_to_resources`, { apply_to: [target] }))
        return { body: { remove_from: [target] } }
      },
    },
  },
  datacenters: { isShared: true, prepare: (world) => firstOf(world, 'datacenters') },
  floating_ips: {
    prepare: prepareFloatingIp,
    requests: {
      create: () => ({ body: { type: 'ipv4', home_location: 'hel1' } }),
      update: rename('floating-ip'),
      assign: async (world) => ({ body: { server: await makeServer(world) } }),
      async changeDnsPtr({ api }, { id }) {
        const { ip } = (await done(api.get(`/floating_ips/${id}`))).floating_ip
        return { body: { ip, dns_ptr: 'www.example.com' } }
      },
      changeProtection: () => ({ body: { delete: true } }),
      async remove({ api, settle }, { id }) {
        await done(api.post(`/floating_ips/${id}/actions/unassign`))
        await settle()
        return {}
      },
    },
  },
  images: {
    prepare: prepareImage,
    requests: {
      update: () => ({ body: { description: 'changed', labels: { changed: 'yes' } } }),
      changeProtection: () => ({ body: { delete: true } }),
    },
  },
  locations: { isShared: true, prepare: (world) => firstOf(world, 'locations') },
  server_types: { isShared: true, prepare: (world) => firstOf(world, 'server_types') },
  servers: {
    prepare: prepareServer,
    requests: {
      create: () => ({ body: serverBody() }),
      update: rename('server'),
      createImage: () => ({ body: { description: 'a copy' } }),
      rebuild: () => ({ body: { image: 'debian-13' } }),
      changeProtection: () => ({ body: { delete: true, rebuild: true } }),
    },
  },
  ssh_keys: {
    async prepare({ api }) {
      return { id: (await done(api.post('/ssh_keys', { name: unique('key'), public_key: publicKey() }))).ssh_key.id }
    },
    requests: {
      create: () => ({ body: { name: unique('key'), public_key: publicKey() } }),
      update: rename('key'),
    },
  },
  zones: {
    prepare: makeZone,
    requests: {
      // A name is there once for all Projects, so that each caller needs its own.
      create: () => ({
        get body() {
          return { name: `${unique('zone')}.example`, mode: 'primary' }
        },
      }),
      update: () => ({ body: { labels: { changed: 'yes' } } }),
      importZonefile: () => ({ body: { zonefile } }),
      changeTtl: () => ({ body: { ttl: 600 } }),
      changePrimaryNameservers: async (world) => ({ target: await makeSecondary(world), body: primaries }),
      changeProtection: () => ({ body: { delete: true } }),
      createRrset: () => ({ body: { name: 'new', type: 'A', records: [address(2)] } }),
      updateRrset: () => ({ body: { labels: { changed: 'yes' } } }),
      addRecords: () => ({ body: { records: [address(2)] } }),
      removeRecords: () => ({ body: { records: [address(1)] } }),
      setRecords: () => ({ body: { records: [address(3)] } }),
      updateRecords: () => ({ body: { records: [{ ...address(1), comment: 'changed' }] } }),
      changeRrsetTtl: () => ({ body: { ttl: 600 } }),
      changeRrsetProtection: () => ({ body: { change: true } }),
    },
  },
}

/** Every place where a request names another resource, with a body that names `id` there. */
export const references: Readonly<Record<string, { family: string; body: (id: number) => unknown }>> = {
  'firewalls.create': { family: 'servers', body: (id) => ({ name: unique('firewall'), apply_to: [onServer(id)] }) },
  'firewalls.applyToResources': { family: 'servers', body: (id) => ({ apply_to: [onServer(id)] }) },
  'firewalls.removeFromResources': { family: 'servers', body: (id) => ({ remove_from: [onServer(id)] }) },
  'floating_ips.create': { family: 'servers', body: (id) => ({ type: 'ipv4', server: id }) },
  'floating_ips.assign': { family: 'servers', body: (id) => ({ server: id }) },
  'servers.create firewalls': { family: 'firewalls', body: (id) => serverBody({ firewalls: [{ firewall: id }] }) },
  'servers.create image': { family: 'images', body: (id) => serverBody({ image: id }) },
  'servers.rebuild image': { family: 'images', body: (id) => ({ image: id }) },
  'servers.create ssh_keys': { family: 'ssh_keys', body: (id) => serverBody({ ssh_keys: [id] }) },
}

// ---- A way to each declared error ----------------------------------------------------------------------------------

/** A world whose actions wait for `settle`, so that what they lock stays locked. */
export interface Stage extends World {
  readonly open: Open
  /** Does `work` whenever the server reaches the place (see kernel/process/faults.ts), until the scenario is over. */
  meet(place: string, work: () => Promise<unknown>): void
}

/** Leads the server to an error and returns the answer that has it. */
export type ErrorScenario = (stage: Stage) => Promise<Answer>

/** Changes a row behind the back of whoever is about to write it, as a rival request would. */
function conflict(
  family: string,
  table: string,
  change: () => object = () => ({ name: unique('mine') }),
): ErrorScenario {
  return async (stage) => {
    const { id } = await samples[family]!.prepare(stage)
    stage.meet(`update/${table}:before-write`, () =>
      stage.db.transact((tx) =>
        sql`update ${sql.table(table)} set version = version + 1 where id = ${id}`.execute(tx.query),
      ),
    )
    return stage.api.put(`/${family}/${id}`, change())
  }
}

/** Gives a resource the name of another one. */
function takenName(family: string): ErrorScenario {
  return async (stage) => {
    const [first, second] = [await samples[family]!.prepare(stage), await samples[family]!.prepare(stage)]
    const { name } = Object.values(await done(stage.api.get(`/${family}/${first.id}`)))[0] as { name: string }
    return stage.api.put(`/${family}/${second.id}`, { name })
  }
}

function takenTwice(path: string, body: () => object): ErrorScenario {
  return async ({ api, settle }) => {
    const given = body()
    await done(api.post(path, given))
    await settle()
    return api.post(path, given)
  }
}

/** Asks for something that changes a server's power while the last such wish is still being met. */
const locked = (path: string, body?: object): ErrorScenario => {
  return async (stage) => {
    const id = await makeServer(stage)
    await done(stage.api.post(`/servers/${id}/actions/poweroff`))
    return path === '' ? stage.api.delete(`/servers/${id}`) : stage.api.post(`/servers/${id}/actions/${path}`, body)
  }
}

const apply = (stage: Stage, firewallId: number, targets: object[]) =>
  stage.api.post(`/firewalls/${firewallId}/actions/apply_to_resources`, { apply_to: targets })
const removeFrom = (stage: Stage, firewallId: number, targets: object[]) =>
  stage.api.post(`/firewalls/${firewallId}/actions/remove_from_resources`, { remove_from: targets })
const createFirewall = (stage: Stage, apply_to: object[]) =>
  stage.api.post('/firewalls', { name: unique('firewall'), apply_to })

const systemImage = 161547269
const change = (stage: Stage, id: number) => stage.api.put(`/images/${id}`, { description: 'changed' })
const protectImage = (stage: Stage, id: number) =>
  stage.api.post(`/images/${id}/actions/change_protection`, { delete: true })

/** An id of the right size that is never given out. */
export const neverExisted = 4_000_000_000_000_000

/** By endpoint and code. Codes that follow from an endpoint's shape are not here: the test makes those itself. */
export const errorScenarios: Readonly<Record<string, Partial<Record<ErrorCode, ErrorScenario>>>> = {
  'actions.list': { deprecated_api_endpoint: ({ api }) => api.get('/actions') },
  'certificates.create': {
    uniqueness_error: takenTwice('/certificates', certificateBody),
    async resource_limit_exceeded({ open }) {
      const { api } = await open({ limits: { certificates: 0 }, runActions: false })
      return api.post('/certificates', certificateBody())
    },
  },
  'certificates.update': {
    uniqueness_error: takenName('certificates'),
    conflict: conflict('certificates', 'certificate'),
  },
  'certificates.remove': {
    async service_error(stage) {
      const id = await makeUsedCertificate(stage)
      return stage.api.delete(`/certificates/${id}`)
    },
  },
  'certificates.retry': {
    unsupported_error: async (stage) =>
      stage.api.post(`/certificates/${(await prepareCertificate(stage)).id}/actions/retry`),
  },
  'firewalls.create': {
    uniqueness_error: takenTwice('/firewalls', () => ({ name: unique('firewall') })),
    async server_already_added(stage) {
      const target = onServer(await makeServer(stage))
      return createFirewall(stage, [target, target])
    },
    incompatible_network_type: async (stage) =>
      createFirewall(stage, [onServer(await makeServer(stage, withoutNetwork))]),
    firewall_resource_not_found: (stage) => createFirewall(stage, [onServer(neverExisted)]),
    async resource_limit_exceeded(stage) {
      const id = await makeServer(stage)
      await fillServer(stage, id)
      return createFirewall(stage, [onServer(id)])
    },
  },
  'firewalls.update': {
    uniqueness_error: takenName('firewalls'),
    conflict: conflict('firewalls', 'firewall'),
  },
  'firewalls.remove': {
    async resource_in_use(stage) {
      const id = await makeFirewall(stage, { apply_to: [onSelector('in=use')] })
      return stage.api.delete(`/firewalls/${id}`)
    },
  },
  'firewalls.applyToResources': {
    async firewall_already_applied(stage) {
      const target = onServer(await makeServer(stage))
      return apply(stage, await makeFirewall(stage, { apply_to: [target] }), [target])
    },
    incompatible_network_type: async (stage) =>
      apply(stage, await makeFirewall(stage), [onServer(await makeServer(stage, withoutNetwork))]),
    firewall_resource_not_found: async (stage) => apply(stage, await makeFirewall(stage), [onServer(neverExisted)]),
    async resource_limit_exceeded(stage) {
      const id = await makeServer(stage)
      await fillServer(stage, id)
      return apply(stage, await makeFirewall(stage), [onServer(id)])
    },
  },
  'firewalls.removeFromResources': {
    firewall_resource_not_found: async (stage) =>
      removeFrom(stage, await makeFirewall(stage), [onServer(await makeServer(stage))]),
    async firewall_managed_by_label_selector(stage) {
      const label = unique('managed')
      const server = await makeServer(stage, { labels: { [label]: 'yes' } })
      return removeFrom(stage, await makeFirewall(stage, { apply_to: [onSelector(label)] }), [onServer(server)])
    },
  },
  'floating_ips.create': {
    uniqueness_error: takenTwice('/floating_ips', () => ({
      type: 'ipv6',
      home_location: 'hel1',
      name: unique('floating-ip'),
    })),
    async unavailable({ open }) {
      const { api } = await open({ addressPool: ['2001:db8::/32'], runActions: false })
      return api.post('/floating_ips', { type: 'ipv4', home_location: 'hel1' })
    },
    async resource_limit_exceeded({ open }) {
      const { api } = await open({ limits: { floating_ips: 0 }, runActions: false })
      return api.post('/floating_ips', { type: 'ipv4', home_location: 'hel1' })
    },
  },
  'floating_ips.update': {
    uniqueness_error: takenName('floating_ips'),
    conflict: conflict('floating_ips', 'floating_ip'),
  },
  'floating_ips.remove': {
    async locked(stage) {
      const id = await assignedFloatingIp(stage)
      await done(stage.api.post(`/floating_ips/${id}/actions/unassign`))
      return stage.api.delete(`/floating_ips/${id}`)
    },
    async protected(stage) {
      const id = await makeFloatingIp(stage)
      await done(stage.api.post(`/floating_ips/${id}/actions/change_protection`, { delete: true }))
      return stage.api.delete(`/floating_ips/${id}`)
    },
    must_be_unassigned: async (stage) => stage.api.delete(`/floating_ips/${await assignedFloatingIp(stage)}`),
  },
  'floating_ips.assign': {
    async locked(stage) {
      const id = await assignedFloatingIp(stage)
      await done(stage.api.post(`/floating_ips/${id}/actions/unassign`))
      return stage.api.post(`/floating_ips/${id}/actions/assign`, { server: await makeServerUnsettled(stage) })
    },
    async floating_ip_assigned(stage) {
      const server = await makeServer(stage)
      const id = await makeFloatingIp(stage, { server })
      return stage.api.post(`/floating_ips/${id}/actions/assign`, { server })
    },
  },
  'floating_ips.unassign': {
    async locked(stage) {
      const id = await assignedFloatingIp(stage)
      const server = await makeServer(stage)
      await done(stage.api.post(`/floating_ips/${id}/actions/assign`, { server }))
      return stage.api.post(`/floating_ips/${id}/actions/unassign`)
    },
    service_error: async (stage) => stage.api.post(`/floating_ips/${await makeFloatingIp(stage)}/actions/unassign`),
  },
  'images.update': {
    unsupported_error: (stage) => change(stage, systemImage),
    conflict: conflict('images', 'image', () => ({ description: 'mine' })),
  },
  'images.remove': {
    unsupported_error: (stage) => stage.api.delete(`/images/${systemImage}`),
    async locked(stage) {
      const server = await makeServer(stage)
      const { image } = await done(stage.api.post(`/servers/${server}/actions/create_image`, {}))
      return stage.api.delete(`/images/${image.id}`)
    },
    async protected(stage) {
      const id = await makeImage(stage)
      await done(protectImage(stage, id))
      return stage.api.delete(`/images/${id}`)
    },
  },
  'images.changeProtection': {
    unsupported_error: async (stage) => protectImage(stage, await makeImage(stage, 'backup')),
  },
  'servers.create': {
    uniqueness_error: takenTwice('/servers', () => serverBody()),
    async resource_unavailable({ open }) {
      const { api } = await open({ addressPool: ['192.0.2.1/32', '2001:db8::/64'], runActions: false })
      await done(api.post('/servers', serverBody()))
      return api.post('/servers', serverBody())
    },
    async resource_limit_exceeded(stage) {
      const firewalls: { firewall: number }[] = []
      for (let i = 0; i < 6; i++) firewalls.push({ firewall: await makeFirewall(stage) })
      return stage.api.post('/servers', serverBody({ firewalls }))
    },
  },
  'servers.update': {
    uniqueness_error: takenName('servers'),
    conflict: conflict('servers', 'server'),
    async resource_limit_exceeded(stage) {
      const label = unique('sixth')
      const id = await makeServer(stage)
      await fillServer(stage, id)
      await makeFirewall(stage, { apply_to: [onSelector(label)] })
      return stage.api.put(`/servers/${id}`, { labels: { [label]: 'yes' } })
    },
  },
  'servers.remove': {
    locked: locked(''),
    async protected(stage) {
      const id = await makeServer(stage)
      await done(stage.api.post(`/servers/${id}/actions/change_protection`, { delete: true, rebuild: true }))
      return stage.api.delete(`/servers/${id}`)
    },
  },
  'servers.createImage': {
    locked: locked('create_image', {}),
    async resource_limit_exceeded({ open }) {
      const world = await open({ limits: { images: 0 }, runActions: false })
      return world.api.post(`/servers/${await makeServer(world)}/actions/create_image`, {})
    },
  },
  'servers.rebuild': {
    locked: locked('rebuild', { image: 'debian-13' }),
    async protected(stage) {
      const id = await makeServer(stage)
      await done(stage.api.post(`/servers/${id}/actions/change_protection`, { delete: true, rebuild: true }))
      return stage.api.post(`/servers/${id}/actions/rebuild`, { image: 'debian-13' })
    },
  },
  'servers.disableBackup': { locked: locked('disable_backup') },
  'servers.powerOn': { locked: locked('poweron') },
  'servers.powerOff': { locked: locked('poweroff') },
  'servers.shutDown': { locked: locked('shutdown') },
  'servers.reboot': { locked: locked('reboot') },
  'servers.reset': { locked: locked('reset') },
  'ssh_keys.create': {
    uniqueness_error: takenTwice('/ssh_keys', () => ({ name: unique('key'), public_key: publicKey() })),
    async resource_limit_exceeded({ open }) {
      const { api } = await open({ limits: { ssh_keys: 0 }, runActions: false })
      return api.post('/ssh_keys', { name: unique('key'), public_key: publicKey() })
    },
  },
  'ssh_keys.update': {
    uniqueness_error: takenName('ssh_keys'),
    conflict: conflict('ssh_keys', 'ssh_key'),
  },
  ...zoneErrors(),
}

/** Asks for something that only zones of the other mode can do. */
function inMode(
  make: (world: World) => Promise<Target>,
  send: (client: Client, path: string) => Promise<Answer>,
): ErrorScenario {
  return async (stage) => send(stage.api, `/zones/${(await make(stage)).id}`)
}

/** What RRSets of secondary zones, and protected ones, refuse. */
function rrsetScenarios(send: (client: Client, path: string) => Promise<Answer>) {
  return {
    incorrect_zone_mode: inMode(makeSecondary, (client, path) => send(client, `${path}/rrsets/www/A`)),
    async protected(stage) {
      const path = `/zones/${(await makeZone(stage)).id}/rrsets/www/A`
      await done(stage.api.post(`${path}/actions/change_protection`, { change: true }))
      return send(stage.api, path)
    },
  } satisfies Partial<Record<ErrorCode, ErrorScenario>>
}

function zoneErrors(): typeof errorScenarios {
  const rrsetAction = (name: string, body: object) =>
    rrsetScenarios((client, path) => client.post(`${path}/actions/${name}`, body))
  const newRrset = (client: Client, path: string) =>
    client.post(`${path}/rrsets`, { name: 'www', type: 'A', records: [address(1)] })
  return {
    'zones.create': {
      uniqueness_error: takenTwice('/zones', () => ({ name: `${unique('zone')}.example`, mode: 'primary' })),
      async resource_limit_exceeded({ open }) {
        const { api } = await open({ limits: { zones: 0 }, runActions: false })
        return api.post('/zones', { name: 'limited.example', mode: 'primary' })
      },
    },
    'zones.remove': {
      async protected(stage) {
        const { id } = await makeZone(stage)
        await done(stage.api.post(`/zones/${id}/actions/change_protection`, { delete: true }))
        return stage.api.delete(`/zones/${id}`)
      },
    },
    'zones.exportZonefile': {
      incorrect_zone_mode: inMode(makeSecondary, (client, path) => client.get(`${path}/zonefile`)),
    },
    'zones.importZonefile': {
      incorrect_zone_mode: inMode(makeSecondary, (client, path) =>
        client.post(`${path}/actions/import_zonefile`, { zonefile }),
      ),
      async protected(stage) {
        const path = `/zones/${(await makeZone(stage)).id}`
        await done(stage.api.post(`${path}/rrsets/www/A/actions/change_protection`, { change: true }))
        return stage.api.post(`${path}/actions/import_zonefile`, { zonefile })
      },
    },
    'zones.changePrimaryNameservers': {
      incorrect_zone_mode: inMode(makeZone, (client, path) =>
        client.post(`${path}/actions/change_primary_nameservers`, primaries),
      ),
    },
    'zones.listRrsets': { incorrect_zone_mode: inMode(makeSecondary, (client, path) => client.get(`${path}/rrsets`)) },
    'zones.createRrset': {
      incorrect_zone_mode: inMode(makeSecondary, newRrset),
      uniqueness_error: inMode(makeZone, newRrset),
    },
    'zones.getRrset': {
      incorrect_zone_mode: rrsetScenarios((client, path) => client.get(path)).incorrect_zone_mode,
    },
    'zones.updateRrset': {
      incorrect_zone_mode: rrsetScenarios((client, path) => client.put(path, {})).incorrect_zone_mode,
    },
    'zones.removeRrset': {
      ...rrsetScenarios((client, path) => client.delete(path)),
      invalid_input: inMode(makeZone, (client, path) => client.delete(`${path}/rrsets/@/SOA`)),
    },
    'zones.addRecords': rrsetAction('add_records', { records: [address(2)] }),
    'zones.removeRecords': rrsetAction('remove_records', { records: [address(1)] }),
    'zones.setRecords': rrsetAction('set_records', { records: [address(2)] }),
    'zones.updateRecords': rrsetAction('update_records', { records: [{ ...address(1), comment: '' }] }),
    'zones.changeRrsetTtl': rrsetAction('change_ttl', { ttl: 600 }),
    'zones.changeRrsetProtection': {
      incorrect_zone_mode: rrsetAction('change_protection', { change: true }).incorrect_zone_mode,
    },
  }
}

// ---- A run of each action ------------------------------------------------------------------------------------------

export interface StartedAction {
  readonly id: number
  /** Resources that calls to drivers may be about because of it. */
  readonly subjects: readonly number[]
}

/** Operations that start an action, after what they need was made and settled. */
export interface Started {
  /** Sends the request and returns the actions that it started. May be called again when they ended in an error. */
  act(client: Client): Promise<readonly StartedAction[]>
}

export type ActionScenario = (world: World) => Promise<Started>

interface WireAction {
  readonly id: number
  readonly resources: readonly { readonly id: number }[]
}

function startedBy(body: Body) {
  const actions: WireAction[] = [body.action, ...(body.actions ?? []), ...(body.next_actions ?? [])].filter(Boolean)
  return actions.map(({ id, resources }) => ({ id, subjects: resources.map((resource) => resource.id) }))
}

const act = (send: (client: Client) => Promise<Answer>): Started => ({
  act: async (client) => startedBy(await done(send(client))),
})

/** A wish about a running server's power. */
const power = (path: string): ActionScenario => {
  return async (world) => {
    const id = await makeServer(world)
    return act((api) => api.post(`/servers/${id}/actions/${path}`))
  }
}

/** By family and command: leads the server to the point where one request starts the action. */
export const actionScenarios: Readonly<Record<string, ActionScenario>> = {
  async 'certificates/create_certificate'(world) {
    const domain = await makeDomain(world)
    const body = managedBody(domain, `*.${domain}`)
    return act(async (api) => {
      // One whose issuance failed goes first.
      for (const { id } of (await done(api.get(`/certificates?name=${body.name}`))).certificates) {
        await done(api.delete(`/certificates/${id}`))
      }
      return api.post('/certificates', body)
    })
  },
  async 'certificates/issue_certificate'(world) {
    const id = await makeFailedCertificate(world)
    return act((api) => api.post(`/certificates/${id}/actions/retry`))
  },
  async 'servers/create_server'(world) {
    const firewall = await makeFirewall(world)
    const body = serverBody({ firewalls: [{ firewall }] })
    return act(async (api) => {
      // One that was created but not started goes first, which a failed start must not stand in the way of.
      for (const { id } of (await done(api.get(`/servers?name=${body.name}`))).servers) {
        await done(api.delete(`/servers/${id}`))
        await world.settle()
      }
      return api.post('/servers', body)
    })
  },
  async 'servers/start_server'(world) {
    const id = await makeServer(world, { start_after_create: false })
    return act((api) => api.post(`/servers/${id}/actions/poweron`))
  },
  'servers/stop_server': power('poweroff'),
  'servers/shutdown_server': power('shutdown'),
  'servers/reboot_server': power('reboot'),
  'servers/reset_server': power('reset'),
  async 'servers/delete_server'(world) {
    const id = await makeServer(world)
    await makeFirewall(world, { apply_to: [onServer(id)] })
    await world.settle()
    return act((api) => api.delete(`/servers/${id}`))
  },
  async 'servers/change_protection'(world) {
    const id = await makeServer(world)
    return act((api) => api.post(`/servers/${id}/actions/change_protection`, { delete: true, rebuild: true }))
  },
  async 'servers/create_image'(world) {
    const id = await makeServer(world)
    return act((api) => api.post(`/servers/${id}/actions/create_image`, {}))
  },
  async 'servers/rebuild_server'(world) {
    const id = await makeServer(world)
    return act((api) => api.post(`/servers/${id}/actions/rebuild`, { image: 'debian-13' }))
  },
  async 'servers/enable_backup'(world) {
    const id = await makeServer(world)
    return act((api) => api.post(`/servers/${id}/actions/enable_backup`))
  },
  async 'servers/disable_backup'(world) {
    const id = await makeServer(world)
    return act((api) => api.post(`/servers/${id}/actions/disable_backup`))
  },
  async 'images/change_protection'(world) {
    const id = await makeImage(world)
    return act((api) => api.post(`/images/${id}/actions/change_protection`, { delete: true }))
  },
  async 'images/delete_image'(world) {
    const server = await makeServer(world)
    const make = async () => {
      const { image } = await done(world.api.post(`/servers/${server}/actions/create_image`, {}))
      await world.settle()
      return image.id as number
    }
    let next: number | undefined = await make()
    return {
      async act(api) {
        // One whose data could not be removed is deleted all the same: the next time takes another one.
        const id = next ?? (await make())
        next = undefined
        await done(api.delete(`/images/${id}`))
        const removals = world.db.query
          .selectFrom('action')
          .select(['id', 'input'])
          .where('definition', '=', 'images/delete_image')
        const rows = (await removals.execute()).filter(({ input }) => JSON.parse(input).image === id)
        return rows.map((row) => ({ id: row.id, subjects: [server] }))
      },
    }
  },
  async 'firewalls/apply_firewall'(world) {
    const [server, firewall] = [await makeServer(world), await makeFirewall(world)]
    const body = { apply_to: [onServer(server)] }
    return act((api) => api.post(`/firewalls/${firewall}/actions/apply_to_resources`, body))
  },
  async 'firewalls/remove_firewall'(world) {
    const target = onServer(await makeServer(world))
    const firewall = await makeFirewall(world, { apply_to: [target] })
    await world.settle()
    const path = `/firewalls/${firewall}/actions`
    let isApplied = true
    return act(async (api) => {
      // One that could not be removed from the server is wanted no longer all the same: it is put back to go again.
      if (!isApplied) {
        await done(api.post(`${path}/apply_to_resources`, { apply_to: [target] }))
        await world.settle()
      }
      isApplied = false
      return api.post(`${path}/remove_from_resources`, { remove_from: [target] })
    })
  },
  async 'firewalls/set_firewall_rules'(world) {
    const firewall = await makeFirewall(world, { apply_to: [onServer(await makeServer(world))] })
    await world.settle()
    let port = 1000
    const rules = () => ({ rules: [{ ...rule, port: String(++port) }] })
    return act((api) => api.post(`/firewalls/${firewall}/actions/set_rules`, rules()))
  },
  async 'floating_ips/create_floating_ip'(world) {
    const server = await makeServer(world)
    return act((api) => api.post('/floating_ips', { type: 'ipv4', server }))
  },
  async 'floating_ips/assign_floating_ip'(world) {
    const id = await assignedFloatingIp(world)
    const server = await makeServer(world)
    return act((api) => api.post(`/floating_ips/${id}/actions/assign`, { server }))
  },
  async 'floating_ips/unassign_floating_ip'(world) {
    const id = await assignedFloatingIp(world)
    return act((api) => api.post(`/floating_ips/${id}/actions/unassign`))
  },
  async 'floating_ips/change_dns_ptr'(world) {
    const id = await makeFloatingIp(world)
    const { ip } = (await done(world.api.get(`/floating_ips/${id}`))).floating_ip
    return act((api) => api.post(`/floating_ips/${id}/actions/change_dns_ptr`, { ip, dns_ptr: 'www.example.com' }))
  },
  async 'floating_ips/change_protection'(world) {
    const id = await makeFloatingIp(world)
    return act((api) => api.post(`/floating_ips/${id}/actions/change_protection`, { delete: true }))
  },
  async 'firewall_selectors/apply_firewall'(world) {
    const body = { apply_to: [onSelector(unique('nobody'))] }
    const firewall = await makeFirewall(world)
    return act((api) => api.post(`/firewalls/${firewall}/actions/apply_to_resources`, body))
  },
  async 'firewall_selectors/remove_firewall'(world) {
    const target = onSelector(unique('nobody'))
    const firewall = await makeFirewall(world, { apply_to: [target] })
    return act((api) => api.post(`/firewalls/${firewall}/actions/remove_from_resources`, { remove_from: [target] }))
  },
  ...zoneScenarios(),
}

/** What happens to zones is done at once; each needs no more than a zone. */
function zoneScenarios(): Record<string, ActionScenario> {
  const inZone = (command: string, send: (client: Client, path: string) => Promise<Answer>, make = makeZone) => ({
    [`zones/${command}`]: async (world: World) => {
      const { id } = await make(world)
      return act((api) => send(api, `/zones/${id}`))
    },
  })
  const inRrset = (command: string, name: string, body: object) =>
    inZone(command, (api, path) => api.post(`${path}/rrsets/www/A/actions/${name}`, body))
  return {
    ...inZone('create_zone', (api) => api.post('/zones', { name: `${unique('zone')}.example`, mode: 'primary' })),
    ...inZone('delete_zone', (api, path) => api.delete(path)),
    ...inZone('change_ttl', (api, path) => api.post(`${path}/actions/change_ttl`, { ttl: 600 })),
    ...inZone('change_protection', (api, path) => api.post(`${path}/actions/change_protection`, { delete: true })),
    ...inZone(
      'change_primary_nameservers',
      (api, path) => api.post(`${path}/actions/change_primary_nameservers`, primaries),
      makeSecondary,
    ),
    ...inZone('import_zonefile', (api, path) => api.post(`${path}/actions/import_zonefile`, { zonefile })),
    ...inZone('create_rrset', (api, path) =>
      api.post(`${path}/rrsets`, { name: 'new', type: 'A', records: [address(1)] }),
    ),
    ...inZone('delete_rrset', (api, path) => api.delete(`${path}/rrsets/www/A`)),
    ...inRrset('add_rrset_records', 'add_records', { records: [address(2)] }),
    ...inRrset('remove_rrset_records', 'remove_records', { records: [address(1)] }),
    ...inRrset('set_rrset_records', 'set_records', { records: [address(2)] }),
    ...inRrset('update_rrset_records', 'update_records', { records: [{ ...address(1), comment: 'changed' }] }),
    ...inRrset('change_rrset_ttl', 'change_ttl', { ttl: 600 }),
    ...inRrset('change_rrset_protection', 'change_protection', { change: true }),
  }
}
