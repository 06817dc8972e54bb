import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { forProjects, type World } from '../../test/kit/harness.ts'
import { done } from '../../test/kit/proof.ts'
import { cloudSubnet, makeNetwork } from '../families/networks/proof.ts'
import { cidrContains } from '../protocols/net/ip.ts'
import { answer, inside, type Json, makeServer, unreachable } from './proof.ts'

forProjects('reachability and an independent model', (open) => {
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

/** Adds a route to a network, and waits for it. */
async function addRoute({ api, settle }: World, network: number, route: object): Promise<void> {
  await done(api.post(`/networks/${network}/actions/add_route`, route))
  await settle()
}

/** Removes all routes of some networks, and waits for that. */
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

/** Tells whether a server reaches another one or an address, by private networks or by public addresses. */
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
