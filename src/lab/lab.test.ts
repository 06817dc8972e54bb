import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Client, forEachDatabase, type World } from '../../test/harness.ts'
import { done } from '../../test/proof.ts'
import { cloudSubnet, makeNetwork, vswitchCatalogue, vswitchSubnet } from '../families/networks/proof.ts'
import { cidrContains } from '../net/ip.ts'

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any

interface Question {
  readonly from: string
  readonly to: string
  readonly protocol: 'tcp' | 'udp' | 'icmp'
  readonly port?: number
}

function ask({ baseUrl }: World, client: Client, question: object) {
  const origin = new URL(baseUrl).origin
  const query = new URLSearchParams({ ...question } as Record<string, string>)
  return client.get(`${origin}/wolke/v1/reachability?${query}`)
}

async function answer(world: World, question: Question): Promise<Json> {
  return (await done(ask(world, world.api, question))).reachability
}

async function makeServer({ api, settle }: World, name: string, more: object = {}): Promise<Json> {
  const { server } = await done(api.post('/servers', { name, server_type: 'cx23', image: 'debian-12', ...more }))
  await settle()
  return (await done(api.get(`/servers/${server.id}`))).server
}

/** Without any public address. */
const unreachable = { public_net: { enable_ipv4: false, enable_ipv6: false } }

/** A server in some networks, with the lowest free address of each. */
const inside = (world: World, name: string, networks: number[], more: object = {}): Promise<Json> =>
  makeServer(world, name, { networks, ...more })

const anywhere = ['0.0.0.0/0', '::/0']
const ssh = { direction: 'in', protocol: 'tcp', port: '22', source_ips: anywhere }

async function makeFirewall({ api, settle }: World, name: string, rules: object[], servers: Json[]): Promise<void> {
  const targets = servers.map(({ id }) => ({ type: 'server', server: { id } }))
  await done(api.post('/firewalls', { name, rules, apply_to: targets }))
  await settle()
}

const outside = '8.8.4.4'

