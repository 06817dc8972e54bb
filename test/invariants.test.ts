/**
 * Random lives of an installation: operations on servers and firewalls in any order, on an infrastructure that fails in
 * any way it can, and then everything must add up (design: invariants). The lives are a function of the seed, which a
 * failure prints together with the shortest life that still fails; when an action runs beside a request is up to the
 * machine. WOLKE_TEST_SEED and WOLKE_TEST_RUNS explore other lives.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Behave, type Behaviour, type Call, createSimulation } from '../src/drivers/simulated/simulation.ts'
import { checkConsistency } from './consistency.ts'
import { type Answer, forEachDatabase, type World } from './harness.ts'
import { allow, expect, privateOnly, serverBody, settleAll, toSelector, toServer } from './resources.ts'

const seed = Number(process.env.WOLKE_TEST_SEED ?? 20_261_121)
/** A life takes several times as long on PostgreSQL, and differs there only in what happens at the same time. */
const lives = { sqlite: 12, postgres: 6 }
const shrinkMs = 15_000

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
  | { readonly do: 'misbehave'; calls: Behaviour[] }
  | { readonly do: 'wait'; minutes: number }
  | { readonly do: 'settle' }

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

const pick = fc.nat({ max: 11 })
const picks = fc.array(pick, { maxLength: 3 })
const failures: Behaviour[] = [
  'ok',
  'error before effect',
  'error after effect',
  'timeout not applied',
  'timeout applied',
  'partial',
  'slow',
  'never returns',
]

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
  fc.record({
    do: fc.constant('misbehave'),
    calls: fc.array(fc.constantFrom(...failures), { minLength: 1, maxLength: 8 }),
  }),
  fc.record({ do: fc.constant('wait'), minutes: fc.nat({ max: 11 }) }),
  fc.record({ do: fc.constant('settle') }),
] as fc.Arbitrary<Operation>[]

/** Half of a life is making things and bringing them together. */
const life = fc.array(fc.oneof(operations[0]!, operations[0]!, operations[6]!, operations[8]!, ...operations), {
  minLength: 15,
  maxLength: 50,
  size: 'max',
})

forEachDatabase('whatever happens, everything adds up', (open, engineName) => {
  const numRuns = Number(process.env.WOLKE_TEST_RUNS ?? lives[engineName])

  test(`after random operations on an unreliable infrastructure (seed ${seed})`, async (t) => {
    const counts = new Map<string, number>()
    let failedAt: number | undefined
    const property = fc.asyncProperty(life, fc.boolean(), async (steps, runActions) => {
      // The search for a shorter life that fails too must not take for ever.
      if (failedAt !== undefined && performance.now() > failedAt + shrinkMs) return
      const simulation = createSimulation({ delayMs: 0, slowMs: 25 })
      const world = await open({
        simulation,
        runActions,
        addressPool: ['198.51.100.0/29', '2001:db8::/32'],
        engine: { callTimeoutMs: 10 },
      })
      const mood = moody()
      simulation.behave(mood.behave)
      try {
        for (const step of steps) {
          const answer = await perform(world, mood, step)
          if (!answer) continue
          const outcome = `${step.do}: ${answer.status} ${answer.body?.error?.code ?? ''}`
          counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
          assert.ok(answer.status < 500, answer.text)
        }
        await settleAll(world)
        await checkConsistency(world, { pendingToo: true })
        await checkShown(world)
        mood.calm()
        await clear(world)
      } catch (error) {
        failedAt ??= performance.now()
        throw error
      } finally {
        await world.stop()
      }
    })
    await fc.assert(property, { seed, numRuns, endOnFailure: false })
    for (const [outcome, count] of [...counts].sort()) t.diagnostic(`${outcome} ${count}`)
  })
})

interface Mood {
  readonly behave: Behave
  order(calls: readonly Behaviour[]): void
  calm(): void
}

/**
 * An infrastructure that misbehaves as ordered, but lets what was given up be undone: a world in which nothing works any
 * more proves nothing.
 */
function moody(): Mood {
  const ordered: Behaviour[] = []
  const lost = new Map<number, number>()
  const merciful = new Map<number, number>()
  const next = ({ serverId }: Call): Behaviour => {
    const mercy = merciful.get(serverId) ?? 0
    if (mercy > 0) {
      merciful.set(serverId, mercy - 1)
      return 'ok'
    }
    return ordered.shift() ?? 'ok'
  }
  return {
    behave(call) {
      const behaviour = next(call)
      const inRow = behaviour === 'ok' ? 0 : (lost.get(call.serverId) ?? 0) + 1
      const givesUp = behaviour.startsWith('error') || inRow >= 5
      lost.set(call.serverId, givesUp ? 0 : inRow)
      if (givesUp) merciful.set(call.serverId, 2)
      return behaviour
    },
    order: (calls) => void ordered.push(...calls),
    calm: () => void ordered.splice(0),
  }
}

const at = <T>(items: readonly T[], index: number): T => items[index % items.length]!

async function idsOf({ api }: World, family: 'servers' | 'firewalls'): Promise<number[]> {
  return (await api.get(`/${family}?per_page=50`)).body[family].map(({ id }: { id: number }) => id)
}

/** Does one operation; nothing when it is about things of which there are none. */
async function perform(world: World, mood: Mood, step: Operation): Promise<Answer | undefined> {
  const { api, clock } = world
  if (step.do === 'misbehave') return void mood.order(step.calls)
  if (step.do === 'wait') return void clock.advance(step.minutes * 60_000)
  if (step.do === 'settle') {
    await settleAll(world)
    return void (await checkConsistency(world, { pendingToo: true }))
  }
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

/** Everything can still be taken down, and then nothing is left anywhere. */
async function clear(world: World): Promise<void> {
  const { api, simulation, db } = world
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
  await settleAll(world)
  await checkConsistency(world)
  const { servers, filters } = simulation.world
  assert.deepEqual([servers.size, filters.size], [0, 0])
  assert.deepEqual(await db.query.selectFrom('label').selectAll().execute(), [])
  assert.deepEqual(await db.query.selectFrom('address').selectAll().where('owner', 'is not', null).execute(), [])
}
