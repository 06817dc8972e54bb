/** Faults of requests that never come to a handler, and of those that leave HTTP. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { command, newServer } from '../../../src/families/servers/proof.ts'
import { openLog } from '../../../src/kernel/process/log.ts'
import { forEachDatabase, type World } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'
import { listen } from '../../stubs/event-stream.ts'
import { view } from '../../stubs/rfb-client.ts'
import { type FaultLab, injectedBy, openFaultLab } from './kit.ts'

const maintenance = { error: { code: 'unavailable', message: 'back soon' } }

/** Requests that are refused before a handler, with the status of each. */
const refusals: readonly (readonly [status: number, ask: (world: World) => Promise<{ readonly status: number }>])[] = [
  [401, ({ anonymous }) => anonymous.get('/servers')],
  [401, ({ client }) => client('x'.repeat(64)).post('/firewalls', { name: 'one' })],
  [401, ({ readOnly }) => readOnly.post('/firewalls', { name: 'one' })],
  [404, ({ api }) => api.get('/planets')],
  [404, ({ api }) => api.get('/servers/none')],
  [405, ({ api }) => api.request('PUT', '/servers')],
  [422, ({ api }) => api.post('/firewalls', {})],
  [422, ({ api }) => api.get('/servers?sort=size')],
  [400, ({ api }) => api.request('POST', '/firewalls', { body: '{' })],
]

/** Opens the console of a server, and tells how its connection ends: a status, or the code of an error. */
async function knock(url: string): Promise<number | string> {
  const socket = new WebSocket(url)
  const { promise, resolve } = Promise.withResolvers<number | string>()
  socket.on('open', () => resolve(101))
  socket.on('unexpected-response', (_, response) => resolve(response.statusCode!))
  socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code!))
  const outcome = await promise
  socket.terminate()
  return outcome
}

async function consoleOf({ api }: FaultLab, id: number): Promise<{ wss_url: string; password: string }> {
  return done(command(api, id, 'request_console'))
}

forEachDatabase('A fault of all requests', (open) => {
  test('hits those, too, that are refused before anybody carries them out', async () => {
    const { world, inject, rule, ask } = await openFaultLab(open)
    for (const [status, send] of refusals) assert.equal((await send(world)).status, status)
    await inject({ name: 'down', fault: maintenance })
    const answers = []
    for (const [, send] of refusals) answers.push(await send(world))
    assert.deepEqual(
      answers.map(({ status }) => status),
      refusals.map(() => 503),
    )
    for (const answer of answers as Awaited<ReturnType<World['api']['get']>>[]) {
      assert.equal(injectedBy(answer), 'down')
      assert.equal(answer.body.error.message, 'back soon')
    }
    const { hits, last_hits } = await rule('down')
    assert.equal(hits, refusals.length)
    assert.deepEqual(
      [last_hits[0]!, last_hits[3]!].map(({ operation, project }) => [operation, project === null]),
      [
        ['servers_list', true],
        ['GET /v1/planets', false],
      ],
    )
    assert.equal((await ask('GET', '/no-such')).status, 404, 'what only Wolke has meets none')
    assert.equal((await fetch(`${new URL(world.baseUrl).origin}/health`)).status, 200)
  })

  test('hits what is above the rate limit', async () => {
    const { api, inject } = await openFaultLab(open, { rateLimit: 2 })
    await inject({ match: { method: 'GET' }, when: { after: 2 }, fault: maintenance })
    const statuses = []
    for (let index = 0; index < 3; index++) statuses.push((await api.get('/servers')).status)
    assert.deepEqual(statuses, [200, 200, 503])
  })

  test('hits by operation, method, type and id whatever is refused, and by what it is about what is carried out', async () => {
    const { world, inject, rule } = await openFaultLab(open)
    const id = await newServer(world.api, 'web')
    const delay = { latency: { duration: '0s' } }
    const matches = {
      operation: { operation: 'servers_get' },
      type: { resource: 'server', method: 'GET' },
      id: { id },
      project: { project: 'first' },
      name: { name: '*' },
      labels: { label_selector: '!env' },
      type2: { server_type: 'cx23' },
    }
    for (const [name, match] of Object.entries(matches)) await inject({ name, match, fault: delay })
    const refused = await world.anonymous.get(`/servers/${id}`)
    assert.deepEqual([refused.status, injectedBy(refused)], [401, 'operation, type, id'])
    const foreign = await world.foreign.get(`/servers/${id}`)
    assert.deepEqual([foreign.status, injectedBy(foreign)], [404, 'operation, type, id'])
    const bad = await world.api.get(`/servers/${id}/metrics?type=heat`)
    assert.deepEqual([bad.status, injectedBy(bad)], [422, 'type, id, project'])
    assert.equal((await rule('name')).fitting, 0)
    await inject({ name: 'full', fault: { sold_out: true } })
    assert.equal((await world.anonymous.post('/servers', { server_type: 'cx23' })).status, 401)
  })

  test('resets, loses and cuts refusals like all answers', async () => {
    const { world, inject } = await openFaultLab(open)
    const first = (name: string, fault: object) => inject({ name, when: { first: 1 }, fault })
    await first('reset', { reset: 'before_effect' })
    await first('lost', { reset: 'after_effect' })
    await first('later', { error: { code: 'timeout', after_effect: true } })
    await first('cut', { truncate: { bytes: 10 } })
    const outcome = () =>
      new Promise<string>((resolve) => {
        let bytes = 0
        request(`${world.baseUrl}/servers`, { agent: false }, (response) => {
          response.on('data', (piece: Buffer) => {
            bytes += piece.length
          })
          response.on('error', ({ code }: NodeJS.ErrnoException) => resolve(`${code} after ${bytes}`))
          response.on('end', () => resolve(String(response.statusCode)))
        })
          .on('error', ({ code }: NodeJS.ErrnoException) => resolve(String(code)))
          .end()
      })
    const outcomes = [await outcome(), await outcome(), await outcome(), await outcome(), await outcome()]
    assert.deepEqual(outcomes, ['ECONNRESET', 'ECONNRESET', '504', 'ECONNRESET after 10', '401'])
  })

  test('hits the stream of events of who may not listen', async () => {
    const { world, inject, rule } = await openFaultLab(open)
    const session = world.signIn('member')
    session.end()
    assert.equal((await listen(world, session)).status, 401)
    await inject({ name: 'deaf', match: { operation: 'events' }, fault: maintenance })
    assert.equal((await listen(world, session)).status, 503)
    assert.equal((await rule('deaf')).hits, 1)
  })

  test('is no error of the log, and said there with the rule', async () => {
    const lines: { level: number; msg?: string; injected?: string; status?: number }[] = []
    const log = openLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
    const lab = await openFaultLab(open, { log })
    const { world, api, inject } = lab
    await inject({ name: 'down', match: { method: 'GET' }, fault: maintenance })
    await inject({ name: 'reset', match: { method: 'POST' }, fault: { reset: 'before_effect' } })
    assert.equal((await api.get('/servers')).status, 503)
    assert.equal((await world.anonymous.get('/servers')).status, 503)
    await assert.rejects(api.post('/firewalls', { name: 'one' }))
    assert.equal(await knock(world.baseUrl.replace(/^http(.*)v1$/, 'ws$1wolke/v1/console?token=none')), 503)
    const told = lines.filter(({ injected }) => injected !== undefined)
    assert.deepEqual(
      told.map(({ level, msg, injected, status }) => [level, msg, injected, status]),
      ['down', 'down', 'reset', 'down'].map((name) => [30, 'injected', name, 503]),
    )
    assert.deepEqual(
      lines.filter(({ level }) => level > 30),
      [],
    )
  })
})

