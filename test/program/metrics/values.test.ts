/** The metrics of real servers tell what they did, on both databases, and name nobody. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { encode } from 'dns-packet'
import { exchangeTcp, exchangeUdp } from '../../dns/client.ts'
import { certificate, privateKey } from '../../fixtures/tls.ts'
import { until } from '../../kit/database/bare-database.ts'
import { engines } from '../../kit/engines.ts'
import { signIn, TestBrowser } from '../../people/kit/browser.ts'
import { call, program, type Served, token } from '../kit/program.ts'
import { measured, newDatabase, scrape } from './kit/scrape.ts'

const place = program('metrics')
const { serve } = place

const tenant = 'tenant-of-somebody'
const serverOf = (name: string) => ({ name, server_type: 'cpx22', image: 'debian-13' })

/** Asks the name server, and returns the response code. */
async function ask({ dns: { address: host, port } }: Served, name: string, type: 'A' | 'TXT' | 'AXFR') {
  const message = encode({ type: 'query', id: 7, questions: [{ type, name }] })
  const answer =
    type === 'AXFR' ? (await exchangeTcp({ host, port }, message))[0]! : await exchangeUdp({ host, port }, message)
  return answer[3]! & 0xf
}

for (const engine of engines) {
  describe(`Metrics on ${engine}`, { concurrency: 2 }, () => {
    test('count requests, actions, driver calls, questions, sign-ins and entries as they come', async (t) => {
      const scenario = ['--lab', '--scenario', 'half-failed-create', '--dns-transfer-to', '127.0.0.1']
      const server = await serve(await newDatabase(t, engine, place), ...measured, ...scenario)
      const before = await scrape(server)
      const { baseUrl } = server
      for (let i = 0; i < 3; i++) assert.equal((await call(baseUrl, 'GET', '/firewalls')).status, 200)
      assert.equal((await call(baseUrl, 'GET', '/firewalls/42')).status, 404)
      assert.equal((await fetch(`${baseUrl}/firewalls`)).status, 401)
      assert.equal((await call(baseUrl, 'POST', '/firewalls', { name: tenant })).status, 201)
      assert.equal((await call(baseUrl, 'POST', '/firewalls', { name: tenant })).status, 409)
      assert.equal((await call(baseUrl, 'POST', '/servers', serverOf(tenant))).status, 201)
      const zone = { name: `${tenant}.example`, mode: 'primary' }
      assert.equal((await call(baseUrl, 'POST', '/zones', zone)).status, 201)
      assert.deepEqual(
        [
          await ask(server, zone.name, 'A'),
          await ask(server, `no.${zone.name}`, 'TXT'),
          await ask(server, 'x.test', 'A'),
        ],
        [0, 3, 5],
      )
      assert.equal(await ask(server, zone.name, 'AXFR'), 0)
      await enterAndFail(server)
      const done = async () =>
        (await scrape(server)).sum('wolke_actions_ended_total', { command: 'start_server' }) === 1
      await until(done, 'the server has failed to start')
      const after = await scrape(server)
      const more = (name: string, labels = {}) => after.sum(name, labels) - before.sum(name, labels)
      const requests = (operation: string, code: string, caller: string) =>
        more('wolke_http_requests_total', { operation, code, caller })
      assert.equal(requests('GET /firewalls', '200', 'token'), 3)
      assert.equal(requests('GET /firewalls/{id}', '404', 'token'), 1)
      assert.equal(requests('GET /firewalls', '401', 'none'), 1)
      assert.equal(requests('POST /firewalls', '201', 'token'), 1)
      assert.equal(requests('POST /firewalls', '409', 'token'), 1)
      assert.equal(more('wolke_http_request_duration_seconds_count', { operation: 'GET /firewalls' }), 4)
      const slowest = after.samples.filter(({ name, labels: { le, operation } }) => {
        return name === 'wolke_http_request_duration_seconds_bucket' && le === '+Inf' && operation === 'GET /firewalls'
      })
      assert.deepEqual(
        slowest.map(({ value }) => value),
        [4],
      )
      assert.equal(more('wolke_actions_ended_total', { command: 'create_server', state: 'success' }), 1)
      assert.equal(more('wolke_actions_ended_total', { command: 'start_server', state: 'error' }), 1)
      assert.equal(more('wolke_action_compensations_total'), 1)
      assert.ok(more('wolke_driver_call_duration_seconds_count', { driver: 'servers', outcome: 'success' }) > 0)
      const questions = (labels: object) => more('wolke_dns_queries_total', labels)
      assert.equal(questions({ transport: 'udp', type: 'A', answer: 'NOERROR' }), 1)
      assert.equal(questions({ transport: 'udp', type: 'TXT', answer: 'NXDOMAIN' }), 1)
      assert.equal(questions({ transport: 'udp', type: 'A', answer: 'REFUSED' }), 1)
      assert.equal(questions({ transport: 'tcp', type: 'AXFR', answer: 'NOERROR' }), 1)
      assert.equal(more('wolke_dns_transfers_total', { direction: 'out', outcome: 'success' }), 1)
      assert.equal(more('wolke_sign_ins_total', { outcome: 'failure' }), 1)
      assert.equal(more('wolke_sign_ins_total', { outcome: 'success' }), 1)
      assert.equal(after.sum('wolke_sessions', { of: 'token' }), 1)
      assert.equal(more('wolke_audit_entries_total', { family: 'firewalls', outcome: 'ok' }), 1)
      await until(
        async () =>
          (await scrape(server)).sum('wolke_audit_entries_total', { family: 'firewalls', outcome: 'refused' }) === 1,
        'the refused change is in the log',
      )
      assert.ok(more('wolke_database_commit_duration_seconds_count', { outcome: 'success' }) > 0)
      assert.ok(after.sum('wolke_database_size_bytes') > 0)
      assert.equal(after.sum('wolke_database_healthy'), 3)
      assert.deepEqual(
        after.samples.filter(({ name, value }) => name === 'wolke_collection_errors_total' && value > 0),
        [],
      )
      assert.equal(after.has('wolke_database_connections'), engine === 'postgres')
      assert.equal(after.has('wolke_database_log_bytes'), engine === 'sqlite')
      for (const secret of [tenant, token, 'wrong-password', 'nobody@somewhere.example']) {
        assert.ok(!after.text.includes(secret), secret)
      }
      await server.stop()
    })

    test('tell of Load Balancers with their targets, of secondary zones and of Storage Boxes', async (t) => {
      const server = await serve(await newDatabase(t, engine, place), ...measured, '--load-balancers', 'simulated')
      const { baseUrl } = server
      const made = await call(baseUrl, 'POST', '/servers', { ...serverOf('web'), location: 'hel1' })
      assert.equal(made.status, 201)
      const balancer = {
        ...{ name: 'front', load_balancer_type: 'lb11', location: 'hel1' },
        services: [{ protocol: 'tcp', listen_port: 80, destination_port: 80 }],
        targets: [{ type: 'server', server: { id: made.json.server.id } }],
      }
      assert.equal((await call(baseUrl, 'POST', '/load_balancers', balancer)).status, 201)
      const secondary = { name: 'copy.example', mode: 'secondary', primary_nameservers: [{ address: '198.51.100.7' }] }
      assert.equal((await call(baseUrl, 'POST', '/zones', secondary)).status, 201)
      const box = { name: 'files', storage_box_type: 'bx11', location: 'hel1', password: 'Sieben-blaue-Teller-7' }
      assert.equal((await call(baseUrl.replace('/v1', '/storage/v1'), 'POST', '/storage_boxes', box)).status, 201)
      const isThere = async () => {
        const found = await scrape(server)
        const isCarried = found.sum('wolke_load_balancers', { state: 'carried' }) === 1
        const isActive = found.sum('wolke_storage_boxes', { status: 'active' }) === 1
        return isCarried && isActive && found.sum('wolke_load_balancer_targets') === 1
      }
      await until(isThere, 'all of it is there')
      const found = await scrape(server)
      assert.equal(found.sum('wolke_secondary_zones', { state: 'never' }), 1)
      assert.ok(found.sum('wolke_storage_box_bytes', { kind: 'capacity' }) > 0)
      await server.stop()
    })

    test('tell of actions that were taken over from a process that was killed', async (t) => {
      const database = await newDatabase(t, engine, place)
      const first = await serve(database, ...measured, '--action-delay', '600000')
      assert.equal((await call(first.baseUrl, 'POST', '/servers', serverOf('slow'))).status, 201)
      const started = async () => (await scrape(first)).sum('wolke_actions_in_progress') === 1
      await until(started, 'the action is under way')
      const open = { command: 'create_server', state: 'in_progress' }
      assert.equal((await scrape(first)).sum('wolke_actions_open', open), 1)
      await first.kill()
      const second = await serve(database, ...measured)
      await until(async () => (await scrape(second)).sum('wolke_action_takeovers_total') === 1, 'it was taken over')
      const succeeded = { command: 'create_server', state: 'success' }
      await until(async () => (await scrape(second)).sum('wolke_actions_ended_total', succeeded) === 1, 'it has ended')
      await second.stop()
    })

    test('tell of certificates that end, and of mail that no server takes', async (t) => {
      const database = await newDatabase(t, engine, place)
      const { port, close } = await closedPort(t)
      const mail = ['--smtp', `smtp://127.0.0.1:${port}`, '--mail-from', 'wolke@example.com']
      const options = [
        ...measured,
        ...mail,
        '--now',
        '2126-10-25T00:00:00Z',
        '--owner-email',
        'owner@somewhere.example',
      ]
      const first = await serve(database, ...options)
      const uploaded = { name: tenant, type: 'uploaded', certificate, private_key: privateKey }
      assert.equal((await call(first.baseUrl, 'POST', '/certificates', uploaded)).status, 201)
      const ends = { type: 'uploaded', ends: 'within_7_days' }
      assert.equal((await scrape(first)).sum('wolke_certificates', ends), 1)
      await first.stop()
      close()
      // A start looks for what is to be told.
      const second = await serve(database, ...options)
      const failed = async () => {
        return (await scrape(second)).sum('wolke_mail_attempts_total', { to: 'owner', outcome: 'waiting' }) >= 1
      }
      await until(failed, 'the mail server was not there')
      const after = await scrape(second)
      assert.equal(after.sum('wolke_mail_waiting', { to: 'owner' }), 1)
      for (const secret of [tenant, 'owner@somewhere.example']) assert.ok(!after.text.includes(secret), secret)
      await second.stop()
    })
  })
}

