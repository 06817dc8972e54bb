/** A Project as it looks after half a year: what the pictures of the documentation and the tests of long words show. */
import { renameProject } from '../../../src/kernel/access/projects.ts'
import type { Console } from '../kit/harness.ts'
import { publicKey } from './resources.ts'

const anywhere = ['0.0.0.0/0', '::/0']
const rule = (port: string, sources: readonly string[], description: string, protocol = 'tcp') => ({
  direction: 'in',
  protocol,
  ...(protocol === 'icmp' ? {} : { port }),
  source_ips: sources,
  description,
})

const firewalls = [
  {
    name: 'web',
    rules: [
      rule('443', anywhere, 'HTTPS'),
      rule('80', anywhere, 'HTTP, sent on to HTTPS'),
      rule('22', ['10.0.0.0/16'], 'SSH'),
      rule('9100', ['10.0.0.0/16'], 'Metrics'),
      rule('', anywhere, 'Ping', 'icmp'),
      rule('1194', anywhere, 'Old tunnel', 'udp'),
    ],
  },
  { name: 'db', rules: [rule('5432', ['10.0.0.0/16'], 'PostgreSQL'), rule('22', ['10.0.0.0/16'], 'SSH')] },
  { name: 'mail', rules: [rule('25', anywhere, 'SMTP'), rule('993', anywhere, 'IMAP')] },
]

/** Servers in the order in which they were made: when, name, type, location, role, firewall. */
const servers = [
  ['2026-05-02', 'db-1', 'ccx23', 'fsn1', 'db', 'db'],
  ['2026-05-02', 'db-2', 'ccx23', 'nbg1', 'db', 'db'],
  ['2026-06-14', 'mail-1', 'cx23', 'fsn1', 'mail', 'mail'],
  ['2026-08-25', 'cache-1', 'cax11', 'fsn1', 'cache', 'db'],
  ['2026-08-25', 'queue-1', 'cax21', 'fsn1', 'queue', 'db'],
  ['2026-10-11', 'web-1', 'cx33', 'fsn1', 'web', 'web'],
  ['2026-10-11', 'web-2', 'cx33', 'fsn1', 'web', 'web'],
  ['2026-10-22', 'build-1', 'cx43', 'hel1', 'ci', ''],
  ['2026-11-09', 'web-3', 'cx33', 'nbg1', 'web', 'web'],
  ['2026-11-16', 'edge-1', 'cx23', 'hel1', 'edge', 'web'],
  ['2026-11-20', 'build-2', 'cax31', 'hel1', 'ci', ''],
] as const

/** Certificates: when they were ordered, and their names. Each lives for 90 days. */
const certificates = [
  ['2026-08-29', 'mail', ['mail.nordlicht.email']],
  ['2026-09-24', 'api', ['api.nordlicht.de']],
  ['2026-10-03', 'www', ['www.nordlicht.de', 'nordlicht.de']],
  ['2026-11-02', 'status', ['status.nordlicht.de']],
  ['2026-11-19', 'shop', ['shop.nordlicht.de', 'cdn.nordlicht.de']],
] as const

const now = '2026-11-21T12:03:00Z'

/** Makes all of it, day after day, and leaves the clock at noon of 21 November 2026. */
export async function nordlicht(console: Console): Promise<void> {
  const { api, world } = console
  world.clock.set('2026-05-02T08:00:00Z')
  const frame = await makeFrame(console)
  const days = [...servers, ...certificates].map(([day]) => day)
  for (const day of [...new Set(days)].sort()) {
    world.clock.set(`${day}T09:30:00Z`)
    for (const [, name, type, location, role, firewall] of servers.filter((one) => one[0] === day)) {
      await makeServer(console, frame, { name, type, location, role, firewall })
    }
    for (const [, name, domains] of certificates.filter((one) => one[0] === day)) {
      await api.post('/certificates', { name, type: 'managed', domain_names: domains, labels: { env: 'prod' } })
      await world.settle()
    }
  }
  world.clock.set(now)
  await makeRest(console, frame)
}

interface Frame {
  readonly network: number
  readonly group: number
  readonly firewalls: ReadonlyMap<string, number>
}

