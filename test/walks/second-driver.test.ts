/**
 * The seam between the core and the infrastructure (docs/adr/0019-a-second-driver.md): drivers that a test puts in the
 * place of the simulated ones, whose calls take as long as the test likes, tell their progress and cannot do everything.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DriverError, type Drivers, type Report } from '../../src/kernel/actions/define.ts'
import { wolkeBase } from '../../src/kernel/contract/bases.ts'
import { forProjects, type World } from '../kit/harness.ts'
import { expect } from '../kit/resources.ts'

interface Call {
  readonly name: string
  readonly subject: number
  readonly generation: number | undefined
  readonly state: unknown
}

/** A driver of everything that runs on hosts: it records its calls, and waits before each while it is told to. */
class Hosts {
  readonly calls: Call[] = []
  /** Called before each call takes effect. */
  before: (call: Call, report: Report) => Promise<void> = async () => undefined
  readonly #newest = new Map<string, number>()

  readonly drivers: Omit<Drivers, 'authority' | 'delegation' | 'zones'> = {
    callTimeoutMs: 600_000,
    servers: {
      remembers: async () => true,
      apply: (state, report) => this.#take('servers.apply', state.id, state.generation, state, report),
      remove: (id, generation) => this.#take('servers.remove', id, generation, undefined),
      measure: async () => new Map(),
    },
    volumes: {
      apply: (state) => this.#take('volumes.apply', state.id, state.generation, state),
      remove: (id, generation) => this.#take('volumes.remove', id, generation, undefined),
      attach: (state) => this.#take('volumes.attach', state.serverId, state.generation, state),
    },
    networks: { apply: (state) => this.#take('networks.apply', state.id, state.generation, state) },
    interfaces: { apply: (state) => this.#take('interfaces.apply', state.serverId, state.generation, state) },
    loadBalancers: {
      apply: (state) => this.#take('loadBalancers.apply', state.id, state.generation, state),
      remove: (id, generation) => this.#take('loadBalancers.remove', id, generation ?? undefined, undefined),
      observe: async () => new Map(),
      measure: async () => new Map(),
      inventory: async () => undefined,
    },
    firewalls: { apply: (state) => this.#take('firewalls.apply', state.serverId, state.generation, state) },
    routing: { apply: (state) => this.#take('routing.apply', state.serverId, state.generation, state) },
    images: {
      capture: async ({ imageId, server }, report) => {
        await this.#take('images.capture', imageId, undefined, server, report)
        return 1_000
      },
      remove: ({ imageId }) => this.#take('images.remove', imageId, undefined, undefined),
    },
    console: {
      open: async () => {
        throw new DriverError('these machines have no screen', { transient: false })
      },
    },
    reachability: {
      trace: async (packet) => {
        await this.#take('reachability.trace', packet.from.server ?? 0, undefined, packet)
        const decidedBy = { by: 'nothing', server: null, network: null, direction: null, rule: null } as const
        return { reachable: true, path: 'public', decidedBy, explanation: 'The hosts say so.' }
      },
    },
    metadata: { identify: () => undefined },
    storageBoxes: {
      apply: (state) => this.#take('storageBoxes.apply', state.id, state.generation, state),
      remove: (id, generation) => this.#take('storageBoxes.remove', id, generation, undefined),
      createSnapshot: (id) => this.#take('storageBoxes.createSnapshot', id, undefined, undefined),
      deleteSnapshot: (id) => this.#take('storageBoxes.deleteSnapshot', id, undefined, undefined),
      rollback: (id) => this.#take('storageBoxes.rollback', id, undefined, undefined),
      snapshots: async () => [],
      usage: async () => ({ data: 0, snapshots: 0, bySnapshot: new Map() }),
      folders: async () => [],
    },
  }

  /** The calls about something, by name, since the last time that it was asked. */
  names(subject: number): string[] {
    const names = this.calls.filter((call) => call.subject === subject).map(({ name }) => name)
    this.calls.length = 0
    return names
  }

  async #take(
    name: string,
    subject: number,
    generation: number | undefined,
    state: unknown,
    report: Report = () => undefined,
  ): Promise<void> {
    const call = { name, subject, generation, state }
    this.calls.push(call)
    await this.before(call, report)
    if (generation === undefined) return
    // Generations fence what comes late: they never go back.
    const key = `${name.split('.', 1)[0]} ${name === 'volumes.attach' ? 'of server ' : ''}${subject}`
    assert.ok(generation >= (this.#newest.get(key) ?? 0), `${name} of ${subject} under generation ${generation}`)
    this.#newest.set(key, generation)
  }
}

const post = async ({ api }: World, path: string, body?: object) => expect(await api.post(path, body), 201).body
const newServer = (world: World, name: string, options: object = {}) =>
  post(world, '/servers', { name, server_type: 'cpx22', image: 'debian-12', location: 'hel1', ...options })

/** Waits until the progress of an action is shown as this. */
async function shown({ api }: World, id: number, progress: number): Promise<void> {
  for (;;) {
    const { action } = expect(await api.get(`/actions/${id}`), 200).body
    if (action.progress === progress) return
    assert.ok(action.progress < progress && action.status === 'running', JSON.stringify(action))
  }
}

forProjects('drivers in the place of the simulated ones', (open) => {
  test('may take their time with a server, and tell how far they are', async () => {
    const hosts = new Hosts()
    const begun = Promise.withResolvers<Report>()
    const finished = Promise.withResolvers<void>()
    hosts.before = async ({ name }, report) => {
      if (name !== 'servers.apply') return
      begun.resolve(report)
      await finished.promise
    }
    const world = await open({ drivers: hosts.drivers })
    const { server, action } = await newServer(world, 'slow')
    const report = await begun.promise
    report(0.25)
    await shown(world, action.id, 25)
    report(0.1)
    report(0.6)
    await shown(world, action.id, 60)
    assert.equal((await world.api.get(`/servers/${server.id}`)).body.server.status, 'initializing')
    report(7)
    await shown(world, action.id, 99)
    finished.resolve()
    await world.settle()
    const { action: ended } = expect(await world.api.get(`/actions/${action.id}`), 200).body
    assert.deepEqual([ended.status, ended.progress], ['success', 100])
  })

  test('change nothing by what they tell after the end', async () => {
    const hosts = new Hosts()
    const reports: Report[] = []
    hosts.before = async ({ name }, report) => {
      if (name === 'servers.apply') reports.push(report)
    }
    const world = await open({ drivers: hosts.drivers })
    const { action } = await newServer(world, 'early')
    await world.settle()
    for (const report of reports) report(0.5)
    // A later write, behind which that of the report would be done.
    await newServer(world, 'later')
    await world.settle()
    const { action: ended } = expect(await world.api.get(`/actions/${action.id}`), 200).body
    assert.deepEqual([ended.status, ended.progress], ['success', 100])
  })

  test('are told the whole life of a server, each state with a generation', async () => {
    const hosts = new Hosts()
    const world = await open({ drivers: hosts.drivers, runActions: false })
    const { volume } = await post(world, '/volumes', { name: 'data', size: 10, location: 'hel1' })
    const rules = [{ direction: 'in', protocol: 'icmp', source_ips: ['0.0.0.0/0'] }]
    const { firewall } = await post(world, '/firewalls', { name: 'wall', rules })
    const { placement_group: group } = await post(world, '/placement_groups', { name: 'apart', type: 'spread' })
    await world.settle()
    const hung = { volumes: [volume.id], firewalls: [{ firewall: firewall.id }], placement_group: group.id }
    const { server: one } = await newServer(world, 'one', hung)
    await world.settle()
    const states = hosts.calls.flatMap(({ name, state }) => (name === 'servers.apply' ? [state] : []))
    const powers = states.map((state) => (state as { power: string }).power)
    assert.deepEqual([powers[0], powers.at(-1)], ['off', 'on'], 'it is made before it gets power')
    assert.equal((states[0] as { placementGroup: number }).placementGroup, group.id)
    const places = hosts.calls.flatMap(({ subject, state }) => (subject === one.id ? [state] : []))
    for (const state of places) assert.equal((state as { location: number }).location, one.location.id)
    const names = hosts.names(one.id)
    const last = (name: string) => names.lastIndexOf(name)
    assert.equal(names[0], 'servers.apply')
    assert.ok(names.indexOf('firewalls.apply') < last('servers.apply'), 'it is behind its filter before it gets power')
    assert.ok(names.indexOf('volumes.attach') < last('servers.apply'))

    const { server: two } = await newServer(world, 'two')
    const { floating_ip: ip } = await post(world, '/floating_ips', { type: 'ipv4', server: one.id })
    await world.settle()
    hosts.calls.length = 0
    await post(world, `/floating_ips/${ip.id}/actions/assign`, { server: two.id })
    await world.settle()
    const routes = hosts.calls.map(({ subject, state }) => [subject, (state as { ips: string[] }).ips])
    assert.deepEqual(routes, [
      [two.id, [ip.ip]],
      [one.id, []],
      [two.id, [ip.ip]],
    ])
    hosts.calls.length = 0
    const lab = new URL(wolkeBase, world.baseUrl).href
    const question = `from=server:${one.id}&to=server:${two.id}&protocol=tcp&port=22`
    const { reachability } = expect(await world.api.get(`${lab}/reachability?${question}`), 200).body
    assert.equal(reachability.explanation, 'The hosts say so.')
    assert.deepEqual(hosts.names(one.id), ['reachability.trace'], 'who remembers is told nothing again')
    expect(await world.api.delete(`/servers/${one.id}`), 200)
    await world.settle()
    assert.ok(hosts.names(one.id).includes('servers.remove'))
    expect(await world.api.get(`/servers/${one.id}`), 404)
  })

  test('may refuse what their machines cannot do, which changes nothing', async () => {
    const hosts = new Hosts()
    hosts.before = async ({ name, state }) => {
      if (name !== 'servers.apply' || (state as { iso: number | null }).iso === null) return
      throw new DriverError('containers have no drive', { transient: false, code: 'unsupported_error' })
    }
    const world = await open({ drivers: hosts.drivers, runActions: false })
    const { server } = await newServer(world, 'container')
    await world.settle()
    const { action } = await post(world, `/servers/${server.id}/actions/attach_iso`, { iso: 8637 })
    await world.settle()
    const { action: ended } = expect(await world.api.get(`/actions/${action.id}`), 200).body
    assert.deepEqual(ended.error, { code: 'unsupported_error', message: 'containers have no drive' })
    const { iso, status, locked } = expect(await world.api.get(`/servers/${server.id}`), 200).body.server
    assert.deepEqual([iso, status, locked], [null, 'running', false])
  })
})
