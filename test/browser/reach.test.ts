/** "Who can reach what" in the console, against what the server answers to the same question. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { answer, readEnds, readPort, type World as Shown } from '../../console/pages/reach/decide.ts'
import { cloudSubnet, makeNetwork } from '../../src/families/networks/proof.ts'
import { answer as answerOf, inside, makeServer, outside, unreachable } from '../../src/reachability/proof.ts'
import { forDatabasesInTurn, type World } from '../kit/harness.ts'
import { done } from '../kit/proof.ts'

async function shown({ api }: World): Promise<Shown> {
  const { servers } = await done(api.get('/servers?sort=id'))
  const { firewalls } = await done(api.get('/firewalls'))
  return { servers, firewalls }
}

/** Servers in two networks that have the same addresses, one without public addresses, one that is off. */
async function populate(world: World): Promise<number> {
  const { api, settle } = world
  const near = await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })
  const far = await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })
  const servers = [await inside(world, 'a', [near]), await inside(world, 'b', [near]), await inside(world, 'c', [far])]
  await inside(world, 'hidden', [far], unreachable)
  await makeServer(world, 'v4', { public_net: { enable_ipv4: true, enable_ipv6: false } })
  const off = await inside(world, 'off', [near])
  const alias = { network: near, alias_ips: ['10.0.1.77'] }
  await done(api.post(`/servers/${servers[1].id}/actions/change_alias_ips`, alias))
  await done(api.post(`/servers/${off.id}/actions/poweroff`))
  const { firewall } = await done(api.post('/firewalls', { name: 'varied' }))
  const apply_to = [servers[0], servers[2]].map(({ id }) => ({ type: 'server', server: { id } }))
  await done(api.post(`/firewalls/${firewall.id}/actions/apply_to_resources`, { apply_to }))
  await settle()
  return firewall.id
}

const names = ['a', 'b', 'c', 'hidden', 'v4', 'off']
const addresses = ['10.0.1.1', '10.0.1.2', '10.0.1.3', '10.0.1.77', '10.0.1.99', '192.168.7.7', outside, '2a00:1450::7']
const network = fc.constantFrom('0.0.0.0/0', '::/0', '8.8.0.0/16', '10.0.0.0/8', '2a00::/16')
const ruleOf = fc
  .record({
    direction: fc.constantFrom('in', 'out'),
    protocol: fc.constantFrom('tcp', 'icmp'),
    networks: fc.uniqueArray(network, { minLength: 1, maxLength: 2 }),
  })
  .map(({ direction, protocol, networks }) => ({
    direction,
    protocol,
    ...(protocol === 'icmp' ? {} : { port: '20-25' }),
    ...(direction === 'in' ? { source_ips: networks } : { destination_ips: networks }),
  }))
/** A server by name or by an address of its own, or any other address. */
const endOf = fc.oneof(
  fc.record({ name: fc.constantFrom(...names), by: fc.constantFrom('name', 'ipv4', 'ipv6', 'private') }),
  fc.constantFrom(...addresses),
)
const questionOf = fc.record({ from: endOf, to: endOf, port: fc.constantFrom('tcp/22', 'tcp/443', 'icmp') })

/** How a question names an end. */
function written(end: string | { readonly name: string; readonly by: string }, { servers }: Shown): string {
  if (typeof end === 'string') return end
  const { public_net, private_net } = servers.find(({ name }) => name === end.name)!
  const { ipv4, ipv6 } = public_net
  if (end.by === 'ipv4' && ipv4) return ipv4.ip
  if (end.by === 'ipv6' && ipv6) return ipv6.ip.replace('::/64', '::7')
  return (end.by === 'private' && private_net[0]?.ip) || end.name
}

/** The same question for the API, which knows servers by their ids. */
function named(text: string, { servers }: Shown): string {
  const server = servers.find(({ name }) => name === text)
  return server ? `server:${server.id}` : text
}

forDatabasesInTurn('who can reach what', (open) => {
  test('is what the server answers, for servers and for each of their addresses', async () => {
    const world = await open({ runActions: false })
    const firewall = await populate(world)
    let reached = 0
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(ruleOf, { maxLength: 4, selector: (rule) => JSON.stringify(rule) }),
        fc.array(questionOf, { minLength: 20, maxLength: 20 }),
        async (rules, questions) => {
          await done(world.api.post(`/firewalls/${firewall}/actions/set_rules`, { rules }))
          await world.settle()
          const now = await shown(world)
          for (const { from, to, port } of questions) {
            const asked = { from: written(from, now), to: written(to, now) }
            const ends = readEnds(asked, now.servers)
            // The console answers about servers of the Project alone.
            if (!ends.from || !ends.to) continue
            const { protocol, port: number } = readPort(port)!
            const found = answer({ from: ends.from, to: ends.to, protocol, port: number }, now)
            const { reachable, explanation } = await answerOf(world, {
              from: named(asked.from, now),
              to: named(asked.to, now),
              protocol: protocol as 'tcp' | 'icmp',
              ...(number === null ? {} : { port: number }),
            })
            reached += reachable ? 1 : 0
            assert.equal(found.isReachable, reachable, JSON.stringify({ rules, asked, port, found, explanation }))
          }
        },
      ),
      { numRuns: 20, seed: 20261124 },
    )
    assert.ok(reached > 50, `${reached} reached`)
  })

  test('is about the address that is asked for, from the Internet as well', async () => {
    const world = await open({ runActions: false })
    await populate(world)
    const now = await shown(world)
    const verdict = (from: string, to: string) => {
      const ends = readEnds({ from, to }, now.servers)
      return answer({ from: ends.from!, to: ends.to!, protocol: 'tcp', port: 443 }, now)
    }
    const { ipv6 } = now.servers.find(({ name }) => name === 'b')!.public_net
    const own = ipv6!.ip.replace('::/64', '::7')
    assert.equal(verdict('internet', 'b').isReachable, true)
    assert.equal(verdict('internet', own).isReachable, true)
    assert.deepEqual(verdict('internet', '10.0.1.2'), { isReachable: false, by: 'private', address: '10.0.1.2' })
    assert.deepEqual(verdict('10.9.9.9', 'b'), { isReachable: false, by: 'private', address: '10.9.9.9' })
    assert.deepEqual(verdict(outside, own), { isReachable: false, by: 'address' })
    assert.equal(verdict('2a00:1450::7', own).isReachable, true)
    assert.equal(verdict('2a00:1450::7', 'v4').isReachable, false)
  })
})