forEachDatabase('reachability', (open, engineName) => {
  test('names the rule that lets a packet through, and the filter that stops it', async () => {
    const world = await open({ runActions: false })
    const web = await makeServer(world, 'web')
    await makeFirewall(world, 'guard', [ssh], [web])
    const address = web.public_net.ipv4.ip
    const question = { from: outside, to: address, protocol: 'tcp', port: 22 } as const
    assert.deepEqual(await answer(world, question), {
      reachable: true,
      path: 'public',
      decided_by: {
        type: 'rule',
        server: web.id,
        network: null,
        direction: 'in',
        rule: { protocol: 'tcp', port: '22', networks: anywhere },
      },
      explanation: `An inbound rule of server ${web.id} accepts tcp port 22 from 0.0.0.0/0, ::/0. ${outside} reaches ${address}.`,
    })
    const refused = await answer(world, { ...question, port: 80 })
    assert.deepEqual(
      [refused.reachable, refused.path, refused.decided_by.type, refused.decided_by.direction],
      [false, null, 'filter', 'in'],
    )
    assert.match(refused.explanation, /^No inbound rule of the firewalls of server \d+ accepts it from 8/)
  })

  test('without a firewall everything passes, unless a server is off', async () => {
    const world = await open({ runActions: false })
    const [one, other] = [await makeServer(world, 'one'), await makeServer(world, 'other')]
    const question = { from: `server:${one.id}`, to: `server:${other.id}`, protocol: 'icmp' } as const
    const open2 = await answer(world, question)
    assert.deepEqual([open2.reachable, open2.decided_by.type], [true, 'nothing'])
    await done(world.api.post(`/servers/${other.id}/actions/poweroff`))
    await world.settle()
    const off = await answer(world, question)
    assert.deepEqual([off.reachable, off.decided_by.type, off.decided_by.server], [false, 'power', other.id])
    assert.equal(off.explanation, `Server ${other.id} is off.`)
  })

  test('an outbound rule decides what leaves', async () => {
    const world = await open({ runActions: false })
    const server = await makeServer(world, 'quiet')
    await makeFirewall(
      world,
      'dns-only',
      [{ direction: 'out', protocol: 'udp', port: '53', destination_ips: ['9.9.9.9/32'] }],
      [server],
    )
    const question = { from: `server:${server.id}`, to: '9.9.9.9', protocol: 'udp', port: 53 } as const
    const allowed = await answer(world, question)
    assert.deepEqual([allowed.reachable, allowed.decided_by.direction], [true, 'out'])
    assert.match(allowed.explanation, /reaches 9\.9\.9\.9, which is not a server of this Project\.$/)
    assert.equal((await answer(world, { ...question, to: '9.9.9.10' })).decided_by.type, 'filter')
  })

  test('a Floating IP leads to the server that has it, and nowhere without one', async () => {
    const world = await open({ runActions: false })
    const server = await makeServer(world, 'holder')
    const { floating_ip: given } = await done(
      world.api.post('/floating_ips', { type: 'ipv4', server: server.id, name: 'floating' }),
    )
    await world.settle()
    const question = { from: outside, to: given.ip, protocol: 'tcp', port: 443 } as const
    assert.equal((await answer(world, question)).reachable, true)
    await done(world.api.post(`/floating_ips/${given.id}/actions/unassign`))
    await world.settle()
    const nowhere = await answer(world, question)
    assert.deepEqual([nowhere.reachable, nowhere.decided_by.type], [false, 'address'])
    assert.equal(nowhere.explanation, `No server has the address ${given.ip}.`)
  })

  test('tells nothing about servers of another Project', async () => {
    const world = await open({ runActions: false })
    const theirs = await makeServer({ ...world, api: world.foreign }, 'theirs')
    const ours = await makeServer(world, 'ours')
    await done(world.foreign.post(`/servers/${theirs.id}/actions/poweroff`))
    await world.settle()
    const unknown = await ask(world, world.api, { from: `server:${theirs.id}`, to: outside, protocol: 'icmp' })
    assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'not_found'])
    const { ip } = theirs.public_net.ipv4
    const blind = await answer(world, { from: `server:${ours.id}`, to: ip, protocol: 'icmp' })
    assert.deepEqual([blind.reachable, blind.decided_by.server], [true, null])
  })

  test('refuses bad questions by naming the field, strangers, and methods that are not there', async () => {
    const world = await open({ runActions: false })
    const good = { from: outside, to: '192.0.2.1', protocol: 'tcp', port: 22 }
    const cases: readonly (readonly [object, string])[] = [
      [{ ...good, from: 'server:x' }, 'from'],
      [{ ...good, to: '300.1.1.1' }, 'to'],
      [{ ...good, to: 'x'.repeat(200) }, 'to'],
      [{ ...good, protocol: 'sctp' }, 'protocol'],
      [{ ...good, port: 0 }, 'port'],
      [{ ...good, port: 65_536 }, 'port'],
      [{ ...good, protocol: 'icmp' }, 'port'],
      [{ from: outside, to: '192.0.2.1', protocol: 'udp' }, 'port'],
      [{ to: '192.0.2.1', protocol: 'icmp' }, 'from'],
    ]
    for (const [question, field] of cases) {
      const { status, body } = await ask(world, world.api, question)
      assert.deepEqual([status, body.error.code], [422, 'invalid_input'])
      assert.deepEqual(
        body.error.details.fields.map(({ name }: Json) => name),
        [field],
      )
    }
    assert.equal((await ask(world, world.anonymous, good)).status, 401)
    assert.equal((await ask(world, world.readOnly, good)).status, 200)
    const posted = await world.api.post(`${new URL(world.baseUrl).origin}/wolke/v1/reachability`)
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD'])
    assert.equal((await world.api.get('/reachability')).status, 404)
  })

  test('servers of a network reach each other there, past firewalls and without public addresses', async () => {
    const world = await open({ runActions: false })
    const network = await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })
    const [web, db] = [await inside(world, 'web', [network]), await inside(world, 'db', [network], unreachable)]
    await makeFirewall(world, 'closed', [ssh], [web])
    const question = { from: `server:${db.id}`, to: `server:${web.id}`, protocol: 'tcp', port: 5432 } as const
    assert.deepEqual(await answer(world, question), {
      reachable: true,
      path: 'private',
      decided_by: { type: 'nothing', server: null, network, direction: null, rule: null },
      explanation: `Network ${network} leads there, and no firewall filters in it. 10.0.1.2 reaches 10.0.1.1.`,
    })
    assert.equal((await answer(world, { ...question, from: '10.0.1.2', to: '10.0.1.1' })).path, 'private')
    const nobody = await answer(world, { ...question, to: '10.0.1.77' })
    assert.deepEqual([nobody.reachable, nobody.decided_by.type, nobody.decided_by.network], [false, 'address', network])
    const elsewhere = await answer(world, { ...question, to: '10.9.0.1' })
    assert.deepEqual([elsewhere.decided_by.type, elsewhere.decided_by.server], ['route', db.id])
    assert.match(elsewhere.explanation, /^No network of server \d+ leads to 10\.9\.0\.1, by its range or by a route\.$/)
    const fromOutside = await answer(world, { ...question, from: outside, to: '10.0.1.1' })
    assert.deepEqual([fromOutside.reachable, fromOutside.decided_by.type], [false, 'route'])
    const unheld = await answer(world, { ...question, from: '10.0.1.99' })
    assert.equal(unheld.explanation, 'No server has the address 10.0.1.99.')
    const outOf = await answer(world, { ...question, to: outside })
    assert.deepEqual([outOf.reachable, outOf.decided_by.type], [false, 'route'])
    await done(world.api.post(`/servers/${web.id}/actions/poweroff`))
    await world.settle()
    const off = await answer(world, { ...question, to: '10.0.1.1' })
    assert.deepEqual([off.decided_by.type, off.decided_by.server], ['power', web.id])
  })

  test('an alias address leads to its server, and the same address in several networks to the one meant', async () => {
    const world = await open({ runActions: false })
    const subnets = [cloudSubnet('10.0.1.0/24')]
    const networks = [await makeNetwork(world, { subnets }), await makeNetwork(world, { subnets })]
    const [first, second] = [await inside(world, 'a', [networks[0]!]), await inside(world, 'b', [networks[1]!])]
    const third = await inside(world, 'c', [networks[1]!])
    const aliases = { network: networks[1], alias_ips: ['10.0.1.50'] }
    await done(world.api.post(`/servers/${third.id}/actions/change_alias_ips`, aliases))
    await world.settle()
    const ping = { protocol: 'icmp' } as const
    const within = await answer(world, { from: '10.0.1.1', to: '10.0.1.50', ...ping })
    assert.deepEqual([within.reachable, within.decided_by.network], [true, networks[1]])
    const alone = await answer(world, { from: `server:${first.id}`, to: '10.0.1.50', ...ping })
    assert.deepEqual(
      [alone.reachable, alone.decided_by.type, alone.decided_by.network],
      [false, 'address', networks[0]],
    )
    const back = await answer(world, { from: '10.0.1.50', to: `server:${second.id}`, ...ping })
    assert.deepEqual([back.path, back.explanation.endsWith('10.0.1.50 reaches 10.0.1.1.')], ['private', true])
    const foreign = await ask(world, world.foreign, { from: '10.0.1.1', to: '10.0.1.50', ...ping })
    assert.equal(foreign.body.reachability.explanation, 'No server has the address 10.0.1.1.')
  })

  test('routes lead through the server that is their gateway: to another network, out of it, or to what is behind', async () => {
    const world = await open({ runActions: false })
    const near = await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })
    const far = await makeNetwork(world, { ip_range: '10.1.0.0/16', subnets: [cloudSubnet('10.1.0.0/24')] })
    const router = await inside(world, 'router', [near, far])
    const [lonely, target] = [await inside(world, 'lonely', [near], unreachable), await inside(world, 'target', [far])]
    const ask4 = (to: string) => answer(world, { from: `server:${lonely.id}`, to, protocol: 'tcp', port: 80 })
    const addRoute = async (destination: string, gateway: string) => {
      await done(world.api.post(`/networks/${near}/actions/add_route`, { destination, gateway }))
      await world.settle()
    }
    assert.equal((await ask4(`server:${target.id}`)).decided_by.type, 'route')
    await addRoute('10.1.0.0/16', '10.0.1.1')
    const led = await answer(world, { from: `server:${lonely.id}`, to: `server:${target.id}`, protocol: 'icmp' })
    assert.deepEqual(
      [led.path, led.decided_by],
      ['private', { type: 'route', server: router.id, network: near, direction: null, rule: null }],
    )
    assert.match(
      led.explanation,
      /^The route of network \d+ to 10\.1\.0\.0\/16 leads to server \d+\. 10\.0\.1\.2 reaches/,
    )
    await addRoute('10.2.0.0/16', '10.0.1.1')
    assert.match((await ask4('10.2.0.9')).explanation, /behind server \d+ and not a server of this Project/)
    await addRoute('10.3.0.0/16', '10.0.1.200')
    const nobody = await ask4('10.3.0.9')
    assert.deepEqual([nobody.reachable, nobody.decided_by.type], [false, 'route'])
    assert.match(nobody.explanation, /leads to 10\.0\.1\.200, which no server has\.$/)
    assert.equal((await ask4(outside)).decided_by.type, 'route')
    await addRoute('0.0.0.0/0', '10.0.1.1')
    const out = await ask4(outside)
    assert.deepEqual(
      [out.path, out.explanation.includes(`${router.public_net.ipv4.ip} reaches ${outside}`)],
      ['public', true],
    )
    await makeFirewall(
      world,
      'closed',
      [{ ...ssh, direction: 'out', source_ips: [], destination_ips: anywhere }],
      [router],
    )
    const filtered = await ask4(outside)
    assert.deepEqual(
      [filtered.reachable, filtered.decided_by.type, filtered.decided_by.server],
      [false, 'filter', router.id],
    )
    await done(world.api.post(`/servers/${router.id}/actions/poweroff`))
    await world.settle()
    assert.deepEqual((await ask4('10.2.0.9')).decided_by.type, 'power')
  })

  test('two gateways that send a packet to each other are found out', async () => {
    const world = await open({ runActions: false })
    const networks = [
      await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] }),
      await makeNetwork(world, { ip_range: '10.1.0.0/16', subnets: [cloudSubnet('10.1.0.0/24')] }),
    ]
    for (const name of ['one', 'two']) await inside(world, name, networks)
    const sender = await inside(world, 'sender', [networks[0]!])
    for (const [at, gateway] of ['10.0.1.1', '10.1.0.3'].entries()) {
      const route = { destination: '10.200.0.0/16', gateway }
      await done(world.api.post(`/networks/${networks[at]}/actions/add_route`, route))
      await world.settle()
    }
    const lost = await answer(world, { from: `server:${sender.id}`, to: '10.200.0.1', protocol: 'icmp' })
    assert.deepEqual([lost.reachable, lost.decided_by.type], [false, 'route'])
    assert.match(lost.explanation, /It has been there before\.$/)
  })

  test('a network may use a range from which the installation gives out its public addresses', async () => {
    const world = await open({ runActions: false, addressPool: ['10.0.0.0/8', '2001:db8::/32'] })
    const network = await makeNetwork(world, { subnets: [cloudSubnet('10.0.77.0/24')] })
    const [one, two] = [await inside(world, 'one', [network]), await inside(world, 'two', [network])]
    const question = { from: `server:${one.id}`, protocol: 'icmp' } as const
    assert.equal((await answer(world, { ...question, to: two.private_net[0].ip })).path, 'private')
    assert.equal((await answer(world, { ...question, to: two.public_net.ipv4.ip })).path, 'public')
    assert.equal(
      (await answer(world, { ...question, to: '10.250.0.1' })).explanation,
      'No server has the address 10.250.0.1.',
    )
  })

  test('what lies behind a vSwitch is outside', async () => {
    const world = await open({ runActions: false, catalogue: vswitchCatalogue })
    const subnets = [cloudSubnet('10.0.1.0/24'), vswitchSubnet('10.0.3.0/24')]
    const server = await inside(world, 'server', [await makeNetwork(world, { subnets })])
    const beyond = await answer(world, { from: `server:${server.id}`, to: '10.0.3.7', protocol: 'icmp' })
    assert.equal(beyond.path, 'private')
    assert.match(beyond.explanation, /10\.0\.1\.1 reaches 10\.0\.3\.7, which is behind vSwitch 4711 and not a server/)
  })

  test('a process that has handed over nothing itself answers alike', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wolke-test-'))
    try {
      const file = { database: { engine: 'sqlite', path: join(folder, 'wolke.db') } as const }
      const first = await open({ runActions: false, ...(engineName === 'sqlite' ? file : {}) })
      const server = await makeServer(first, 'kept')
      await makeFirewall(first, 'guard', [ssh], [server])
      const questions: Question[] = [22, 23].map(
        (port) => ({ from: outside, to: server.public_net.ipv4.ip, protocol: 'tcp', port }) as const,
      )
      const network = await makeNetwork(first, {
        subnets: [cloudSubnet('10.0.1.0/24')],
        routes: [{ destination: '10.7.0.0/16', gateway: '10.0.1.2' }],
      })
      const [sender] = [
        await inside(first, 'sender', [network], unreachable),
        await inside(first, 'gateway', [network]),
      ]
      for (const to of ['10.0.1.2', '10.7.0.1']) questions.push({ from: `server:${sender.id}`, to, protocol: 'icmp' })
      const answers = await Promise.all(questions.map((question) => answer(first, question)))
      assert.deepEqual(
        answers.map(({ reachable }) => reachable),
        [true, false, true, true],
      )
      await first.stop()
      const second = await open({ runActions: false, database: first.database })
      assert.deepEqual(await Promise.all(questions.map((question) => answer(second, question))), answers)
      await second.stop()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('agrees with a small model that knows only what the API shows', async () => {
    const world = await open({ runActions: false })
    const servers = [await makeServer(world, 'a'), await makeServer(world, 'b'), await makeServer(world, 'c')]
    const { firewall } = await done(world.api.post('/firewalls', { name: 'varied' }))
    const protected_ = servers.slice(0, 2).map(({ id }) => ({ type: 'server', server: { id } }))
    await done(world.api.post(`/firewalls/${firewall.id}/actions/apply_to_resources`, { apply_to: protected_ }))
    await done(world.api.post(`/servers/${servers[2].id}/actions/poweroff`))
    await world.settle()
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(ruleOf, { maxLength: 6, selector: (rule) => JSON.stringify(rule) }),
        fc.array(questionOf, { minLength: 6, maxLength: 6 }),
        async (rules, questions) => {
          await done(world.api.post(`/firewalls/${firewall.id}/actions/set_rules`, { rules }))
          await world.settle()
          const { servers: shown } = await done(world.api.get('/servers?sort=id'))
          const { firewalls } = await done(world.api.get('/firewalls'))
          for (const { from, to, protocol, port } of questions) {
            const ends = [from, to].map((end) => (typeof end === 'number' ? shown[end] : end))
            const [source, destination] = ends.map((end) => (typeof end === 'string' ? end : end.public_net.ipv4.ip))
            const question = { from: source, to: destination, protocol, ...(protocol === 'icmp' ? {} : { port }) }
            const { reachable } = await answer(world, question)
            assert.equal(reachable, model(ends, question, firewalls), JSON.stringify({ rules, question }))
          }
        },
      ),
      { numRuns: 20, seed: 20261122 },
    )
  })

  test('agrees with a small model on private networks, routes and servers without public addresses', async () => {
    const world = await open({ runActions: false })
    const near = await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })
    const far = await makeNetwork(world, { ip_range: '10.1.0.0/16', subnets: [cloudSubnet('10.1.0.0/24')] })
    const other = await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })
    const gateway = await inside(world, 'gateway', [near, far])
    await inside(world, 'public', [near])
    await inside(world, 'hidden', [near], unreachable)
    await inside(world, 'remote', [far], unreachable)
    await inside(world, 'elsewhere', [other])
    await inside(world, 'second', [far, near], unreachable)
    await makeServer(world, 'alone')
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(routeOf, { maxLength: 4, selector: ({ destination, isFar }) => `${destination} ${isFar}` }),
        fc.boolean(),
        fc.array(privateQuestionOf, { minLength: 20, maxLength: 20 }),
        async (routes, isOn, questions) => {
          for (const { isFar, ...route } of routes) await addRoute(world, isFar ? far : near, route)
          await done(world.api.post(`/servers/${gateway.id}/actions/power${isOn ? 'on' : 'off'}`))
          await world.settle()
          const { servers } = await done(world.api.get('/servers?sort=id'))
          const { networks } = await done(world.api.get('/networks'))
          for (const { from, to } of questions) {
            const target = typeof to === 'number' ? servers[to] : to
            const asked = {
              from: `server:${servers[from].id}`,
              to: typeof to === 'number' ? `server:${target.id}` : to,
            }
            const { reachable, explanation } = await answer(world, { ...asked, protocol: 'icmp' })
            const expected = arrives({ servers, networks }, servers[from], target)
            assert.equal(reachable, expected, JSON.stringify({ routes, isOn, from, to, explanation }))
          }
          await removeRoutes(world, networks)
        },
      ),
      { numRuns: 16, seed: 20261122 },
    )
  })
})