async function makeFrame({ api, world, project }: Console): Promise<Frame> {
  await world.db.transact((tx) => renameProject(tx, { projectId: project }, 'nordlicht'))
  await api.post('/ssh_keys', { name: 'jana@laptop', public_key: publicKey })
  const byName = new Map<string, number>()
  for (const firewall of firewalls) byName.set(firewall.name, (await api.post('/firewalls', firewall)).body.firewall.id)
  const subnet = (range: string) => ({ type: 'cloud', network_zone: 'eu-central', ip_range: range })
  const network = await api.post('/networks', {
    name: 'internal',
    ip_range: '10.0.0.0/16',
    labels: { env: 'prod' },
    subnets: [subnet('10.0.1.0/24'), subnet('10.0.2.0/24')],
  })
  const group = await api.post('/placement_groups', { name: 'web', type: 'spread' })
  for (const name of ['nordlicht.de', 'nordlicht.email']) {
    const records = [
      { name: '@', type: 'MX', records: [{ value: '10 mail' }] },
      { name: 'mail', type: 'A', records: [{ value: '192.0.2.14', comment: 'mail-1' }] },
      { name: 'www', type: 'A', ttl: 300, records: [{ value: '192.0.2.20' }, { value: '192.0.2.21' }] },
      { name: '@', type: 'TXT', records: [{ value: '"v=spf1 mx include:_spf.nordlicht.email -all"' }] },
    ]
    await api.post('/zones', { name, mode: 'primary', labels: { env: 'prod' }, rrsets: records })
  }
  await world.settle()
  return { network: network.body.network.id, group: group.body.placement_group.id, firewalls: byName }
}

interface Wanted {
  readonly name: string
  readonly type: string
  readonly location: string
  readonly role: string
  readonly firewall: string
}

async function makeServer({ api, world }: Console, frame: Frame, wanted: Wanted): Promise<void> {
  const { name, type, location, role, firewall } = wanted
  const isBuild = role === 'ci'
  const { body } = await api.post('/servers', {
    name,
    server_type: type,
    location,
    image: isBuild ? 'ubuntu-24.04' : 'debian-13',
    labels: { role, ...(isBuild ? {} : { env: 'prod' }) },
    ssh_keys: ['jana@laptop'],
    networks: isBuild ? [] : [frame.network],
    firewalls: firewall ? [{ firewall: frame.firewalls.get(firewall) }] : [],
    ...(role === 'web' ? { placement_group: frame.group } : {}),
  })
  await world.settle()
  if (role !== 'db') return
  await api.post(`/servers/${body.server.id}/actions/enable_backup`)
  await api.post(`/servers/${body.server.id}/actions/change_protection`, { delete: true, rebuild: true })
  await world.settle()
}

/** Volumes, a snapshot, a Floating IP, a Load Balancer; a server that is off; a zone that went, and its certificate. */
async function makeRest({ api, world }: Console, { network }: Frame): Promise<void> {
  const idOf = async (name: string) => (await api.get(`/servers?name=${name}`)).body.servers[0].id as number
  await api.post('/volumes', { name: 'postgres', size: 100, server: await idOf('db-1'), format: 'ext4' })
  await api.post('/volumes', { name: 'archive', size: 50, location: 'fsn1' })
  await api.post('/floating_ips', { type: 'ipv4', server: await idOf('edge-1'), name: 'www' })
  await world.settle()
  await api.post(`/servers/${await idOf('db-1')}/actions/create_image`, { type: 'snapshot', description: 'before 17' })
  await api.post(`/servers/${await idOf('build-1')}/actions/poweroff`)
  await api.post('/load_balancers', {
    name: 'shop',
    load_balancer_type: 'lb11',
    location: 'fsn1',
    network,
    labels: { env: 'prod' },
    services: [{ protocol: 'http' }, { protocol: 'tcp', listen_port: 5432, destination_port: 5432 }],
    targets: [{ type: 'label_selector', label_selector: { selector: 'role=web' }, use_private_ip: true }],
  })
  await world.settle()
  await api.delete('/zones/nordlicht.email')
  await world.settle()
  await world.app.jobs.run()
  await world.settle()
}
