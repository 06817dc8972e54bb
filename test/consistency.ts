/**
 * What must hold whatever happened (design: invariants). The database is read as a whole and compared with itself, with
 * the simulated world and with what earlier checks of the same installation saw.
 */
import assert from 'node:assert/strict'
import { restMs } from '../src/families/addresses/pool.ts'
import { type Filter, type Rule, toFilter } from '../src/families/firewalls/domain.ts'
import { backupSlots } from '../src/families/images/domain.ts'
import { sizeOf } from '../src/families/zones/content.ts'
import type { Challenge } from '../src/families/zones/effects.ts'
import { rrsetFromRow } from '../src/families/zones/rrset-store.ts'
import type { Simulation } from '../src/families.ts'
import type { ActionRow } from '../src/kernel/actions/tables.ts'
import { matches, parseSelector, type Selector } from '../src/kernel/contract/selectors.ts'
import type { Database, EveryTable } from '../src/kernel/data/db.ts'
import { acrossProjects } from '../src/kernel/data/scoped.ts'
import type { Clock } from '../src/kernel/process/clock.ts'
import { cidrSize } from '../src/net/ip.ts'
import type { World } from './harness.ts'

export interface CheckOptions {
  /** Also compare filters that wait to be confirmed: for worlds in which every last call went well. */
  readonly pendingToo?: boolean
}

type Row<Name extends keyof EveryTable> = EveryTable[Name]

interface Snapshot {
  readonly servers: Row<'server'>[]
  readonly firewalls: Row<'firewall'>[]
  readonly applications: Row<'firewall_application'>[]
  readonly matches: Row<'firewall_match'>[]
  readonly filters: Row<'firewall_filter'>[]
  readonly primaryIps: Row<'primary_ip'>[]
  readonly floatingIps: Row<'floating_ip'>[]
  readonly sshKeys: Row<'ssh_key'>[]
  readonly routings: Row<'floating_ip_routing'>[]
  readonly images: Row<'image'>[]
  readonly formers: Row<'server_former'>[]
  readonly certificates: Row<'certificate'>[]
  readonly certificateKeys: Row<'certificate_key'>[]
  readonly certificateUses: Row<'certificate_use'>[]
  readonly certificateOrders: Row<'certificate_order'>[]
  readonly challenges: Row<'zone_challenge'>[]
  readonly zones: Row<'zone'>[]
  readonly contents: Row<'zone_content'>[]
  readonly rrsets: Row<'rrset'>[]
  readonly labels: Row<'label'>[]
  readonly addresses: Row<'address'>[]
  readonly pools: Row<'address_pool'>[]
  readonly actions: Row<'action'>[]
  readonly locks: Row<'resource_lock'>[]
  readonly serials: Row<'action_serial'>[]
}

/** What earlier checks of an installation saw; its processes share one simulation. */
interface Memory {
  readonly ended: Map<number, string>
  /** By path: every id that was there at some time. */
  readonly seen: Map<string, Set<number>>
}

const memories = new WeakMap<Simulation, Memory>()

function memoryOf({ simulation }: World): Memory {
  const known = memories.get(simulation)
  if (known) return known
  const made: Memory = { ended: new Map(), seen: new Map() }
  memories.set(simulation, made)
  return made
}

/** Checks an installation on which no action runs any more. */
export async function checkConsistency(world: World, { pendingToo = false }: CheckOptions = {}): Promise<void> {
  const found = await read(world.db)
  const memory = memoryOf(world)
  checkRows(found, world.clock, memory)
  checkStrays(found, world)
  checkFilters(found, world, pendingToo)
  checkServers(found, world)
  checkRoutes(found, world)
  checkCopies(found, world)
  await checkDeleted(found, world, memory)
}

/** Checks what a database at rest tells by itself, of an installation whose world nobody can look into. */
export async function checkDatabase(db: Database, clock: Clock): Promise<void> {
  checkRows(await read(db), clock, { ended: new Map(), seen: new Map() })
}