/** A sign-in of nobody that fails, and one with the token that succeeds. */
async function enterAndFail(server: Served): Promise<void> {
  const browser = new TestBrowser(server)
  assert.equal((await signIn(browser, 'nobody@somewhere.example', 'wrong-password')).status, 401)
  assert.equal((await browser.post('/console/login/token', { token })).status, 303)
}

/** A port that nobody listens on once it is closed. */
async function closedPort(t: TestContext) {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  return { port: (server.address() as { port: number }).port, close: () => server.close() }
}

describe('Metrics', { concurrency: 2 }, () => {
  test('count what rate limits refuse', async () => {
    const server = await serve('memory', ...measured, '--rate-limit', '2')
    const { baseUrl } = server
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await call(baseUrl, 'GET', '/firewalls')).status)
    assert.deepEqual(statuses, [200, 200, 429, 429])
    const found = await scrape(server)
    assert.equal(found.sum('wolke_rate_limited_requests_total', { limit: 'project' }), 2)
    assert.equal(found.sum('wolke_http_requests_total', { code: '429', caller: 'token' }), 2)
    await server.stop()
  })

  test('are at an address of their own, for reading alone, in the format that is asked for', async () => {
    const server = await serve('memory', ...measured)
    const url = server.metricsUrl!
    const asked = (accept?: string, method = 'GET') => fetch(url, { method, headers: accept ? { accept } : {} })
    const plain = await asked()
    assert.equal(plain.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
    assert.doesNotMatch(await plain.text(), /# EOF/)
    const open = await asked('application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1')
    assert.equal(open.headers.get('content-type'), 'application/openmetrics-text; version=1.0.0; charset=utf-8')
    const text = await open.text()
    assert.match(text, /# EOF\n$/)
    assert.match(text, /^# TYPE wolke_action_retries counter\nwolke_action_retries_total 0$/m)
    const head = await asked(undefined, 'HEAD')
    assert.deepEqual([head.status, await head.text()], [200, ''])
    const refused = await asked(undefined, 'POST')
    assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD'])
    assert.equal((await fetch(new URL('/', url))).status, 404)
    assert.equal((await fetch(new URL('/v1/servers', url))).status, 404)
    assert.notEqual((await fetch(`${server.baseUrl.replace('/v1', '')}/metrics`)).status, 200)
    await server.stop()
    await assert.rejects(asked())
  })

  test('are not there unless they are asked for', async () => {
    const server = await serve('memory')
    assert.equal(server.metricsUrl, null)
    await server.stop()
  })

  test('are what promtool wants metrics to be', async (t) => {
    const server = await serve('memory', ...measured)
    await call(server.baseUrl, 'GET', '/firewalls')
    const { text } = await scrape(server)
    await server.stop()
    const { promise, resolve } = Promise.withResolvers<{ error: Error | null; stdout: string; stderr: string }>()
    const child = execFile('promtool', ['check', 'metrics'], (error, stdout, stderr) =>
      resolve({ error, stdout, stderr }),
    )
    child.stdin!.on('error', () => undefined).end(text)
    const { error, stdout, stderr } = await promise
    if (error && 'code' in error && error.code === 'ENOENT' && process.env.CI !== 'true')
      return t.skip('promtool is not there')
    assert.deepEqual({ error, said: stdout + stderr }, { error: null, said: '' })
  })
})