async function addRoute({ api, settle }: World, network: number, route: object): Promise<void> {
  await done(api.post(`/networks/${network}/actions/add_route`, route))
  await settle()
}

async function removeRoutes({ api, settle }: World, networks: Json[]): Promise<void> {
  for (const { id, routes } of networks) {
    for (const route of routes) {
      await done(api.post(`/networks/${id}/actions/delete_route`, route))
      await settle()
    }
  }
}

// ---- An independent model ------------------------------------------------------------------------------------------

const network = fc.constantFrom('0.0.0.0/0', '9.9.9.0/24', '9.9.9.7/32', '10.0.0.0/8')
const ruleOf = fc
  .record({
    direction: fc.constantFrom('in', 'out'),
    protocol: fc.constantFrom('tcp', 'udp', 'icmp'),
    port: fc.constantFrom('22', '20-25', 'any'),
    networks: fc.uniqueArray(network, { minLength: 1, maxLength: 2 }),
  })
  .map(({ direction, protocol, port, networks }) => ({
    direction,
    protocol,
    ...(protocol === 'icmp' ? {} : { port }),
    ...(direction === 'in' ? { source_ips: networks } : { destination_ips: networks }),
  }))
/** A server by its place in the list, or an address outside. */
const end = fc.oneof(fc.constantFrom(0, 1, 2), fc.constantFrom('9.9.9.7', '9.9.9.8', '8.8.8.8'))
const questionOf = fc.record({
  from: end,
  to: end,
  protocol: fc.constantFrom('tcp', 'udp', 'icmp'),
  port: fc.constantFrom(20, 22, 26),
})

