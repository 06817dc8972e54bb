/**
 * A process may lose the simulated infrastructure, which is its memory, at any moment; its successors and its neighbours
 * have another one. Whatever can be done to a resource can be done all the same, because drivers are told all they need.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { allow, toSelector, toServer } from '../../src/families/firewalls/proof.ts'
import { cloudSubnet } from '../../src/families/networks/proof.ts'
import { privateOnly, serverBody } from '../../src/families/servers/proof.ts'
import { parseDatabaseUrl } from '../../src/kernel/data/dialect.ts'
import { openDatabase } from '../../src/kernel/data/open.ts'
import { runningClock } from '../../src/kernel/process/clock.ts'
import { checkDatabase } from '../kit/consistency.ts'
import { until } from '../kit/database/bare-database.ts'
import { closeAdmin, createDatabase, postgresUrl } from '../kit/database/postgres.ts'
import { onPostgres } from '../kit/engines.ts'
import { call, program, type Reply, type Served } from './kit/program.ts'

const { folder, serve } = program('restart')

after(closeAdmin)

const location = 'fsn1'

type Call = (method: string, path: string, body?: unknown) => Promise<Reply>

/** A server with all that can hang on one. */
interface Estate {
  readonly name: string
  readonly server: number
  readonly firewall: number
  readonly floatingIp: number
  readonly snapshot: number
  /** A server that is off and has a volume and a place in a network. */
  readonly stopped: number
  readonly volume: number
  readonly network: number
  /** What no server has yet. */
  readonly free: {
    readonly volume: number
    readonly primaryIp: number
    readonly network: number
    readonly group: number
  }
  /** The server of another estate. */
  readonly neighbour: number
}

type Operation = (api: Call, estate: Estate) => Promise<Reply>

const toTheServer =
  (command: string, body?: object): Operation =>
  (api, { server }) =>
    api('POST', `/servers/${server}/actions/${command}`, body)

/** What is done to servers, each to one of its own. */
const serverOperations: readonly Operation[] = [
  ...['poweron', 'poweroff', 'shutdown', 'reboot', 'reset', 'create_image'].map((command) => toTheServer(command)),
  toTheServer('change_protection', { delete: true, rebuild: true }),
  toTheServer('rebuild', { image: 'debian-12' }),
  (api, { server, snapshot }) => api('POST', `/servers/${server}/actions/rebuild`, { image: snapshot }),
  (api, { name, snapshot }) => api('POST', '/servers', serverBody(`${name}-clone`, { image: snapshot })),
  (api, { name, firewall, network, free }) =>
    api(
      'POST',
      '/servers',
      serverBody(`${name}-full`, {
        location,
        firewalls: [{ firewall }],
        networks: [network, free.network],
        volumes: [free.volume],
        placement_group: free.group,
        public_net: { ipv4: free.primaryIp },
      }),
    ),
  toTheServer('enable_rescue', {}),
  toTheServer('reset_password'),
  async (api, { server }) => {
    // Only now: a process that starts makes the backups that are due.
    await api('POST', `/servers/${server}/actions/enable_backup`)
    return api('POST', `/servers/${server}/actions/create_image`, { type: 'backup' })
  },
  async (api, { server }) => {
    await api('POST', `/servers/${server}/actions/enable_backup`)
    return api('POST', `/servers/${server}/actions/disable_backup`)
  },
  (api, { server }) => api('DELETE', `/servers/${server}`),
]

const toTheStopped =
  (command: string, body: (estate: Estate) => object): Operation =>
  (api, estate) =>
    api('POST', `/servers/${estate.stopped}/actions/${command}`, body(estate))