forEachDatabase('A fault of WebSockets', (open) => {
  test('answers instead, resets and delays before the console is opened, or after', async () => {
    const lab = await openFaultLab(open)
    const id = await newServer(lab.api, 'web')
    await lab.world.settle()
    const match = { operation: 'console' }
    const first = (name: string, fault: object) => lab.inject({ name, match, when: { first: 1 }, fault })
    await first('down', maintenance)
    await first('reset', { reset: 'before_effect' })
    await first('lost', { reset: 'after_effect' })
    await lab.inject({ name: 'late', match: { method: 'GET' }, fault: { latency: { duration: '1ms' } } })
    const asked = await consoleOf(lab, id)
    const outcomes = []
    for (let index = 0; index < 4; index++) outcomes.push(await knock(asked.wss_url))
    // It can be opened once, which it was when the answer got lost.
    assert.deepEqual(outcomes, [503, 'ECONNRESET', 'ECONNRESET', 401])
    const again = await consoleOf(lab, id)
    const socket = new WebSocket(again.wss_url)
    const [response] = await once(socket, 'upgrade')
    assert.equal(response.headers['wolke-injected'], 'late')
    socket.terminate()
    assert.deepEqual(
      (await lab.rule('late')).last_hits.map(({ operation }) => operation),
      ['console', 'console'],
    )
  })

  test('cuts what is sent over one, or lets it come in small pieces', async () => {
    const lab = await openFaultLab(open)
    const id = await newServer(lab.api, 'web')
    await lab.world.settle()
    const match = { operation: 'console' }
    await lab.inject({ name: 'cut', match, when: { first: 1 }, fault: { truncate: { bytes: 8 } } })
    await lab.inject({ name: 'drops', match, fault: { dribble: { bytes: 3, every: '0s' } } })
    const { wss_url } = await consoleOf(lab, id)
    const socket = new WebSocket(wss_url)
    let bytes = 0
    const [, connection] = await Promise.all([
      once(socket, 'open'),
      once(socket, 'upgrade').then(([{ socket }]) => socket),
    ])
    connection.on('data', (piece: Buffer) => {
      bytes += piece.length
    })
    await once(socket, 'close')
    assert.ok(bytes <= 8, `${bytes} bytes`)
    await lab.inject({ name: 'later', match, fault: { truncate: { bytes: 1_000_000_000 } } })
    const { wss_url: url, password } = await consoleOf(lab, id)
    const viewer = await view(url, password)
    await viewer.close()
    assert.equal((await lab.rule('drops')).hits, 2)
  })
})