function model(
  [from, to]: Json[],
  { from: source, to: destination, protocol, port }: Json,
  firewalls: Json[],
): boolean {
  if ([from, to].some((one) => typeof one !== 'string' && one.status !== 'running')) return false
  const passes = (server: Json, direction: 'in' | 'out', peer: string) => {
    if (typeof server === 'string') return true
    const rules = firewalls
      .filter(({ applied_to }) => applied_to.some((one: Json) => one.server?.id === server.id))
      .flatMap(({ rules }) => rules)
    const isFiltered = server.public_net.firewalls.length > 0
    const own = rules.filter((rule) => rule.direction === direction)
    if (!isFiltered || (direction === 'out' && own.length === 0)) return true
    return own.some((rule) => {
      const [first, last = first] = (rule.port ?? 'any') === 'any' ? [1, 65_535] : rule.port.split('-').map(Number)
      const networks = direction === 'in' ? rule.source_ips : rule.destination_ips
      const fits = protocol === 'icmp' || (port >= first && port <= last)
      return rule.protocol === protocol && fits && networks.some((one: string) => cidrContains(one, peer))
    })
  }
  return passes(from, 'out', destination) && passes(to, 'in', source)
}

const routesOf = (isFar: boolean, other: string, gateways: string[]) =>
  fc.record({
    isFar: fc.constant(isFar),
    destination: fc.constantFrom(other, '10.200.0.0/16', '0.0.0.0/0'),
    gateway: fc.constantFrom(...gateways),
  })