/** What is done to the first of the servers that are off, and to what hangs on the first of all, at the same time. */
const otherOperations: readonly (readonly Operation[])[] = [
  [
    toTheStopped('change_type', () => ({ server_type: 'cpx32', upgrade_disk: true })),
    toTheStopped('add_to_placement_group', ({ free }) => ({ placement_group: free.group })),
    toTheStopped('attach_to_network', ({ free }) => ({ network: free.network })),
    toTheStopped('detach_from_network', ({ network }) => ({ network })),
    toTheStopped('change_alias_ips', ({ network }) => ({ network, alias_ips: ['10.0.1.9'] })),
    toTheStopped('attach_iso', () => ({ iso: 8637 })),
    (api, { free, stopped }) =>
      api('POST', `/primary_ips/${free.primaryIp}/actions/assign`, { assignee_id: stopped, assignee_type: 'server' }),
    (api, { free, stopped }) => api('POST', `/volumes/${free.volume}/actions/attach`, { server: stopped }),
    (api, { volume }) => api('POST', `/volumes/${volume}/actions/detach`),
    (api, { volume }) => api('POST', `/volumes/${volume}/actions/resize`, { size: 20 }),
    (api, { stopped }) => api('DELETE', `/servers/${stopped}`),
  ],
  [
    (api, { floatingIp }) => api('POST', `/floating_ips/${floatingIp}/actions/unassign`),
    (api, { floatingIp, neighbour: server }) => api('POST', `/floating_ips/${floatingIp}/actions/assign`, { server }),
    (api, { server }) => api('POST', '/floating_ips', { type: 'ipv6', server }),
  ],
  [
    (api, { firewall }) => api('POST', `/firewalls/${firewall}/actions/set_rules`, { rules: [allow('443')] }),
    (api, { firewall, name }) =>
      api('POST', `/firewalls/${firewall}/actions/apply_to_resources`, { apply_to: [toSelector(`name=${name}`)] }),
    (api, { firewall, server }) =>
      api('POST', `/firewalls/${firewall}/actions/remove_from_resources`, { remove_from: [toServer(server)] }),
  ],
  [
    (api, { snapshot }) => api('DELETE', `/images/${snapshot}`),
    (api, { snapshot }) => api('POST', `/images/${snapshot}/actions/change_protection`, { delete: true }),
  ],
]

const callTo =
  (baseUrl: string): Call =>
  async (...request) => {
    const reply = await call(baseUrl, ...request)
    assert.ok(reply.status < 300, `${request.join(' ')}: ${JSON.stringify(reply.json)}`)
    return reply
  }

/** Waits until the actions of a reply have ended, each as a success. */
async function succeeded(api: Call, { json }: Reply): Promise<void> {
  const started = [json?.action, ...(json?.next_actions ?? []), ...(json?.actions ?? [])].filter(Boolean)
  if (started.length === 0) return
  const ids = started.map(({ id }: { id: number }) => `id=${id}`).join('&')
  await until(async () => {
    const { actions } = (await api('GET', `/actions?${ids}`)).json
    const failed = actions.filter(({ status }: { status: string }) => status === 'error')
    assert.deepEqual(failed, [])
    return actions.every(({ status }: { status: string }) => status === 'success')
  }, `the actions ${ids} have ended`)
}

async function build(api: Call, name: string): Promise<Omit<Estate, 'neighbour'>> {
  const firewall = (await api('POST', '/firewalls', { name, rules: [allow('22')] })).json.firewall.id as number
  const created = await api('POST', '/servers', serverBody(name, { labels: { name }, firewalls: [{ firewall }] }))
  const server = created.json.server.id as number
  const floatingIp = await api('POST', '/floating_ips', { type: 'ipv4', server })
  await succeeded(api, created)
  const snapshot = await api('POST', `/servers/${server}/actions/create_image`)
  await succeeded(api, snapshot)
  await succeeded(api, floatingIp)
  const rest = await buildRest(api, name)
  return {
    name,
    server,
    firewall,
    floatingIp: floatingIp.json.floating_ip.id,
    snapshot: snapshot.json.image.id,
    ...rest,
  }
}

