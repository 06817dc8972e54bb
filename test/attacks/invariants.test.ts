/** Random lives of servers and firewalls: whatever happens, everything adds up (see lives.ts). */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { allow, toSelector, toServer } from '../../src/families/firewalls/proof.ts'
import { privateOnly, serverBody } from '../../src/families/servers/proof.ts'
import type { Answer, World } from '../harness.ts'
import { expect, settleAll } from '../resources.ts'
import { at, idsOf, liveOn, pick } from './lives.ts'

/** Numbers choose among what exists at that moment. */
type Operation =
  | { readonly do: 'create server'; name: number; labels: number; firewalls: number[]; net: number; starts: boolean }
  | { readonly do: 'delete server'; server: number }
  | { readonly do: 'power'; server: number; action: (typeof powerActions)[number] }
  | { readonly do: 'label server'; server: number; labels: number }
  | { readonly do: 'rename server'; server: number; name: number }
  | { readonly do: 'protect server'; server: number; on: boolean }
  | { readonly do: 'create firewall'; name: number; rules: number; targets: number[] }
  | { readonly do: 'set rules'; firewall: number; rules: number }
  | { readonly do: 'apply'; firewall: number; targets: number[] }
  | { readonly do: 'remove'; firewall: number; targets: number[] }
  | { readonly do: 'delete firewall'; firewall: number }

const powerActions = ['poweron', 'poweroff', 'shutdown', 'reboot', 'reset'] as const
const labelSets = [{}, { env: 'dev' }, { env: 'prod' }, { env: 'dev', tier: '1' }, { tier: '2' }]
const selectors = ['env', 'env=dev', '!env', 'tier in (1,2)', 'env!=prod,tier']
const ruleSets = [
  [],
  [allow('80')],
  [allow('22', ['10.0.0.0/8']), allow('any')],
  [{ direction: 'out', protocol: 'icmp', destination_ips: ['::/0'] }],
  [allow('443'), { direction: 'out', protocol: 'udp', port: '1-53', destination_ips: ['192.0.2.0/24'] }],
]
const nets = [{}, {}, { public_net: { enable_ipv6: false } }, { public_net: { enable_ipv4: false } }, privateOnly]

const picks = fc.array(pick, { maxLength: 3 })

const operations: fc.Arbitrary<Operation>[] = [
  fc.record({
    do: fc.constant('create server'),
    name: pick,
    labels: pick,
    firewalls: picks,
    net: pick,
    starts: fc.boolean(),
  }),
  fc.record({ do: fc.constant('delete server'), server: pick }),
  fc.record({ do: fc.constant('power'), server: pick, action: fc.constantFrom(...powerActions) }),
  fc.record({ do: fc.constant('label server'), server: pick, labels: pick }),
  fc.record({ do: fc.constant('rename server'), server: pick, name: pick }),
  fc.record({ do: fc.constant('protect server'), server: pick, on: fc.boolean() }),
  fc.record({ do: fc.constant('create firewall'), name: pick, rules: pick, targets: picks }),
  fc.record({ do: fc.constant('set rules'), firewall: pick, rules: pick }),
  fc.record({ do: fc.constant('apply'), firewall: pick, targets: picks }),
  fc.record({ do: fc.constant('remove'), firewall: pick, targets: picks }),
  fc.record({ do: fc.constant('delete firewall'), firewall: pick }),
] as fc.Arbitrary<Operation>[]

liveOn<Operation>('servers and firewalls add up', {
  operations,
  // Half of a life is making things and bringing them together.
  frequent: [operations[0]!, operations[0]!, operations[6]!, operations[8]!],
  options: { addressPool: ['198.51.100.0/29', '2001:db8::/32'] },
  perform,
  checkShown,
  clear,
})

async function perform(world: World, step: Operation): Promise<Answer | undefined> {
  const { api } = world
  const servers = await idsOf(world, 'servers')
  const firewalls = await idsOf(world, 'firewalls')
  const targets = (choices: readonly number[]) =>
    choices.map((choice) =>
      choice % 2 === 0 && servers.length > 0 ? toServer(at(servers, choice / 2)) : toSelector(at(selectors, choice)),
    )
  if (step.do === 'create server') {
    return api.post(
      '/servers',
      serverBody(`s${step.name}`, {
        labels: at(labelSets, step.labels),
        firewalls: firewalls.length > 0 ? step.firewalls.map((choice) => ({ firewall: at(firewalls, choice) })) : [],
        start_after_create: step.starts,
        ...at(nets, step.net),
      }),
    )
  }
  if (step.do === 'create firewall') {
    const body = { name: `f${step.name}`, rules: at(ruleSets, step.rules), apply_to: targets(step.targets) }
    return api.post('/firewalls', body)
  }
  if ('server' in step) {
    const path = `/servers/${at(servers, step.server)}`
    if (servers.length === 0) return undefined
    if (step.do === 'delete server') return api.delete(path)
    if (step.do === 'power') return api.post(`${path}/actions/${step.action}`)
    if (step.do === 'label server') return api.put(path, { labels: at(labelSets, step.labels) })
    if (step.do === 'rename server') return api.put(path, { name: `s${step.name}` })
    return api.post(`${path}/actions/change_protection`, { delete: step.on, rebuild: step.on })
  }
  if (firewalls.length === 0) return undefined
  const path = `/firewalls/${at(firewalls, step.firewall)}`
  if (step.do === 'delete firewall') return api.delete(path)
  if (step.do === 'set rules') return api.post(`${path}/actions/set_rules`, { rules: at(ruleSets, step.rules) })
  if (step.do === 'apply') {
    return api.post(`${path}/actions/apply_to_resources`, { apply_to: targets(step.targets) })
  }
  return api.post(`${path}/actions/remove_from_resources`, { remove_from: targets(step.targets) })
}

/** `applied_to` and `public_net.firewalls` tell the same story, from both sides. */
async function checkShown({ api }: World): Promise<void> {
  const { servers } = (await api.get('/servers?per_page=50')).body
  const { firewalls } = (await api.get('/firewalls?per_page=50')).body
  const fromServers = servers.flatMap((server: { id: number; public_net: { firewalls: { id: number }[] } }) =>
    server.public_net.firewalls.map(({ id }) => `${id} ${server.id}`),
  )
  interface Entry {
    readonly server?: { id: number }
    readonly applied_to_resources?: Entry[]
  }
  const fromFirewalls = firewalls.flatMap(({ id, applied_to }: { id: number; applied_to: Entry[] }) => {
    const selected = applied_to.flatMap((entry) => entry.applied_to_resources ?? []).map((one) => one.server!.id)
    assert.equal(new Set(selected).size, selected.length, 'a server is shown under one selector of a firewall')
    const direct = applied_to.flatMap(({ server }) => (server ? [server.id] : []))
    return [...new Set([...selected, ...direct])].map((server) => `${id} ${server}`)
  })
  assert.deepEqual(fromServers.sort(), fromFirewalls.sort())
}

async function clear(world: World): Promise<void> {
  const { api } = world
  for (const id of await idsOf(world, 'servers')) {
    expect(await api.post(`/servers/${id}/actions/change_protection`, { delete: false, rebuild: false }), 201)
    expect(await api.delete(`/servers/${id}`), 200)
  }
  await settleAll(world)
  for (const id of await idsOf(world, 'firewalls')) {
    const { applied_to } = (await api.get(`/firewalls/${id}`)).body.firewall
    expect(await api.post(`/firewalls/${id}/actions/remove_from_resources`, { remove_from: applied_to }), 201)
    expect(await api.delete(`/firewalls/${id}`), 204)
  }
}