function checkRows(found: Snapshot, clock: Clock, memory: Memory): void {
  checkActions(found, memory)
  checkNames(found)
  checkAddresses(found, clock)
  checkCertificates(found)
  checkOwners(found)
  checkMatches(found)
  checkZones(found)
  checkImages(found)
}

async function read({ query }: Database): Promise<Snapshot> {
  const all = <Name extends keyof EveryTable>(table: Name) =>
    acrossProjects(query).selectFrom(table).selectAll().execute() as unknown as Promise<Row<Name>[]>
  return {
    servers: await all('server'),
    firewalls: await all('firewall'),
    applications: await all('firewall_application'),
    matches: await all('firewall_match'),
    filters: await all('firewall_filter'),
    primaryIps: await all('primary_ip'),
    floatingIps: await all('floating_ip'),
    sshKeys: await all('ssh_key'),
    routings: await all('floating_ip_routing'),
    images: await all('image'),
    formers: await all('server_former'),
    certificates: await all('certificate'),
    certificateKeys: await all('certificate_key'),
    certificateUses: await all('certificate_use'),
    certificateOrders: await all('certificate_order'),
    challenges: await all('zone_challenge'),
    zones: await all('zone'),
    contents: await all('zone_content'),
    rrsets: await all('rrset'),
    labels: await all('label'),
    addresses: await all('address'),
    pools: await all('address_pool'),
    actions: await all('action'),
    locks: await all('resource_lock'),
    serials: await all('action_serial'),
  }
}

/** I1, I2, and I10 for what actions hold. */
function checkActions({ actions, locks, serials }: Snapshot, { ended }: Memory): void {
  const running = actions.filter((action) => action.status === 'running').map((action) => action.command)
  assert.deepEqual(running, [], 'every action has ended')
  assert.deepEqual(locks, [], 'I1, I10: nothing stays locked')
  assert.deepEqual(serials, [], 'I10: nothing waits for an action that has ended')
  for (const action of actions) {
    checkEnd(action)
    const text = JSON.stringify(Object.entries(action).sort())
    assert.equal(ended.get(action.id) ?? text, text, 'I2: an action that has ended never changes')
    ended.set(action.id, text)
  }
}

/** What ends actions of the scenarios; the second one is a certificate that is there to be retried. */
const failureCodes = new Set(['action_failed', 'dns_zone_not_found'])

function checkEnd(action: ActionRow): void {
  const { id, status, progress, finished, worker, lease_until, error_code, error_message } = action
  assert.deepEqual({ worker, lease_until }, { worker: null, lease_until: null }, `action ${id} is nobody's`)
  assert.ok(finished, `action ${id} says when it ended`)
  if (status === 'success') assert.deepEqual([progress, error_code, error_message], [100, null, null])
  else assert.deepEqual([status, failureCodes.has(error_code!), typeof error_message], ['error', true, 'string'])
}

/** I3. */
function checkNames(found: Snapshot): void {
  const { servers, firewalls, primaryIps, floatingIps, sshKeys, certificates } = found
  for (const rows of [servers, firewalls, primaryIps, floatingIps, sshKeys, certificates]) {
    const names = rows.map((row) => `${row.project_id} ${row.name}`)
    assert.deepEqual(names, [...new Set(names)], 'I3: a name is there once in a Project')
  }
}

/** I4: one owner for each address, every row of a pool accounted for. */
function checkAddresses({ addresses, pools, primaryIps, floatingIps }: Snapshot, clock: Clock): void {
  const used = addresses.filter((row) => row.owner !== null)
  const resting = addresses.filter((row) => row.owner === null && row.released_at > clock.now() - restMs)
  const free = addresses.filter((row) => row.owner === null && row.released_at <= clock.now() - restMs)
  const added = pools.reduce((sum, { cidr, family, next }) => sum + next - firstOf(cidr, family), 0)
  assert.equal(used.length + resting.length + free.length, added, 'I4: pool = used + free + resting')
  for (const { project_id } of [...free, ...resting]) assert.equal(project_id, null, 'I4: a free address is of nobody')
  const claimed = used.map(({ ip, owner, project_id }) => `${ip} ${owner} ${project_id}`).sort()
  const held = [
    ...primaryIps.map(({ ip, id, project_id }) => `${ip} primary_ip:${id} ${project_id}`),
    ...floatingIps.map(({ ip, id, project_id }) => `${ip} floating_ip:${id} ${project_id}`),
  ]
  assert.deepEqual(claimed, held.sort(), 'I4, I10: the owner of an address has it, and nobody else')
}