async function buildRest(api: Call, name: string): Promise<Pick<Estate, 'stopped' | 'volume' | 'network' | 'free'>> {
  const make = async (path: string, key: string, body: object): Promise<number> => {
    const reply = await api('POST', path, { name, ...body })
    await succeeded(api, reply)
    return reply.json[key].id
  }
  const volume = (suffix: string) => make('/volumes', 'volume', { name: name + suffix, size: 10, location })
  const network = (suffix: string, ip_range: string, subnet: string) =>
    make('/networks', 'network', { name: name + suffix, ip_range, subnets: [cloudSubnet(subnet)] })
  const own = { volume: await volume('-own'), network: await network('-own', '10.0.0.0/16', '10.0.1.0/24') }
  const off = { ...privateOnly, location, volumes: [own.volume], networks: [own.network] }
  return {
    ...own,
    stopped: await make('/servers', 'server', serverBody(`${name}-stopped`, off)),
    free: {
      volume: await volume('-free'),
      primaryIp: await make('/primary_ips', 'primary_ip', { type: 'ipv4', location }),
      network: await network('-free', '10.1.0.0/16', '10.1.1.0/24'),
      group: await make('/placement_groups', 'placement_group', { type: 'spread' }),
    },
  }
}

/** An estate for each operation on servers; `apis` take turns. */
async function buildAll(apis: readonly Call[], prefix: string): Promise<Estate[]> {
  const built = await Promise.all(serverOperations.map((_, i) => build(apis[i % apis.length]!, `${prefix}${i}`)))
  return built.map((estate, i) => ({ ...estate, neighbour: built.at(i - 1)!.server }))
}

/** Does everything to the estates at once; `apiOf` says through which process something is done to an estate. */
function begin(apiOf: (index: number) => Call, estates: readonly Estate[]): Promise<Reply[]> {
  const all = [serverOperations, ...otherOperations]
  return Promise.all(all.flatMap((group) => group.map((operate, i) => operate(apiOf(i), estates[i]!))))
}

/** Every image is whole, and as large as any other of a disk like that. */
async function checkImages(api: Call): Promise<void> {
  const { images } = (await api('GET', '/images?type=snapshot&type=backup&per_page=50')).json
  const shown = images.map(({ status, image_size }: Record<string, unknown>) => ({ status, image_size }))
  assert.ok(shown.length >= serverOperations.length)
  for (const image of shown) assert.deepEqual(image, { status: 'available', image_size: shown[0].image_size })
  assert.ok(shown[0].image_size > 0)
}

/** Nothing is left over of what was interrupted, and the database agrees with itself. */
async function checkLeft(url: string): Promise<void> {
  const clock = runningClock()
  const db = await openDatabase(parseDatabaseUrl(url)!, { clock, postgres: { connections: 2 } })
  try {
    await checkDatabase(db, clock)
  } finally {
    await db.close()
  }
}

test('whatever is done to what an earlier process made succeeds, also when it was killed in the midst (SQLite)', async () => {
  const database = `sqlite:${folder}/restart.db`
  const first = await serve(database)
  const early = await buildAll([callTo(first.baseUrl)], 'early')
  const late = await buildAll([callTo(first.baseUrl)], 'late')
  await first.kill()
  const second = await serve(database, '--action-delay', '60000')
  const interrupted = await begin(() => callTo(second.baseUrl), early)
  await second.kill()
  const third = await serve(database)
  const api = callTo(third.baseUrl)
  for (const reply of interrupted) await succeeded(api, reply)
  for (const reply of await begin(() => api, late)) await succeeded(api, reply)
  await checkImages(api)
  await third.stop()
  await checkLeft(database)
})

test(
  'whatever is done to what another process made succeeds, also when that one is gone (PostgreSQL)',
  onPostgres,
  async () => {
    const { url, drop } = await createDatabase(await postgresUrl())
    const servers: Served[] = []
    try {
      for (let i = 0; i < 2; i++) servers.push(await serve(url))
      const [one, other] = servers as [Served, Served]
      const apis = [callTo(one.baseUrl), callTo(other.baseUrl)]
      const early = await buildAll(apis, 'early')
      const late = await buildAll(apis, 'late')
      // A process takes first what it was asked for itself.
      for (const reply of await begin((i) => apis[(i + 1) % 2]!, early)) await succeeded(apis[0]!, reply)
      await one.kill()
      for (const reply of await begin(() => apis[1]!, late)) await succeeded(apis[1]!, reply)
      await checkImages(apis[1]!)
      await other.stop()
      await checkLeft(url)
    } finally {
      await Promise.all(servers.map((server) => server.kill()))
      await drop()
    }
  },
)
