/** The library: clouds in the process of who uses it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { startWolke, WolkeError } from '../../../src/library/library.ts'
import type { Wolke } from '../../../src/library/wolke.ts'

const asJson = (cloud: Wolke) => ({ authorization: `Bearer ${cloud.token}`, 'content-type': 'application/json' })

async function makeFirewall(cloud: Wolke, name: string): Promise<void> {
  const body = JSON.stringify({ name })
  const reply = await cloud.fetch(`${cloud.url}/firewalls`, { method: 'POST', headers: asJson(cloud), body })
  assert.equal(reply.status, 201, await reply.text())
}

async function firewalls(cloud: Wolke, fetch = cloud.fetch): Promise<string[]> {
  const reply = await fetch(`${cloud.url}/firewalls`, { headers: asJson(cloud) })
  const { firewalls } = (await reply.json()) as { firewalls: { name: string }[] }
  return firewalls.map(({ name }) => name)
}

test('A cloud answers by its socket and without one', async () => {
  await using cloud = await startWolke()
  await makeFirewall(cloud, 'web')
  assert.deepEqual(await firewalls(cloud), ['web'])
  assert.deepEqual(await firewalls(cloud, fetch), ['web'])
  assert.equal(cloud.env.HCLOUD_ENDPOINT, cloud.url)
  assert.equal(cloud.env.HCLOUD_TOKEN, cloud.token)
})

test('A cloud without a socket is asked by its own fetch alone', async () => {
  await using cloud = await startWolke({ listen: false })
  await makeFirewall(cloud, 'web')
  assert.deepEqual(await firewalls(cloud), ['web'])
  await assert.rejects(fetch(cloud.url), TypeError)
  await assert.rejects(cloud.fetch('http://127.0.0.1:1/v1/servers'), /asks http:\/\/wolke\.invalid alone/)
})

test('Clouds live side by side, and so do forks of forks', async () => {
  await using first = await startWolke({ listen: false })
  await using second = await startWolke()
  await makeFirewall(first, 'first')
  await makeFirewall(second, 'second')
  await using fork = await second.fork()
  await makeFirewall(fork, 'fork')
  await using forkOfFork = await fork.fork()
  await makeFirewall(forkOfFork, 'fork of fork')
  assert.deepEqual(await firewalls(first), ['first'])
  assert.deepEqual(await firewalls(second), ['second'])
  assert.deepEqual(await firewalls(fork), ['second', 'fork'])
  assert.deepEqual(await firewalls(forkOfFork), ['second', 'fork', 'fork of fork'])
  assert.deepEqual(await firewalls(forkOfFork, fetch), ['second', 'fork', 'fork of fork'])
})

test('Everything goes back to the beginning, or to a state that was kept', async () => {
  await using cloud = await startWolke({ now: '2026-12-01', clock: 'frozen' })
  await makeFirewall(cloud, 'kept')
  await cloud.snapshot('one')
  await makeFirewall(cloud, 'lost')
  assert.deepEqual(await cloud.clock.advance('1d'), new Date('2026-12-02'))
  await cloud.restore('one')
  assert.deepEqual(await firewalls(cloud), ['kept'])
  assert.deepEqual(await cloud.clock.now(), new Date('2026-12-01'))
  await cloud.reset()
  assert.deepEqual(await firewalls(cloud), [])
  await assert.rejects(cloud.restore('two'), (error) => {
    assert.ok(error instanceof WolkeError)
    assert.deepEqual([error.code, error.status], ['not_found', 404])
    return true
  })
})

test('A seed is there from the beginning, and more of it can come later', async () => {
  const firewall = (name: string) => ({ projects: [{ name: 'default', firewalls: [{ name }] }] })
  await using cloud = await startWolke({ listen: false, seed: firewall('first') })
  assert.deepEqual(await firewalls(cloud), ['first'])
  await cloud.seed('projects:\n  - name: default\n    firewalls:\n      - name: second\n')
  assert.deepEqual(await firewalls(cloud), ['first', 'second'])
  await cloud.reset()
  assert.deepEqual(await firewalls(cloud), ['first'])
  await assert.rejects(startWolke({ seed: { projects: [{ name: 'default', clouds: [] }] } }), /clouds/)
})

test('Faults are injected, listed with what they hit, and taken away', async () => {
  await using cloud = await startWolke({ listen: false, scenario: 'rate-limited' })
  assert.ok((await cloud.faults()).length > 0)
  await cloud.heal()
  const name = await cloud.fail({ match: { operation: 'firewalls_create' }, fault: { error: { code: 'conflict' } } })
  const body = JSON.stringify({ name: 'web' })
  const { status } = await cloud.fetch(`${cloud.url}/firewalls`, { method: 'POST', headers: asJson(cloud), body })
  assert.equal(status, 409)
  assert.deepEqual(
    (await cloud.faults()).map(({ name, hits }) => [name, hits]),
    [[name, 1]],
  )
  await cloud.heal(name)
  await makeFirewall(cloud, 'web')
  await assert.rejects(startWolke({ scenario: ['sold-out', 'nothing-like-that'] }), /scenario/)
})

test('A report tells what was done, and which assertions it breaks', async () => {
  await using cloud = await startWolke({ listen: false, now: '2026-12-01', clock: 'frozen' })
  await makeFirewall(cloud, 'web')
  const report = await cloud.report({ failOn: ['leftovers', 'throttled'] })
  assert.equal(report.requests, 1)
  assert.deepEqual(
    report.leftovers.map(({ type, name }) => [type, name]),
    [['firewall', 'web']],
  )
  assert.deepEqual(
    report.assertions.map(({ assertion, holds }) => [assertion, holds]),
    [
      ['leftovers', false],
      ['throttled', true],
    ],
  )
  assert.deepEqual((await cloud.report()).assertions, [])
  await assert.rejects(cloud.report({ failOn: ['speed'] }), /fail_on/)
})

test('Time is told and moved', async () => {
  await using cloud = await startWolke({ now: new Date('2027-03-31T12:00:00Z'), clock: 'frozen' })
  const { clock } = cloud
  assert.equal(await clock.mode(), 'frozen')
  const changes = (await clock.events(100)).filter(({ event }) => event.startsWith('api_change:'))
  assert.deepEqual(changes[0]?.time, new Date('2027-04-01'))
  assert.deepEqual(await clock.advanceTo('2027-04-02T00:00:00Z'), new Date('2027-04-02'))
  assert.deepEqual(await clock.advanceTo(new Date('2027-04-03')), new Date('2027-04-03'))
  assert.deepEqual(await clock.advanceTo('2028-01-01'), new Date('2028-01-01'))
  for (const none of ['tomorrow', '2028-02-30', '', new Date(Number.NaN)])
    await assert.rejects(clock.advanceTo(none), /^TypeError: time: /)
  assert.deepEqual(await clock.now(), new Date('2028-01-01'))
  await clock.setMode('running')
  assert.equal(await clock.mode(), 'running')
})

test('What is asked without a socket streams, and can be given up', async () => {
  await using cloud = await startWolke({ listen: false })
  const body = Readable.toWeb(Readable.from(['{"name":', '"streamed"', '}'])) as ReadableStream
  const options = { method: 'POST', headers: asJson(cloud), body, duplex: 'half' } as RequestInit
  const made = await cloud.fetch(`${cloud.url}/firewalls`, options)
  assert.equal(made.status, 201, await made.text())
  const removed = (
    (await (await cloud.fetch(`${cloud.url}/firewalls`, { headers: asJson(cloud) })).json()) as {
      firewalls: [{ id: number }]
    }
  ).firewalls[0].id
  const empty = await cloud.fetch(`${cloud.url}/firewalls/${removed}`, { method: 'DELETE', headers: asJson(cloud) })
  assert.deepEqual([empty.status, empty.body], [204, null])

  await assert.rejects(
    cloud.fetch(`${cloud.url}/servers`, { signal: AbortSignal.abort(new Error('before')) }),
    /before/,
  )
  // A body that never ends keeps the request open until it is given up.
  const giveUp = new AbortController()
  const endless = new ReadableStream({ pull: () => giveUp.abort(new Error('during')) }, { highWaterMark: 0 })
  const pending = { ...options, body: endless, signal: giveUp.signal } as RequestInit
  await assert.rejects(cloud.fetch(`${cloud.url}/firewalls`, pending), /during/)
  const failing = new ReadableStream({ pull: () => Promise.reject(new Error('no more')) })
  await assert.rejects(
    cloud.fetch(`${cloud.url}/firewalls`, { ...options, body: failing } as RequestInit),
    ({ cause }) => (cause as Error).message === 'no more',
  )
  assert.deepEqual(await firewalls(cloud), [])
})

test('As many requests as somebody likes are asked at the same time', async () => {
  await using cloud = await startWolke({ listen: false })
  const ask = async () => (await cloud.fetch(`${cloud.url}/firewalls`, { headers: asJson(cloud) })).status
  const found = await Promise.all(Array.from({ length: 600 }, ask))
  assert.deepEqual([...new Set(found)], [200])
})

test('A body that is not read to its end can be left', async () => {
  await using cloud = await startWolke({ listen: false })
  const reply = await cloud.fetch(new URL('/docs', cloud.url))
  const reader = reply.body!.getReader()
  assert.equal((await reader.read()).done, false)
  await reader.cancel()
  const giveUp = new AbortController()
  const other = await cloud.fetch(new URL('/docs', cloud.url), { signal: giveUp.signal })
  giveUp.abort(new Error('enough'))
  await assert.rejects(other.text(), /enough/)
})

test('A cloud that has ended, or of which that is a fork, is asked in vain', async () => {
  const cloud = await startWolke()
  const fork = await cloud.fork()
  const other = await cloud.fork({ ttl: '1h' })
  await other.close()
  await assert.rejects(firewalls(other), TypeError)
  await cloud.close()
  await cloud.close()
  await assert.rejects(firewalls(cloud), TypeError)
  await assert.rejects(firewalls(fork), TypeError)
  await fork.close()
})

test('Options that mean nothing are refused by their names', async () => {
  await assert.rejects(startWolke({ now: 'tomorrow' }), /^TypeError: now: /)
  await assert.rejects(startWolke({ clock: 'backwards' as never }), /^TypeError: clock: /)
  await assert.rejects(startWolke({ token: 'short' }), /^TypeError: token: /)
  await assert.rejects(startWolke({ nwo: '2027-01-01' } as never), /^TypeError: startWolke has no option nwo/)
  await assert.rejects(startWolke({ dns: true, listen: false }), /^TypeError: dns: needs listen/)
  await assert.rejects(startWolke({ catalogue: '/nowhere.json' }), /catalogue/)
})

test('Options have the forms of programs', async () => {
  const lines: string[] = []
  await using cloud = await startWolke({
    limits: { firewalls: 1 },
    addressPool: ['10.1.0.0/24', '2001:db8::/64'],
    token: 'a'.repeat(64),
    rateLimit: 5,
    dns: true,
    metadata: true,
    log: (line) => lines.push(line),
  })
  assert.equal(cloud.token, 'a'.repeat(64))
  await makeFirewall(cloud, 'first')
  await assert.rejects(makeFirewall(cloud, 'second'), /resource_limit_exceeded/)
  const reply = await cloud.fetch(`${cloud.url}/firewalls`, { headers: asJson(cloud) })
  assert.equal(reply.headers.get('ratelimit-limit'), '5')
  assert.match(cloud.dns!, /^127\.0\.0\.1:\d+$/)
  assert.equal((await fetch(cloud.metadataUrl!)).status, 404)
  assert.ok(lines.some((line) => JSON.parse(line).path === '/v1/firewalls'))
})

test('Public addresses come from all networks of the pool', async () => {
  await using cloud = await startWolke({ listen: false, addressPool: ['10.0.0.0/31', '10.2.0.0/31', '2001:db8::/32'] })
  const address = async (type: string) => {
    const body = JSON.stringify({ name: `${type} of the pool`, type, location: 'fsn1', assignee_type: 'server' })
    const reply = await cloud.fetch(`${cloud.url}/primary_ips`, { method: 'POST', headers: asJson(cloud), body })
    const text = await reply.text()
    assert.equal(reply.status, 201, text)
    return (JSON.parse(text) as { primary_ip: { ip: string } }).primary_ip.ip
  }
  assert.match(await address('ipv4'), /^10\.[02]\.0\./)
  assert.match(await address('ipv6'), /^2001:db8:/)
})

test('Nothing is left of clouds that have ended', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'left.ts')], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  assert.deepEqual(JSON.parse(stdout), {
    resources: [],
    timers: [],
    files: [],
    temporary: [],
    listeners: [],
    changed: [],
  })
})