/** I6: each Floating IP leads to the server that it is assigned to, and nowhere else. */
function checkRoutes({ floatingIps }: Snapshot, { simulation }: World): void {
  const wanted = floatingIps.filter((row) => row.server_id !== null).map((row) => `${row.ip} to ${row.server_id}`)
  const routes = [...simulation.world.routes.values()]
  const actual = routes.flatMap(({ serverId, ips }) => ips.map((ip) => `${ip} to ${serverId}`))
  assert.deepEqual(actual.sort(), wanted.sort(), 'I6: where Floating IPs lead')
}

/** I5 and I10 for zones: each counts what it has, and no RRSet is without one but those that are to be deleted. */
function checkZones({ zones, contents, rrsets }: Snapshot): void {
  const current = contents.filter(({ expires }) => expires === null)
  const pairs = (some: readonly (readonly [number, number])[]) => some.map(String).sort()
  assert.deepEqual(
    pairs(current.map(({ zone_id, id }) => [zone_id, id])),
    pairs(zones.map(({ id, content_id }) => [id, content_id])),
    'I10: what does not expire is what is in a zone',
  )
  const known = new Set(contents.map(({ id }) => id))
  const sizes = new Map(current.map(({ id }) => [id, { records: 0, textBytes: 0 }]))
  for (const row of rrsets) {
    assert.ok(known.has(row.content_id), 'I10: an RRSet has a content')
    const size = sizes.get(row.content_id)
    if (!size) continue
    const { records, textBytes } = sizeOf([rrsetFromRow(row)])
    size.records += records
    size.textBytes += textBytes
  }
  for (const { name, content_id, record_count, text_bytes } of zones) {
    assert.deepEqual({ records: record_count, textBytes: text_bytes }, sizes.get(content_id), `I5: size of ${name}`)
  }
}

function firstOf(cidr: string, family: number): number {
  return family === 4 && cidrSize(cidr) > 2n ? 1 : 0
}

/** Keys are where certificates are; orders and their challenges, where one is on its way. */
function checkCertificates(found: Snapshot): void {
  const issued = found.certificates.filter(({ certificate }) => certificate !== null)
  assert.equal(found.certificateKeys.length, issued.length, 'each certificate that was issued has its private key')
  for (const { certificate_id } of found.certificateOrders) {
    const { issuance, renewal } = found.certificates.find(({ id }) => id === certificate_id)!
    assert.ok(
      issuance === 'pending' || renewal === 'pending',
      `the order of certificate ${certificate_id} is left over`,
    )
  }
  const wanted = found.certificateOrders.flatMap(({ challenges }) => JSON.parse(challenges) as Challenge[])
  assert.deepEqual(
    found.challenges.map(({ zone_id, value }) => `${zone_id} ${value}`).sort(),
    wanted.map(({ zoneId, value }) => `${zoneId} ${value}`).sort(),
    'challenges are in DNS as long as their order is open',
  )
}