const routeOf = fc.oneof(
  routesOf(false, '10.1.0.0/16', ['10.0.1.1', '10.0.1.2', '10.0.1.4', '10.0.1.99']),
  routesOf(true, '10.0.0.0/16', ['10.1.0.2', '10.1.0.4', '10.7.7.7']),
)
const place = fc.constantFrom(0, 1, 2, 3, 4, 5, 6)
const privateQuestionOf = fc.record({
  from: place,
  to: fc.oneof(
    place,
    fc.constantFrom('10.0.1.1', '10.0.1.3', '10.1.0.3', '10.1.0.2', '10.0.1.99', '10.200.0.1', '8.8.8.8'),
  ),
})

interface Shown {
  readonly servers: Json[]
  readonly networks: Json[]
}

/** Whether a server reaches another one or an address, by private networks or by public addresses. */
function arrives(shown: Shown, from: Json, to: Json): boolean {
  const isServer = typeof to !== 'string'
  if (from.status !== 'running' || (isServer && to.status !== 'running')) return false
  if (!isServer && to.startsWith('10.')) return typeof lead(shown, from, to) !== 'undefined'
  if (isServer && to.private_net.some(({ ip }: Json) => lead(shown, from, ip) === to.id)) return true
  const address = isServer ? to.public_net.ipv4?.ip : to
  return address !== undefined && (from.public_net.ipv4 !== null || lead(shown, from, address) === 'out')
}

