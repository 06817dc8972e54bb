/** Three processes behind a plain balancer: each request of a client may be answered by another one. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { stepAt, totpCode } from '../../../src/people/credentials/totp.ts'
import { ask, exchangeTcp, question, tell } from '../../dns/client.ts'
import { until } from '../../kit/database/bare-database.ts'
import { closeAdmin, createDatabase, postgresUrl } from '../../kit/database/postgres.ts'
import { Authenticator } from '../../people/kit/authenticator.ts'
import { adminEmail, own, password, type Reply, signIn, TestBrowser } from '../../people/kit/browser.ts'
import { client as oidcClient, type RunningProvider, startProvider } from '../../people/kit/provider.ts'
import { enter, withPasskey } from '../../people/kit/second-factors.ts'
import { listenAt } from '../../stubs/event-stream.ts'
import { view } from '../../stubs/rfb-client.ts'
import { call, makeKey, program, type Served, token } from '../kit/program.ts'
import { answeredBy, besideBalancer, type Installation, startInstallation } from './kit/installation.ts'
import { Secondary } from './kit/secondary.ts'

const wolke = program('whichever')

/** The requests that a Project may send in an hour, and the SSH keys that it may have. */
const most = { requests: 3_600, keys: 7 }

const secondary = new Secondary()
let installation: Installation
let provider: RunningProvider
let databaseUrl: string
let dropDatabase: () => Promise<void>

/** A browser whose requests are answered by one process after the other. */
const newBrowser = () => new TestBrowser(installation, { host: new URL(setupLinks()[0]!).hostname })

/** The links that the processes printed when they started. */
const setupLinks = () =>
  installation.servers.map((server) => {
    const [link] = /http:\/\/wolke-\S+#[\w-]{43}/.exec(server.output()) ?? []
    assert.ok(link, 'a link is printed')
    return link
  })

const location = ({ headers }: Reply) => String(headers.location)

/** Calls one process, or the balancer, with the token of Project default; what it made. */
async function made({ baseUrl }: { readonly baseUrl: string }, path: string, body: unknown) {
  const { status, json } = await call(baseUrl, 'POST', path, body)
  assert.equal(status, 201, JSON.stringify(json))
  return json
}

const get = async ({ baseUrl }: { readonly baseUrl: string }, path: string) => (await call(baseUrl, 'GET', path)).json

const placeOf = ({ dns }: Served) => ({ host: dns.address, port: dns.port })