/** I10 for rows that belong to others. */
function checkOwners(found: Snapshot): void {
  const servers = new Map<number, number>(found.servers.map((row) => [row.id, row.project_id]))
  const firewalls = new Map<number, number>(found.firewalls.map((row) => [row.id, row.project_id]))
  const belongs = (owners: ReadonlyMap<number, number>, id: number | null, projectId: number, what: string) =>
    assert.equal(id === null ? projectId : owners.get(id), projectId, `I10: ${what} ${id} has an owner in its Project`)
  for (const row of found.applications) belongs(servers, row.server_id, row.project_id, 'an application to server')
  for (const row of found.matches) belongs(servers, row.server_id, row.project_id, 'a match of server')
  for (const row of found.filters) belongs(servers, row.server_id, row.project_id, 'a filter of server')
  for (const row of found.primaryIps) belongs(servers, row.server_id, row.project_id, 'a Primary IP of server')
  for (const row of found.floatingIps) belongs(servers, row.server_id, row.project_id, 'a Floating IP of server')
  for (const row of found.routings) belongs(servers, row.server_id, row.project_id, 'a set of Floating IPs of server')
  for (const row of found.images) belongs(servers, row.bound_to, row.project_id, 'a backup of server')
  for (const row of [...found.applications, ...found.matches]) {
    belongs(firewalls, row.firewall_id, row.project_id, 'what is of firewall')
  }
  const certificates = new Map<number, number>(found.certificates.map((row) => [row.id, row.project_id]))
  for (const row of [...found.certificateKeys, ...found.certificateUses, ...found.certificateOrders]) {
    belongs(certificates, row.certificate_id, row.project_id, 'what is of certificate')
  }
  const { servers: server, firewalls: firewall, floatingIps: floating_ip, images: image, sshKeys: ssh_key } = found
  const labelled = {
    server,
    firewall,
    floating_ip,
    image,
    ssh_key,
    certificate: found.certificates,
    zone: found.zones,
    rrset: found.rrsets,
  }
  const wanted = Object.entries(labelled).flatMap(([kind, rows]) =>
    rows.flatMap(({ project_id, id, labels }) =>
      Object.entries(JSON.parse(labels)).map(([key, value]) => [project_id, kind, id, key, value].join(' ')),
    ),
  )
  const indexed = found.labels.map((row) => [row.project_id, row.kind, row.resource_id, row.key, row.value].join(' '))
  assert.deepEqual(indexed.sort(), wanted.sort(), 'I10: the index says exactly what the labels say')
}

/** I10 for what is out there. */
function checkStrays(found: Snapshot, { simulation: { world } }: World): void {
  const servers = new Set<number>(found.servers.map(({ id }) => id))
  for (const id of [...world.servers.keys(), ...world.filters.keys(), ...world.routes.keys()]) {
    assert.ok(servers.has(id), `I10: server ${id} is out there without an owner`)
  }
}

function isMatch(selector: string, labels: string): boolean {
  const result = parseSelector(selector)
  assert.ok(result.ok)
  return matches((result as { selector: Selector }).selector, JSON.parse(labels))
}

/** Matches are recomputed from the labels: they must say the same, each server once a firewall. */
function checkMatches({ servers, primaryIps, applications, matches: rows }: Snapshot): void {
  const reachable = new Set(primaryIps.map((ip) => ip.server_id))
  const wanted = new Set<string>()
  for (const { firewall_id, selector, project_id } of applications) {
    for (const { id, labels, project_id: owner } of servers) {
      if (selector === null || owner !== project_id || !reachable.has(id)) continue
      if (isMatch(selector, labels)) wanted.add(`${firewall_id} ${id}`)
    }
  }
  const found = rows.map(({ firewall_id, server_id }) => `${firewall_id} ${server_id}`).sort()
  assert.deepEqual(found, [...wanted].sort(), 'matches follow the labels')
  for (const { application_id, firewall_id, server_id } of rows) {
    const application = applications.find((one) => one.id === application_id)
    assert.equal(application?.firewall_id, firewall_id, 'I10: a match counts for a selector of its firewall')
    const { labels } = servers.find((server) => server.id === server_id)!
    assert.ok(isMatch(application!.selector!, labels), 'a match counts for a selector that holds')
  }
}

/** Order means nothing in a union. */
function inOrder({ inbound, outbound }: Filter): unknown {
  const sorted = ({ otherwise, accept }: Filter['inbound']) => ({
    otherwise,
    accept: accept.map(({ protocol, ports, networks }) => JSON.stringify([protocol, ports, networks])).sort(),
  })
  return { inbound: sorted(inbound), outbound: sorted(outbound) }
}

