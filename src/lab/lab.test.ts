import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Client, forEachDatabase, type World } from '../../test/harness.ts'
import { done } from '../../test/proof.ts'
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

  test('a process that has handed over nothing itself answers alike', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wolke-test-'))
    try {
      const file = { database: { engine: 'sqlite', path: join(folder, 'wolke.db') } as const }
      const first = await open({ runActions: false, ...(engineName === 'sqlite' ? file : {}) })
      const server = await makeServer(first, 'kept')
      await makeFirewall(first, 'guard', [ssh], [server])
      const questions = [22, 23].map(
        (port) => ({ from: outside, to: server.public_net.ipv4.ip, protocol: 'tcp', port }) as const,
      )
      const answers = await Promise.all(questions.map((question) => answer(first, question)))
      assert.deepEqual(
        answers.map(({ reachable }) => reachable),
        [true, false],
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
})

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
