/** What the API says of packets is what becomes of them, whatever filters there are. */
import fc from 'fast-check'
import type { Probe } from '../conformance/place.ts'
import { ipv4Of, ipv6Of, type Json } from '../conformance/stage.ts'
import { until } from '../kit/database/bare-database.ts'
import { done } from '../kit/proof.ts'
import { isLong } from '../run/long.ts'
import { type LabPlace, onLab } from './kit/place.ts'

const runs = isLong ? 200 : 3
const questionsOfRun = 8

/** An end of a packet: a server by its place, or this side of the uplink. */
type End = 'first' | 'second' | 'open' | 'outside'
const ends = ['first', 'second', 'open', 'outside'] as const

interface Question {
  readonly from: End
  readonly to: Exclude<End, 'outside'>
  readonly family: 'ipv4' | 'ipv6'
  readonly protocol: 'tcp' | 'udp' | 'icmp'
  readonly port: number
}

const question: fc.Arbitrary<Question> = fc
  .record({
    from: fc.constantFrom(...ends),
    to: fc.constantFrom('first', 'second', 'open'),
    family: fc.constantFrom('ipv4', 'ipv6'),
    protocol: fc.constantFrom('tcp', 'tcp', 'icmp', 'udp'),
    port: fc.constantFrom(22, 80, 90, 443),
  } as const)
  .filter(({ from, to, protocol, family }) => from !== to && (protocol !== 'udp' || family === 'ipv4'))

/** A rule whose networks are those of ends. */
const rule = fc.record({
  direction: fc.constantFrom('in', 'in', 'out'),
  protocol: fc.constantFrom('tcp', 'tcp', 'udp', 'icmp', 'esp', 'gre'),
  port: fc.constantFrom('22', '80-443', 'any'),
  networks: fc.uniqueArray(fc.constantFrom(...ends, 'everything', 'nobody'), { minLength: 1, maxLength: 3 }),
})
type Rule = typeof rule extends fc.Arbitrary<infer T> ? T : never

const state = fc.record({
  rules: fc.array(fc.uniqueArray(rule, { maxLength: 4, selector: (one) => JSON.stringify(one) }), {
    minLength: 2,
    maxLength: 2,
  }),
  questions: fc.uniqueArray(question, {
    minLength: questionsOfRun,
    maxLength: questionsOfRun,
    selector: (one) => JSON.stringify(one),
  }),
})

onLab('what the API says of packets is what becomes of them', async (stage, place) => {
  const firewalls: Json[] = []
  for (const name of ['first', 'second']) firewalls.push((await stage.post('/firewalls', { name })).firewall)
  const [first, second, open] = await stage.servers(
    { name: 'first', firewalls: [{ firewall: firewalls[0].id }] },
    { name: 'second', firewalls: [{ firewall: firewalls[1].id }, { firewall: firewalls[0].id }] },
    { name: 'open' },
  )
  await stage.answers(ipv4Of(open), 'open')
  const { lab } = place
  const addresses: Readonly<Record<End, Readonly<Record<Question['family'], string>>>> = {
    first: addressesOf(first),
    second: addressesOf(second),
    open: addressesOf(open),
    outside: lab.outside,
  }
  const ids = { first: first.id, second: second.id, open: open.id, outside: null }
  const networksOf = (names: Rule['networks']) => [
    ...new Set(
      names.flatMap((name) => {
        if (name === 'everything') return ['0.0.0.0/0', '::/0']
        if (name === 'nobody') return ['192.0.2.0/24']
        return [`${addresses[name].ipv4}/32`, `${addresses[name].ipv6}/128`]
      }),
    ),
  ]
  const toWire = ({ networks, port, ...one }: Rule) => ({
    ...one,
    ...(one.protocol === 'tcp' || one.protocol === 'udp' ? { port } : {}),
    [one.direction === 'in' ? 'source_ips' : 'destination_ips']: networksOf(networks),
  })
  const property = fc.asyncProperty(state, async ({ rules, questions }) => {
    for (const [n, { id }] of firewalls.entries()) {
      await stage.post(`/firewalls/${id}/actions/set_rules`, { rules: rules[n]!.map(toWire) })
    }
    await Promise.all(
      questions.map(async ({ from, to, family, protocol, port }) => {
        const way = { from: addresses[from][family], to: addresses[to][family] }
        const asked = { ...way, protocol, ...(protocol === 'icmp' ? {} : { port }) }
        const { reachable, explanation } = await ask(place, asked)
        const probe: Probe = { ...asked, from: ids[from] }
        // Hosts may take a moment for what an action has brought about, and a busy one loses a packet.
        const isTrue = async () => (await place.look.arrives(probe)) === reachable
        await until(isTrue, `${JSON.stringify(asked)} is ${reachable ? '' : 'not '}seen: ${explanation}`)
      }),
    )
  })
  await fc.assert(property, { numRuns: runs, seed: 20261125, endOnFailure: true })
})

const addressesOf = (server: Json) => ({ ipv4: ipv4Of(server), ipv6: ipv6Of(server) })

async function ask({ api, world }: LabPlace, question: object): Promise<Json> {
  const query = new URLSearchParams(question as Record<string, string>)
  return (await done(api.get(`${new URL(world.baseUrl).origin}/wolke/v1/reachability?${query}`))).reachability
}