/** I7: each server has in force what its firewalls add up to, and no more firewalls than it may. */
function checkFilters(found: Snapshot, { simulation }: World, pendingToo: boolean): void {
  for (const { id } of found.servers) {
    const rows = [...found.applications, ...found.matches].filter((row) => row.server_id === id)
    const ids = new Set(rows.map((row) => row.firewall_id))
    assert.ok(ids.size <= 5, `server ${id} has ${ids.size} firewalls`)
    const filter = found.filters.find((row) => row.server_id === id)
    if (ids.size > 0) assert.ok(filter, `server ${id} has a filter`)
    if (filter && filter.generation_in_force < filter.generation && !pendingToo) continue
    const firewalls = found.firewalls.filter((firewall) => ids.has(firewall.id))
    const wanted = toFilter(firewalls.map(({ rules }) => ({ rules: JSON.parse(rules) as Rule[] })))
    const inForce = simulation.world.filters.get(id) ?? toFilter([])
    assert.deepEqual(inOrder(inForce), inOrder(wanted), `I7: the filter of server ${id} is in force`)
  }
}

/** I6, and the power and the disk of each server. */
function checkServers({ servers, primaryIps }: Snapshot, { simulation }: World): void {
  for (const { id, status, power, power_in_force: inForce, image, installation } of servers) {
    assert.ok(status === 'running' || status === 'off', `server ${id} rests, but is ${status}`)
    assert.deepEqual([power, inForce], status === 'running' ? ['on', 'on'] : ['off', 'off'])
    const known = simulation.world.servers.get(id)
    assert.ok(known, `server ${id} is out there`)
    assert.equal(known.power, power, `server ${id} has the power that it should have`)
    const disk = [known.state.image, known.state.installation]
    assert.deepEqual(disk, [image, installation], `server ${id} has the disk that it should have`)
    const ips = primaryIps.filter((ip) => ip.server_id === id)
    const ipOf = (type: string) => ips.find((ip) => ip.type === type)?.ip ?? null
    assert.deepEqual([known.state.ipv4, known.state.ipv6], [ipOf('ipv4'), ipOf('ipv6')], 'I6: its addresses')
  }
}

/** I10 for images: a backup has its server and one of its slots. */
function checkImages({ images, servers, formers }: Snapshot): void {
  assert.deepEqual(formers, [], 'I10: no server remembers a disk that it cannot go back to')
  for (const { id, status, type, bound_to, created_from_id: serverId } of images) {
    if (status === 'deleted') continue
    assert.equal(status, 'available', `image ${id} rests`)
    assert.equal(bound_to, type === 'backup' ? serverId : null, `image ${id} is bound as its type says`)
  }
  for (const { id, backup_window: window } of servers) {
    const backups = images.filter((image) => image.bound_to === id)
    assert.ok(backups.length <= (window === null ? 0 : backupSlots), `server ${id} has ${backups.length} backups`)
  }
}

/** I10 for copies of disks: each has its image, each image its copy. */
function checkCopies({ images }: Snapshot, { simulation }: World): void {
  for (const { id, status, image_size_mb: sizeMb, created_from_id: serverId } of images) {
    if (status === 'deleted') continue
    assert.deepEqual(simulation.world.images.get(id), { serverId, sizeMb }, `image ${id} has its copy`)
  }
  const known = new Set(images.map(({ id }) => id))
  for (const id of simulation.world.images.keys()) assert.ok(known.has(id), `I10: copy ${id} is of no image`)
}

/** I9. */
async function checkDeleted(found: Snapshot, { api, foreign }: World, { seen }: Memory): Promise<void> {
  const alive = {
    servers: found.servers,
    firewalls: found.firewalls,
    floating_ips: found.floatingIps,
    certificates: found.certificates,
    images: found.images.filter(({ status }) => status !== 'deleted'),
  }
  for (const [path, rows] of Object.entries(alive)) {
    const ids = new Set<number>(rows.map(({ id }) => id))
    const before = seen.get(path) ?? new Set()
    for (const id of before) {
      if (ids.has(id)) continue
      for (const client of [api, foreign]) {
        assert.equal((await client.get(`/${path}/${id}`)).status, 404, 'I9: a deleted id never answers again')
      }
    }
    seen.set(path, new Set([...before, ...ids]))
  }
}
