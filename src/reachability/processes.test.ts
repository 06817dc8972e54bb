import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { forProjects, type World } from '../../test/kit/harness.ts'
import { done } from '../../test/kit/proof.ts'
import { cloudSubnet, makeNetwork } from '../families/networks/proof.ts'
import { answer, anywhere, inside, type Json, makeServer, outside, type Question, ssh, unreachable } from './proof.ts'

const route = { destination: '10.7.0.0/16', gateway: '10.0.1.2' }
const ping = { direction: 'in', protocol: 'icmp', source_ips: anywhere }
const elsewhere = '10.7.0.1'

/** What there is, by its ids, and what changes of it. */
interface Site {
  readonly network: number
  readonly firewall: number
  readonly floatingIp: { readonly id: number; readonly ip: string }
  readonly web: Json
  readonly gateway: Json
  readonly hidden: Json
}

async function makeSite(world: World): Promise<Site> {
  const network = await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')], routes: [route] })
  const web = await makeServer(world, 'web', { networks: [network] })
  const gateway = await inside(world, 'gateway', [network])
  const hidden = await inside(world, 'hidden', [network], unreachable)
  const apply_to = [web, gateway].map(({ id }) => ({ type: 'server', server: { id } }))
  const { firewall } = await done(world.api.post('/firewalls', { name: 'guard', rules: [ssh], apply_to }))
  const { floating_ip } = await done(world.api.post('/floating_ips', { type: 'ipv4', server: web.id }))
  await world.settle()
  return { network, firewall: firewall.id, floatingIp: floating_ip, web, gateway, hidden }
}

/** The path and the body of a change. Some are refused where there is nothing to change. */
type Change = (site: Site) => readonly [path: string, body?: object]

const changes: Readonly<Record<string, Change>> = {
  'lets SSH in': ({ firewall }) => [`/firewalls/${firewall}/actions/set_rules`, { rules: [ssh] }],
  'lets pings in': ({ firewall }) => [`/firewalls/${firewall}/actions/set_rules`, { rules: [ping] }],
  'takes power': ({ web }) => [`/servers/${web.id}/actions/poweroff`],
  'gives power': ({ web }) => [`/servers/${web.id}/actions/poweron`],
  'takes the power of the gateway': ({ gateway }) => [`/servers/${gateway.id}/actions/poweroff`],
  'gives the gateway power': ({ gateway }) => [`/servers/${gateway.id}/actions/poweron`],
  'takes the route': ({ network }) => [`/networks/${network}/actions/delete_route`, route],
  'adds the route': ({ network }) => [`/networks/${network}/actions/add_route`, route],
  leaves: ({ web, network }) => [`/servers/${web.id}/actions/detach_from_network`, { network }],
  joins: ({ web, network }) => [`/servers/${web.id}/actions/attach_to_network`, { network, ip: '10.0.1.77' }],
  'has an alias': ({ gateway, network }) => [
    `/servers/${gateway.id}/actions/change_alias_ips`,
    { network, alias_ips: ['10.0.1.50'] },
  ],
  'has no alias': ({ gateway, network }) => [
    `/servers/${gateway.id}/actions/change_alias_ips`,
    { network, alias_ips: [] },
  ],
  'leads to the gateway': ({ floatingIp, gateway }) => [
    `/floating_ips/${floatingIp.id}/actions/assign`,
    { server: gateway.id },
  ],
  'leads to the web server': ({ floatingIp, web }) => [
    `/floating_ips/${floatingIp.id}/actions/assign`,
    { server: web.id },
  ],
}

function questionsAbout({ web, gateway, hidden, floatingIp }: Site): Question[] {
  const ssh = { protocol: 'tcp', port: 22 } as const
  const from = `server:${hidden.id}`
  return [
    { from: outside, to: web.public_net.ipv4.ip, ...ssh },
    { from: outside, to: floatingIp.ip, ...ssh },
    { from: outside, to: gateway.public_net.ipv4.ip, protocol: 'icmp' },
    { from, to: `server:${web.id}`, ...ssh },
    { from, to: '10.0.1.50', ...ssh },
    { from, to: elsewhere, protocol: 'icmp' },
    { from: `server:${web.id}`, to: from, protocol: 'icmp' },
  ]
}

async function answersOf(world: World, site: Site): Promise<Json[]> {
  const answers: Json[] = []
  for (const question of questionsAbout(site)) answers.push(await answer(world, question))
  return answers
}

forProjects('reachability', (open, inProcesses) => {
  inProcesses(() => {
    test('is the same in every process, whichever has made which change', async () => {
      const first = await open({ runActions: false })
      const another = () => open({ runActions: false, database: first.database, clock: first.clock })
      const worlds = [first, await another()]
      const site = await makeSite(first)
      const step = fc.record({
        by: fc.nat(1),
        change: fc.constantFrom(...Object.values(changes)),
        isAsked: fc.boolean(),
      })
      const seen = new Set<string>()
      const walk = async (steps: readonly { by: number; change: Change; isAsked: boolean }[]) => {
        for (const { by, change, isAsked } of steps) {
          const [path, body] = change(site)
          await worlds[by]!.api.post(path, body)
          await worlds[by]!.settle()
          // A process that is not asked in between knows less.
          if (!isAsked) continue
          const [one, other] = await Promise.all(worlds.map((world) => answersOf(world, site)))
          assert.deepEqual(one, other)
          for (const [at, { reachable }] of one!.entries()) seen.add(`${at} ${reachable}`)
        }
        const anew = await another()
        const truth = await answersOf(anew, site)
        for (const world of worlds) assert.deepEqual(await answersOf(world, site), truth)
        await anew.stop()
      }
      await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 16 }), walk), {
        numRuns: 6,
        seed: 20261128,
      })
      // Each question was answered in both ways.
      assert.equal(seen.size, 2 * questionsAbout(site).length, [...seen].sort().join(', '))
    })
  })
})
