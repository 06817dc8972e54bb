import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency } from '../../../test/kit/consistency.ts'
import { type Client, forProjects } from '../../../test/kit/harness.ts'
import { expect, messagesOf, outcomeOf, refused, settleAll } from '../../../test/kit/resources.ts'
import { builtIn } from '../../catalogue/built-in.ts'
import type { Behaviour } from '../../drivers/simulated/simulation.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import { isHashOf } from '../../protocols/net/crypt.ts'
import { newFirewall, toSelector } from '../firewalls/proof.ts'
import { cloudSubnet, makeNetwork } from '../networks/proof.ts'
import { command, newServer, privateOnly, serverBody, serverOf } from './proof.ts'

interface WireAction {
  readonly id: number
  readonly command: string
  readonly status: string
  readonly error: { readonly code: string; readonly message: string } | null
  readonly resources: readonly { id: number; type: string }[]
}

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl user@host'
const otherKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiI'
const create = (api: Client, options: object) => api.post('/servers', serverBody('a', options))

forProjects('creation of servers', (open) => {
  test('the infrastructure is told what the server is made of, and starts it last', async () => {
    const world = await open({ alone: true })
    const { api, simulation } = world
    const calls: string[] = []
    simulation.behave(({ driver, method, subject }) => {
      calls.push(`${driver} ${method} ${simulation.world.servers.get(subject)?.power ?? 'nothing'}`)
      return undefined
    })
    const options = { image: 'ubuntu-24.04', user_data: '#cloud-config', location: 'fsn1' }
    const { server, root_password } = expect(await create(api, options), 201).body
    await settleAll(world)
    assert.deepEqual(calls, ['servers apply nothing', 'servers apply off'])
    const { state, power, restarts } = simulation.world.servers.get(server.id)!
    assert.ok(isHashOf(root_password, state.rootPasswordHash!))
    assert.deepEqual(
      { ...state, generation: 0 },
      {
        id: server.id,
        generation: 0,
        location: 1,
        name: 'a',
        cores: 2,
        memoryMb: 4096,
        diskGb: 80,
        image: 161547269,
        installation: null,
        userData: '#cloud-config',
        sshKeys: [],
        rootPasswordHash: state.rootPasswordHash,
        passwordReset: null,
        rescue: null,
        power: 'on',
        iso: null,
        manner: 'hard',
        cycle: null,
        ipv4: server.public_net.ipv4.ip,
        ipv6: server.public_net.ipv6.ip,
        placementGroup: null,
      },
    )
    assert.deepEqual([power, restarts], ['on', 0])
  })

  test('there is a root password exactly when no SSH key is given; keys are named by id or name', async () => {
    const world = await open()
    const { api, foreign, simulation } = world
    const laptop = (await api.post('/ssh_keys', { name: 'laptop', public_key: key })).body.ssh_key
    await api.post('/ssh_keys', { name: 'desktop', public_key: otherKey })
    const theirs = (await foreign.post('/ssh_keys', { name: 'theirs', public_key: key })).body.ssh_key
    for (const [index, ssh_keys] of [undefined, []].entries()) {
      const { root_password } = expect(await create(api, { name: `p${index}`, ssh_keys }), 201).body
      assert.match(root_password, /^[a-zA-Z0-9]{20}$/)
    }
    const ways = [
      [laptop.id, 'desktop'],
      [String(laptop.id), 'desktop'],
      ['laptop', laptop.id, 'desktop'],
    ]
    for (const [index, ssh_keys] of ways.entries()) {
      const { root_password, server } = expect(await create(api, { name: `k${index}`, ssh_keys }), 201).body
      assert.equal(root_password, null)
      await settleAll(world)
      const { state } = simulation.world.servers.get(server.id)!
      assert.deepEqual([state.sshKeys, state.rootPasswordHash], [[key, otherKey], null])
    }
    const texts = new Set<string>()
    for (const unknown of [theirs.id, 'theirs', 99_000_000_000, 'nobody', '']) {
      const answer = await create(api, { ssh_keys: ['laptop', unknown] })
      expect(answer, 422, 'invalid_input')
      assert.equal(answer.body.error.message, "invalid input in field 'ssh_keys'")
      if (unknown !== '') texts.add(answer.text)
    }
    assert.equal(texts.size, 1)
    assert.equal((await api.get('/servers?name=a')).body.servers.length, 0)
  })

  test('creation answers with its action and those that follow: the start first, then each firewall', async () => {
    const world = await open({ runActions: false })
    const { api } = world
    const f = await newFirewall(api, 'f')
    const g = await newFirewall(api, 'g', { apply_to: [toSelector('env')] })
    const options = { firewalls: [{ firewall: f }, { firewall: f }], labels: { env: '' } }
    const { server, action, next_actions } = expect(await create(api, options), 201).body
    const { id } = server
    const self = { id, type: 'server' }
    assert.deepEqual(
      { ...action, id: 0 },
      {
        id: 0,
        command: 'create_server',
        status: 'running',
        progress: 0,
        started: '2026-11-21T12:00:00Z',
        finished: null,
        resources: [self, { id: 114690387, type: 'image' }],
        error: null,
      },
    )
    assert.deepEqual(
      next_actions.map(({ command, status, resources }: WireAction) => [command, status, resources.slice(0, 2)]),
      [
        ['start_server', 'running', [self]],
        ['apply_firewall', 'running', [self, { id: f, type: 'firewall' }]],
        ['apply_firewall', 'running', [self, { id: g, type: 'firewall' }]],
      ],
    )
    await settleAll(world)
    for (const one of [action, ...next_actions]) assert.equal((await outcomeOf(api, one)).status, 'success')
    assert.deepEqual((await serverOf(api, id)).public_net.firewalls, [
      { id: f, status: 'applied' },
      { id: g, status: 'applied' },
    ])
    const off = expect(await create(api, { name: 'off', start_after_create: false }), 201).body
    assert.deepEqual(off.next_actions, [])
    await settleAll(world)
    assert.equal((await serverOf(api, off.server.id)).status, 'off')
    await checkConsistency(world)
  })

  test('types, images and locations are named by id, by an id in quotes, or by name', async () => {
    const world = await open()
    const { api } = world
    let count = 0
    for (const server_type of [109, '109', 'cpx22']) {
      for (const image of [114690387, '114690387', 'debian-12']) {
        for (const location of [2, '2', 'nbg1']) {
          if ([server_type, image, location].filter((value) => typeof value === 'number').length === 2) continue
          const { server } = expect(await create(api, { name: `s${count++}`, server_type, image, location }), 201).body
          assert.deepEqual([server.server_type.id, server.image.id, server.location.id], [109, 114690387, 2])
        }
      }
    }
  })

  test('without a location the server goes where its type is recommended', async () => {
    const { api } = await open()
    assert.equal((await create(api, {})).body.server.location.name, 'fsn1')
    const cpx11 = expect(await create(api, { name: 'b', server_type: 'cpx11' }), 201).body.server
    assert.equal(cpx11.location.name, 'ash')
    assert.equal(cpx11.included_traffic, 2 ** 40)
  })

  test('an image named by name has the architecture of the type; one named by id must have it', async () => {
    const { api } = await open()
    assert.equal((await create(api, { server_type: 'cax11' })).body.server.image.id, 114690389)
    const wrong: object[] = [
      { server_type: 'cpx22', image: 114690389 },
      { server_type: 'cax11', image: '114690387' },
      { server_type: 'cax11', image: 'gitlab' },
    ]
    for (const options of wrong) {
      const answer = await create(api, { name: 'b', ...options })
      refused(answer, 'image')
      assert.deepEqual(messagesOf(answer), [['image', 'image has wrong architecture']])
    }
    const old = await create(api, { name: 'b', server_type: 'cx11' })
    refused(old, 'location')
    assert.match(old.body.error.message, /: cx11 is no longer available in any location$/)
  })

  test('what is unknown or does not fit is refused by its field, several at once', async () => {
    const world = await open()
    const { api } = world
    refused(await create(api, { server_type: 'nothing' }), 'server_type')
    refused(await create(api, { server_type: 7 }), 'server_type')
    refused(await create(api, { image: 'nothing' }), 'image')
    refused(await create(api, { image: 7 }), 'image')
    refused(await create(api, { location: 'nothing' }), 'location')
    refused(await create(api, { location: 99 }), 'location')
    refused(await create(api, { server_type: 'x', image: 'y', location: 'z' }), 'server_type', 'image', 'location')
    const unsupported = await create(api, { server_type: 'cpx22', location: 'ash' })
    refused(unsupported, 'location')
    const where = 'unsupported location for server type: cpx22 is available in fsn1, nbg1, hel1, sin'
    assert.deepEqual([unsupported.body.error.message, messagesOf(unsupported)], [where, [['location', where]]])
    refused(await api.post('/servers'), 'name', 'server_type', 'image')
    const empty = await api.post('/servers', {})
    assert.equal(empty.body.error.message, "invalid input in fields 'name', 'server_type', 'image'")
    for (const [field, value] of Object.entries({
      volumes: [99_000_000_000],
      networks: [99_000_000_000],
      placement_group: 99_000_000_000,
      public_net: { ipv4: 99_000_000_000 },
      firewalls: [{ firewall: 99_000_000_000 }],
      automount: 'yes',
      start_after_create: 'yes',
      labels: { '-': 'x' },
    })) {
      const answer = expect(await create(api, { [field]: value }), 422, 'invalid_input')
      assert.equal(answer.body.error.message, `invalid input in field '${field}'`, answer.text)
    }
    for (const field of ['datacenter', 'id', 'status', 'locked', 'protection', 'project_id', 'extra']) {
      const answer = expect(await create(api, { [field]: 'x' }), 422, 'invalid_input')
      assert.equal(answer.body.error.message, `invalid input: unknown field name '${field}'`)
    }
    assert.deepEqual((await api.get('/servers')).body.servers, [])
    await checkConsistency(world)
  })

  test('foreign, deleted and unknown firewalls cannot be told apart, and no server is begun', async () => {
    const world = await open({ alone: true })
    const { api, foreign, db } = world
    const theirs = await newFirewall(foreign, 'theirs')
    const deleted = await newFirewall(api, 'deleted')
    const mine = await newFirewall(api, 'mine')
    await api.delete(`/firewalls/${deleted}`)
    const texts = new Set<string>()
    for (const firewall of [theirs, deleted, 99_000_000_000]) {
      const answer = await create(api, { firewalls: [{ firewall: mine }, { firewall }] })
      refused(answer, 'firewalls[1].firewall')
      texts.add(answer.text)
    }
    assert.equal(texts.size, 1)
    const all = acrossProjects(db.query)
    assert.equal((await all.selectFrom('address').select('ip').where('owner', 'is not', null).execute()).length, 0)
    assert.equal((await all.selectFrom('server').select('id').execute()).length, 0)
    await checkConsistency(world)
  })

  test('a name is there once in a Project and must be a valid hostname', async () => {
    const { api, foreign } = await open()
    await newServer(api, 'a')
    const other = await newServer(api, 'b')
    await newServer(foreign, 'a')
    for (const twin of [await create(api, {}), await api.put(`/servers/${other}`, { name: 'a' })]) {
      expect(twin, 409, 'uniqueness_error')
      assert.deepEqual(twin.body.error, {
        code: 'uniqueness_error',
        message: 'server name is already used',
        details: { fields: [{ name: 'name' }] },
      })
    }
    for (const name of ['a_b', '-a', 'a..b', 'ä', 'x'.repeat(64)]) {
      for (const answer of [await create(api, { name }), await api.put(`/servers/${other}`, { name })]) {
        refused(answer, 'name')
        assert.equal(answer.body.error.message, "invalid input in field 'name'")
        assert.deepEqual(messagesOf(answer), [['name', 'Name must be a valid hostname.']])
      }
    }
    for (const name of ['', 'x'.repeat(254), 5, null]) refused(await create(api, { name }), 'name')
  })

  test('user data has at most 32768 characters', async () => {
    const world = await open()
    const { api, simulation } = world
    const user_data = 'x'.repeat(32_768)
    const { server } = expect(await create(api, { user_data }), 201).body
    await settleAll(world)
    assert.equal(simulation.world.servers.get(server.id)?.state.userData, user_data)
    const answer = await create(api, { name: 'b', user_data: `${user_data}x` })
    assert.deepEqual(messagesOf(expect(answer, 422)), [['user_data', 'Length must be between 0 and 32768.']])
  })

  test('each address family can be left out; without both, a server can exist but not be started', async () => {
    const world = await open()
    const { api, simulation } = world
    const nets = [
      [{ enable_ipv4: false }, false, true],
      [{ enable_ipv6: false }, true, false],
      [{ enable_ipv4: true, enable_ipv6: true, ipv4: null, ipv6: null }, true, true],
      [{}, true, true],
    ] as const
    for (const [index, [public_net, v4, v6]] of nets.entries()) {
      const { server } = expect(await create(api, { name: `s${index}`, public_net }), 201).body
      assert.deepEqual([server.public_net.ipv4 !== null, server.public_net.ipv6 !== null], [v4, v6])
    }
    const hidden = expect(await create(api, { name: 'hidden', ...privateOnly }), 201).body.server
    assert.deepEqual([hidden.public_net.ipv4, hidden.public_net.ipv6], [null, null])
    await settleAll(world)
    assert.equal((await serverOf(api, hidden.id)).status, 'off')
    const { ipv4, ipv6 } = simulation.world.servers.get(hidden.id)!.state
    assert.deepEqual([ipv4, ipv6], [null, null])
    const { public_net } = privateOnly
    refused(await create(api, { name: 'b', public_net }), 'public_net')
    refused(await create(api, { name: 'b', public_net, start_after_create: true }), 'public_net')
    const firewall = await newFirewall(api, 'f')
    refused(await create(api, { name: 'b', ...privateOnly, firewalls: [{ firewall }] }), 'firewalls')
    await checkConsistency(world)
  })

  test('while a server is made it is initializing, then starting, then running, locked until the end', async () => {
    const seen: string[] = []
    let look: (() => Promise<void>) | undefined
    let looking = Promise.resolve()
    // Actions run beside each other, and an answer that was asked for earlier may come later: one look after the other.
    const inTurn = (one: () => Promise<void>) => {
      looking = looking.then(one)
      return looking
    }
    const world = await open({ faults: { reach: () => look && inTurn(look) } })
    const { api } = world
    const firewall = await newFirewall(api, 'f')
    look = async () => {
      const [server] = (await api.get('/servers')).body.servers
      const [{ status }] = server.public_net.firewalls
      seen.push(`${server.status} ${server.locked ? 'locked' : 'free'} ${status}`)
    }
    await newServer(api, 'a', { firewalls: [{ firewall }] })
    await settleAll(world)
    assert.equal(seen.length, 9)
    assert.deepEqual(
      seen.filter((state, at) => state !== seen[at - 1]),
      ['initializing locked pending', 'starting locked pending', 'starting locked applied', 'running free applied'],
    )
  })

  test('a server that is not to start is locked until all that it asks for is attached', async () => {
    const seen: boolean[] = []
    let look: (() => Promise<void>) | undefined
    const world = await open({ faults: { reach: () => look?.() } })
    const { api } = world
    const network = await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })
    const firewall = await newFirewall(api, 'f')
    look = async () => void seen.push((await api.get('/servers')).body.servers[0].locked)
    const id = await newServer(api, 'a', { networks: [network], firewalls: [{ firewall }], start_after_create: false })
    await settleAll(world)
    assert.deepEqual([...new Set(seen.slice(0, -1))], [true])
    assert.ok(seen.length > 6)
    assert.equal((await serverOf(api, id)).locked, false)
  })

  test('a server that has lost its only network by the time of its first start stays off', async () => {
    const world = await open({ runActions: false })
    const { api } = world
    const network = await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })
    const { public_net } = privateOnly
    const { server, next_actions } = expect(await create(api, { public_net, networks: [network] }), 201).body
    expect(await api.delete(`/networks/${network}`), 204)
    await settleAll(world)
    const { error } = await outcomeOf(api, next_actions[0])
    assert.deepEqual([error?.code, error?.message], ['action_failed', 'the server is in no network'])
    const after = await serverOf(api, server.id)
    assert.deepEqual([after.status, after.locked, after.private_net], ['off', false, []])
    assert.equal(world.simulation.world.servers.get(server.id)?.power, 'off')
    await checkConsistency(world)
  })

  test('when no address is left nothing is begun; a released one rests before it is given out again', async () => {
    const world = await open({ addressPool: ['198.51.100.0/30', '2001:db8:1::/64', '2001:db8:2::/64'] })
    const { api, foreign, clock } = world
    const first = await newServer(api, 's1')
    const second = await newServer(foreign, 's2')
    await settleAll(world)
    const ipOf = async (client: Client, id: number) => (await serverOf(client, id)).public_net.ipv4.ip
    const ip = await ipOf(api, first)
    assert.deepEqual([ip, await ipOf(foreign, second)], ['198.51.100.1', '198.51.100.2'])
    const none = async () => {
      const answer = expect(await api.post('/servers', serverBody('s3')), 412, 'resource_unavailable')
      assert.equal((await api.get('/servers?name=s3')).body.servers.length, 0, answer.text)
    }
    await none()
    expect(await api.post('/servers', serverBody('s3', { public_net: { enable_ipv4: false } })), 412)
    await newServer(api, 'hidden', privateOnly)
    await settleAll(world)
    await api.delete(`/servers/${first}`)
    await settleAll(world)
    await none()
    clock.advance(599_000)
    await none()
    await checkConsistency(world)
    clock.advance(1_000)
    const third = await newServer(api, 's3')
    assert.equal(await ipOf(api, third), ip)
    await settleAll(world)
    await checkConsistency(world)
  })

  test('an address that has rested longest comes first', async () => {
    const world = await open({ addressPool: ['198.51.100.0/29', '2001:db8::/32'] })
    const { api, clock } = world
    const ids: number[] = []
    for (let i = 0; i < 6; i++) ids.push(await newServer(api, `s${i}`))
    await settleAll(world)
    const ips = await Promise.all(ids.map(async (id) => (await serverOf(api, id)).public_net.ipv4.ip))
    assert.equal(new Set(ips).size, 6)
    for (const index of [4, 1, 3]) {
      await api.delete(`/servers/${ids[index]}`)
      await settleAll(world)
      clock.advance(1_000)
    }
    clock.advance(600_000)
    const reused: string[] = []
    for (const name of ['x', 'y', 'z'])
      reused.push((await serverOf(api, await newServer(api, name))).public_net.ipv4.ip)
    assert.deepEqual(reused, [ips[4], ips[1], ips[3]])
    await settleAll(world)
    await checkConsistency(world)
  })

  test('a server that cannot be made leaves nothing behind, and its name and addresses are free again', async () => {
    const world = await open({ addressPool: ['198.51.100.0/31', '2001:db8::/32'], engine: { callTimeoutMs: 500 } })
    const { api, simulation, clock } = world
    const firewall = await newFirewall(api, 'f', { apply_to: [toSelector('env')] })
    const failures: Behaviour[] = ['error before effect', 'error after effect', 'timeout applied', 'partial']
    for (const failure of failures) {
      let calls = 0
      simulation.behave(() => (calls++ < (failure.startsWith('error') ? 1 : 5) ? failure : 'ok'))
      const options = { labels: { env: 'dev' }, firewalls: [{ firewall }] }
      const { server, action, next_actions } = expect(await create(api, options), 201).body
      await settleAll(world)
      assert.equal((await outcomeOf(api, action)).error?.code, 'action_failed', failure)
      assert.equal((await outcomeOf(api, next_actions[0])).error?.code, 'action_failed', failure)
      expect(await api.get(`/servers/${server.id}`), 404, 'not_found')
      assert.equal(simulation.world.servers.size, 0)
      assert.deepEqual((await api.get(`/firewalls/${firewall}`)).body.firewall.applied_to[0].applied_to_resources, [])
      await checkConsistency(world)
      clock.advance(600_000)
    }
  })

  test('a server that cannot be started at its creation stays, off and unlocked', async () => {
    const world = await open({ alone: true })
    const { api, simulation } = world
    let calls = 0
    simulation.behave(() => (++calls === 2 ? 'error before effect' : 'ok'))
    const { server, action, next_actions } = expect(await create(api, {}), 201).body
    await settleAll(world)
    assert.equal((await outcomeOf(api, action)).status, 'success')
    assert.equal((await outcomeOf(api, next_actions[0])).error?.code, 'action_failed')
    const after = await serverOf(api, server.id)
    assert.deepEqual([after.status, after.locked], ['off', false])
    await checkConsistency(world)
    expect(await command(api, server.id, 'poweron'), 201)
    await settleAll(world)
    assert.equal((await serverOf(api, server.id)).status, 'running')
    await checkConsistency(world)
  })

  test('an image that can no longer be ordered makes no server', async () => {
    const world = await open({ alone: true })
    const { api, clock } = world
    expect(await create(api, { image: 'debian-11' }), 201)
    await settleAll(world)
    const end = builtIn.images.find(({ name }) => name === 'debian-11')?.deprecation?.unavailable_after
    clock.set(end ?? '')
    clock.advance(1_000)
    refused(await create(api, { name: 'b', image: 'debian-11' }), 'image')
    const large = await create(api, { name: 'b', image: 'gitlab', server_type: 'cpx12' })
    expect(large, 201)
  })
})
