import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { forProjects } from '../../../test/kit/harness.ts'
import { done } from '../../../test/kit/proof.ts'
import { answer, makeServer } from '../../reachability/proof.ts'
import { decide, type End, type RuleSource } from './decisions.ts'
import { type GivenRule, parseRules } from './domain.ts'

const outside = ['8.8.4.4', '2001:4860:4860::8844']
const networks = fc.uniqueArray(
  fc.constantFrom('0.0.0.0/0', '::/0', '8.8.4.0/24', '9.9.9.9/32', '2001:4860::/32', '128.0.0.0/1', '0.0.0.0/1'),
  { minLength: 1, maxLength: 3 },
)
const port = fc.constantFrom('22', '80-443', 'any', '1024-65535')
const rule: fc.Arbitrary<GivenRule> = fc
  .tuple(fc.constantFrom('in', 'in', 'out'), fc.constantFrom('tcp', 'udp', 'icmp'), port, networks)
  .map(([direction, protocol, port, ips]) => ({
    direction: direction as 'in' | 'out',
    protocol: protocol as 'tcp' | 'udp' | 'icmp',
    ...(protocol === 'icmp' ? {} : { port }),
    ...(direction === 'in' ? { source_ips: ips } : { destination_ips: ips }),
  }))
const questions = fc.array(
  fc.record({
    from: fc.constantFrom(0, 1, 2, 3),
    to: fc.constantFrom(0, 1, 2, 3),
    protocol: fc.constantFrom('tcp', 'udp', 'icmp'),
    port: fc.constantFrom(22, 80, 443, 8080),
  }),
  { minLength: 12, maxLength: 12 },
)

forProjects('decide', (open) => {
  test('answers as reachability does', async () => {
    const world = await open({ runActions: true })
    const { api, settle } = world
    const servers = [await makeServer(world, 'web'), await makeServer(world, 'db')]
    const walls: RuleSource[] = []
    for (const [index, applied] of [[0], [0, 1], [1]].entries()) {
      const apply_to = applied.map((at) => ({ type: 'server', server: { id: servers[at]!.id } }))
      walls.push((await done(api.post('/firewalls', { name: `wall-${index}`, apply_to }))).firewall)
    }
    const wallsOf = [
      [0, 1],
      [1, 2],
    ]
    const sample = fc.array(rule, { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.tuple(sample, sample, sample), questions, async (rules, asked) => {
        const sources = await Promise.all(
          walls.map(async (wall, index): Promise<RuleSource> => {
            await done(api.post(`/firewalls/${wall.id}/actions/set_rules`, { rules: rules[index] }))
            const parsed = parseRules(rules[index]!)
            assert.ok(parsed.ok)
            return { id: wall.id, name: wall.name, rules: parsed.rules }
          }),
        )
        await settle()
        const end = (at: number): End => {
          const server = servers[at]
          if (!server) return { server: null, address: outside[at - 2]! }
          const addresses = [server.public_net.ipv4.ip, server.public_net.ipv6.ip]
          return { server: server.id, isOn: true, addresses, firewalls: wallsOf[at]!.map((wall) => sources[wall]!) }
        }
        const nameOf = (at: number) => (servers[at] ? `server:${servers[at].id}` : outside[at - 2]!)
        for (const { from, to, protocol, port } of asked) {
          if (from === to || (from > 1 && to > 1)) continue
          const packet = { protocol: protocol as 'tcp', port: protocol === 'icmp' ? null : port }
          const ours = decide(end(from), end(to), packet)
          const question = { from: nameOf(from), to: nameOf(to), protocol: packet.protocol }
          const theirs = await answer(world, packet.port === null ? question : { ...question, port: packet.port })
          const by = theirs.decided_by
          assert.deepEqual(
            [ours.reachable, ours.by, ours.server, ours.direction],
            [theirs.reachable, by.type, by.server, by.direction],
            JSON.stringify({ question, packet, ours, theirs }),
          )
          const networks = ours.rule && [...ours.rule.rule.sourceIps, ...ours.rule.rule.destinationIps]
          assert.deepEqual(networks, by.rule?.networks ?? null)
        }
      }),
      { numRuns: 15 },
    )
  })
})