suite('Whichever process answers', besideBalancer, () => {
  before(async () => {
    const { url, drop } = await createDatabase(await postgresUrl())
    databaseUrl = url
    dropDatabase = drop
    provider = await startProvider()
    const secret = join(wolke.folder, 'client-secret')
    writeFileSync(secret, oidcClient.client_secret)
    const oidc = ['--oidc-issuer', provider.issuer, '--oidc-client-id', oidcClient.client_id]
    const limits = ['--limits', `ssh_keys=${most.keys}`, '--rate-limit', String(most.requests)]
    const transfers = ['--dns-transfer-to', `127.0.0.1:${await secondary.start()}`]
    const options = [...oidc, '--oidc-client-secret-file', secret, ...limits, ...transfers]
    installation = await startInstallation(wolke, [url], ...options)
  })
  after(async () => {
    await installation.stop()
    await Promise.all([provider.stop(), secondary.stop()])
    await dropDatabase()
    await closeAdmin()
  })

  test('each of them answers, and reads at once what another one wrote', async () => {
    const seen = new Set<string>()
    for (let at = 0; at < 6; at++) {
      const name = `firewall-${at}`
      const { firewall } = await made(installation, '/firewalls', { name })
      for (const server of installation.servers)
        assert.equal((await get(server, `/firewalls/${firewall.id}`)).firewall.name, name)
      const headers = { authorization: `Bearer ${token}`, connection: 'close' }
      const answer = await fetch(`${installation.baseUrl}/firewalls/${firewall.id}`, { headers })
      await answer.arrayBuffer()
      seen.add(answeredBy(answer.headers))
    }
    assert.equal(seen.size, 3)
  })

  test('actions end, whichever process runs them, and are seen by all', async () => {
    const body = (name: string) => ({ name, server_type: 'cpx22', image: 'debian-12', location: 'hel1' })
    for (const server of installation.servers) {
      const { action } = await made(server, '/servers', body(`server-${server.child.pid}`))
      for (const other of installation.servers)
        await until(async () => (await get(other, `/actions/${action.id}`)).action.status === 'success', 'it ends')
    }
  })

  test('people set up, sign in and out: each step may be at another process', async () => {
    const jana = newBrowser()
    const setUp = (code: string) => jana.post('/console/setup', { code, name: 'Jana', email: adminEmail, password })
    const statuses: number[] = []
    for (const link of setupLinks()) statuses.push((await setUp(new URL(link).hash.slice(1))).status)
    assert.deepEqual(statuses.toSorted(), [303, 403, 403], 'the link of the process that started last counts')
    const { totp } = (await jana.api('POST', `${own}/account/totp`)).body
    const codeIn = (steps: number) => totpCode(totp.secret, stepAt(Date.now()) + steps)
    const confirmed = await jana.api('POST', `${own}/account/totp/confirm`, { ticket: totp.ticket, code: codeIn(0) })
    assert.equal(confirmed.status, 201, confirmed.text)
    const { authenticator, reply: added } = await withPasskey(jana, new Authenticator(), jana.host.replace(/:.*/, ''))
    assert.equal(added.status, 201, added.text)
    const again = newBrowser()
    assert.equal(location(await signIn(again)), '/console/login/second')
    assert.equal((await again.post('/console/login/second', { code: codeIn(1) })).status, 303)
    const byPasskey = newBrowser()
    assert.equal((await enter(byPasskey, authenticator)).status, 200)
    for (const browser of [jana, again, byPasskey])
      for (const _ of installation.servers)
        assert.equal((await browser.api('GET', `${own}/account`)).body.account.email, adminEmail)
    const kept = again.copy(installation)
    assert.equal((await again.post('/console/logout')).status, 303)
    await until(async () => {
      const replies = await Promise.all(installation.servers.map(() => kept.api('GET', `${own}/account`)))
      return replies.every(({ status }) => status === 401)
    }, 'all processes know that the session has ended')
    const foreign = await jana.api('POST', `${own}/account/totp`, undefined, { 'sec-fetch-site': 'cross-site' })
    assert.equal(foreign.status, 403, 'a request of another site')
  })

  test('people come back from an identity provider to another process than they left from', async () => {
    const browser = newBrowser()
    provider.allow(`${browser.origin}/console/login/oidc/callback`)
    provider.accounts.set('eva', { email: 'eva@example.com', email_verified: true, name: 'Eva' })
    const gone = await browser.get('/console/login/oidc', { 'sec-fetch-site': 'same-origin' })
    assert.equal(gone.status, 303, gone.text)
    const back = new URL(await provider.signIn(location(gone), 'eva'))
    const reply = await browser.get(back.pathname + back.search, { 'sec-fetch-site': 'cross-site' })
    assert.equal(reply.status, 303, reply.text)
    assert.equal((await browser.api('GET', `${own}/account`)).body.account.email, 'eva@example.com')
    assert.notEqual(answeredBy(gone.headers), answeredBy(reply.headers))
  })

  test('a stream of events tells what other processes did, and goes on at another one', async () => {
    const browser = newBrowser()
    assert.equal((await browser.post('/console/login/token', { token })).status, 303)
    const { projects } = (await browser.api('GET', `${own}/projects`)).body
    const path = `/console/api/projects/${projects[0].id}/events`
    const [name, value] = browser.session!
    const cookie = { cookie: `${name}=${value}` }
    const [a, b, c] = installation.servers
    const listen = ({ baseUrl }: Served, last?: string) => listenAt(new URL(baseUrl).origin + path, cookie, last)
    const stream = await listen(a)
    assert.equal(stream.status, 200)
    await stream.until(({ name: kind }) => kind === 'ready')
    const { firewall: first } = await made(b, '/firewalls', { name: 'heard' })
    const about = (id: number) => (event: { data: { family?: string; ids?: number[] } }) =>
      event.data.family === 'firewalls' && event.data.ids!.includes(id)
    const last = await stream.until(about(first.id))
    stream.leave()
    const { firewall: second } = await made(a, '/firewalls', { name: 'missed at the first' })
    const { firewall: third } = await made(c, '/firewalls', { name: 'missed at the third' })
    const next = await listen(b, last.id)
    await next.until(about(second.id))
    await next.until(about(third.id))
    next.leave()
  })

  test('the console of a server opens at another process than the one that was asked for it', async () => {
    const [a, b, c] = installation.servers
    const body = { name: 'screen', server_type: 'cpx22', image: 'debian-12', location: 'hel1' }
    const { server } = await made(a, '/servers', body)
    await until(async () => (await get(b, `/servers/${server.id}`)).server.status === 'running', 'the server runs')
    for (const other of [b, c]) {
      const { wss_url, password: secret } = await made(a, `/servers/${server.id}/actions/request_console`, {})
      const there = new URL(wss_url)
      there.host = new URL(other.baseUrl).host
      const viewer = await view(there.href, secret)
      await viewer.shows('screen login:')
      viewer.type('root\n')
      await viewer.shows('Password:')
      await viewer.close()
      const again = new URL(there)
      again.host = new URL(a.baseUrl).host
      await assert.rejects(view(again.href, secret), /401/, 'it opens once')
    }
  })

  test('a file comes into a Storage Box in pieces, each to another process', async () => {
    const [a, b, c] = installation.servers
    const box = { name: 'files', location: 'fsn1', storage_box_type: 'bx11', password: 'Sieben.Teller-7' }
    const { storage_box, action } = await made(a, '/storage_boxes', box)
    await until(async () => (await get(c, `/actions/${action.id}`)).action.status === 'success', 'the box is there')
    const pieces = ['first,', 'second,', 'third']
    const size = pieces.join('').length
    const headers = { authorization: `Bearer ${token}` }
    const at = ({ baseUrl }: Served, path: string) =>
      `${new URL(baseUrl).origin}/wolke/v1/storage_boxes/${storage_box.id}/files${path}`
    const put = (server: Served, index: number) => {
      const offset = pieces.slice(0, index).join('').length
      const query = new URLSearchParams({ path: 'whole', upload: 'a'.repeat(16), offset: `${offset}`, size: `${size}` })
      return fetch(at(server, `/uploads?${query}`), { method: 'PUT', headers, body: pieces[index]! })
    }
    for (const [server, index] of [
      [a, 0],
      [b, 1],
      [c, 1],
      [c, 2],
      [a, 2],
    ] as const)
      assert.equal((await put(server, index)).status, 200, `piece ${index}`)
    for (const server of installation.servers)
      assert.equal(await (await fetch(at(server, '/content?path=whole'), { headers })).text(), pieces.join(''))
  })

  test('a name that many want at once is given once, and limits are of all processes together', async () => {
    const status = async (server: Served, path: string, body: unknown) => {
      const reply = await call(server.baseUrl, 'POST', path, body)
      return `${reply.status} ${reply.json.error?.code ?? ''}`.trim()
    }
    const everywhere = installation.servers.flatMap((server) => [server, server, server, server])
    const named = await Promise.all(everywhere.map((server) => status(server, '/firewalls', { name: 'one' })))
    assert.deepEqual(named.toSorted(), ['201', ...Array(11).fill('409 uniqueness_error')])
    const keys = await Promise.all(
      everywhere.map((server, at) => status(server, '/ssh_keys', { name: `k${at}`, public_key: makeKey() })),
    )
    assert.deepEqual(keys.toSorted(), [
      ...Array(most.keys).fill('201'),
      ...Array(5).fill('403 resource_limit_exceeded'),
    ])
  })

  test('requests are counted across all of them', async () => {
    const metered = await wolke.command('project', 'create', 'metered', '--database', databaseUrl)
    assert.equal(metered.code, 0, metered.stderr)
    const { stdout } = await wolke.command('token', 'create', '--project', 'metered', '--database', databaseUrl)
    const own = /\S{64}/.exec(stdout)![0]
    const begun = performance.now()
    const lanes = installation.servers.flatMap((server) => Array.from({ length: 6 }, () => useUp(server, own)))
    const counts = await Promise.all(lanes)
    const refilled = Math.ceil(((performance.now() - begun) / 3_600_000) * most.requests)
    const answered = counts.reduce((sum, count) => sum + count, 0)
    assert.ok(answered >= most.requests - 3 && answered <= most.requests + refilled, `${counts}, ${refilled} refilled`)
  })

  test('name servers answer with what was written at another process, also to secondaries', async () => {
    const [a, b, c] = installation.servers
    const records = [{ value: '192.0.2.1' }]
    const rrsets = [{ name: 'www', type: 'A', records }]
    const { zone } = await made(a, '/zones', { name: 'example.com', mode: 'primary', rrsets })
    const isTold = async (server: Served, value: string) =>
      (await ask(placeOf(server), 'www.example.com', 'A')).answers.join().includes(value)
    for (const server of installation.servers) await until(() => isTold(server, '192.0.2.1'), 'all answer')
    await made(b, `/zones/${zone.id}/rrsets/www/A/actions/set_records`, { records: [{ value: '192.0.2.2' }] })
    assert.ok(await isTold(b, '192.0.2.2'), 'the process that wrote it answers with it at once')
    for (const server of [a, c]) await until(() => isTold(server, '192.0.2.2'), 'all answer with the change')
    await until(() => secondary.told.has('example.com'), 'secondaries are told')
    for (const server of installation.servers) {
      const [answer] = await exchangeTcp(placeOf(server), question('example.com', 'AXFR'))
      assert.ok(tell(answer!).answers.includes('www.example.com A 192.0.2.2'))
    }
  })

  test('the metadata service of each knows the servers of all', async () => {
    const body = {
      name: 'metadata',
      server_type: 'cpx22',
      image: 'debian-12',
      location: 'hel1',
      user_data: '#!/bin/sh',
    }
    const { server, action } = await made(installation.servers[0], '/servers', body)
    await until(async () => (await get(installation, `/actions/${action.id}`)).action.status === 'success', 'it runs')
    for (const { metadataUrl } of installation.servers) {
      const answer = await fetch(`${metadataUrl}/servers/${server.id}/v1/userdata`)
      assert.equal(await answer.text(), '#!/bin/sh')
    }
  })
})

/** Asks until it is refused many times in a row; how many requests were answered. */
async function useUp({ baseUrl }: Served, own: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { authorization: `Bearer ${own}` }
  const ask = () => {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const asked = request(`${baseUrl}/locations/1`, { headers, agent }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode!))
    })
    asked.on('error', reject).end()
    return promise
  }
  let answered = 0
  for (let refused = 0; refused < 20; ) {
    const status = await ask()
    assert.ok(status === 200 || status === 429, `${status}`)
    if (status === 200) answered++
    refused = status === 429 ? refused + 1 : 0
  }
  agent.destroy()
  return answered
}