/** The server where a packet for an address ends, `out` of all networks, or `behind` a gateway; undefined if it is lost. */
function lead(shown: Shown, at: Json, address: string, before: Json[] = []): number | 'out' | 'behind' | undefined {
  const cameBy = before.at(-1)?.network
  const own = (one: Json) => one.private_net.map(({ ip }: Json) => ip)
  const table = at.private_net
    .filter(({ network }: Json) => network !== cameBy)
    .flatMap(({ network }: Json) => {
      const { ip_range, routes } = shown.networks.find(({ id }) => id === network)
      const forOthers = routes.filter(({ gateway }: Json) => before.length > 0 || !own(at).includes(gateway))
      return [{ destination: ip_range, gateway: address }, ...forOthers].map((row) => ({ ...row, network }))
    })
    .filter(({ destination }: Json) => cidrContains(destination, address))
    .sort((a: Json, b: Json) => b.destination.split('/')[1] - a.destination.split('/')[1])
  if (table.length === 0) {
    if (before.length === 0) return undefined
    if (address.startsWith('10.')) return 'behind'
    return at.public_net.ipv4 ? 'out' : undefined
  }
  const { gateway, network } = table[0]
  const has = ({ private_net }: Json) => private_net.some((one: Json) => one.network === network && one.ip === gateway)
  const next = shown.servers.find(has)
  if (next?.status !== 'running') return undefined
  if (own(next).includes(address)) return next.id
  if (before.some(({ server }) => server === next.id) || next.id === at.id) return undefined
  return lead(shown, next, address, [...before, { server: at.id, network }])
}
