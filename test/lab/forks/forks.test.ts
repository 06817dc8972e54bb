/** Forks: a cloud that begins as another one is, and goes its own way. */
import assert from 'node:assert/strict'
import { Server } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { newServer } from '../../../src/families/servers/proof.ts'
import { wolkeBase } from '../../../src/kernel/contract/bases.ts'
import { LabClock } from '../../../src/lab/clock.ts'
import { Forks, type OpenedFork } from '../../../src/lab/forks.ts'
import { manager } from '../../../src/management/proof.ts'
import { ask, serveDns } from '../../dns/client.ts'
import { makeZone, rrset } from '../../dns/zones.ts'
import { firstProject } from '../../kit/audit-log.ts'
import { forEachDatabase } from '../../kit/harness.ts'
import { makeClient } from '../../kit/http/client.ts'
import { done } from '../../kit/proof.ts'
import { listen } from '../../stubs/event-stream.ts'
import { assertSame, everythingButClaims, frozen, labAt } from '../kit.ts'

forEachDatabase('A fork', (open, engineName) => {
  if (engineName === 'postgres') {
    test('is refused where processes share a database', async () => {
      const world = await open({ lab: new LabClock(), alone: true })
      const answer = await (await manager(world)).post(`${new URL(world.baseUrl).origin}${wolkeBase}/forks`, {})
      assert.equal(answer.status, 422)
      assert.equal(answer.body.error.code, 'unsupported_error')
    })
    return
  }

  test('has what its cloud had, and neither sees what the other does', async () => {
    const world = await open({ lab: new LabClock(Date.parse('2026-11-28T12:00:00Z'), 'frozen'), alone: true })
    const { api, baseUrl } = world
    const lab = await manager(world)
    const before = await newServer(api, 'before')
    await world.settle()
    const { fork } = await done(lab.post(`${new URL(baseUrl).origin}${wolkeBase}/forks`, { ttl: '10m' }))
    const there = makeClient(fork.base_url, api.token)
    const names = async (one: typeof api) =>
      (await done(one.get('/servers'))).servers.map(({ name }: { name: string }) => name)
    assert.deepEqual(await names(there), ['before'])
    assert.deepEqual(
      (await done(there.get(`/servers/${before}`))).server,
      (await done(api.get(`/servers/${before}`))).server,
    )
    const [here, other] = [await newServer(api, 'here'), await newServer(there, 'there')]
    assert.equal(here, other, 'ids go on where the cloud was')
    assert.deepEqual(await names(api), ['before', 'here'])
    assert.deepEqual(await names(there), ['before', 'there'])
    await done(there.delete(`/servers/${before}`))
    await done(lab.post(`${fork.wolke_url}/clock/advance`, { by: '30d' }))
    assert.equal((await there.get(`/servers/${before}`)).status, 404)
    assert.equal((await done(api.get(`/servers/${before}`))).server.status, 'running')
    const clockOf = async (base: string) => (await done(lab.get(`${base}/clock`))).clock.now
    assert.equal(await clockOf(fork.wolke_url), '2026-12-28T12:00:00Z')
    assert.equal(await clockOf(`${new URL(baseUrl).origin}${wolkeBase}`), '2026-11-28T12:00:00Z')
  })

  test('has a name server of its own', async () => {
    const world = await open({ lab: frozen(), alone: true })
    const lab = labAt(await manager(world), world.baseUrl)
    await makeZone(world, [rrset('www', 'A', '192.0.2.1')])
    const fork = await lab.fork({ dns: true })
    const [host, port] = fork.dns.split(':')
    const there = { host, port: Number(port) }
    const here = await serveDns(world)
    assert.deepEqual((await ask(there, 'www.example.com', 'A')).answers, ['www.example.com A 192.0.2.1'])
    await done(makeClient(fork.base_url, world.api.token).delete('/zones/example.com'))
    assert.equal((await ask(there, 'www.example.com', 'A')).rcode, 'REFUSED')
    assert.equal((await ask(here, 'www.example.com', 'A')).rcode, 'NOERROR')
  })

  test('goes on with actions that were under way, in its own time', async () => {
    const durations = { of: () => 90_000, longestMs: 600_000 }
    const world = await open({ lab: frozen(), alone: true, engine: { durations } })
    const client = await manager(world)
    const lab = labAt(client, world.baseUrl)
    const id = await newServer(world.api, 'begun')
    const clouds = [lab, labAt(client, (await lab.fork()).base_url), labAt(client, (await lab.fork()).base_url)]
    const statuses = async () => {
      const found = clouds.map(
        async ({ url }) => (await done(makeClient(url, world.api.token).get(`/servers/${id}`))).server,
      )
      return (await Promise.all(found)).map(({ status }) => status)
    }
    const [begun] = await statuses()
    assert.notEqual(begun, 'running')
    await clouds[1]!.advance({ by: '10m' })
    assert.deepEqual(await statuses(), [begun, 'running', begun])
    await clouds[0]!.advance({ by: '10m' })
    assert.deepEqual(await statuses(), ['running', 'running', begun])
    assertSame(await everythingButClaims(clouds[1]!), await everythingButClaims(clouds[0]!))
    await clouds[2]!.advance({ by: '10m' })
    assertSame(await everythingButClaims(clouds[2]!), await everythingButClaims(clouds[0]!))
  })

  test('has limits, rights and streams of its own', async () => {
    const world = await open({ lab: frozen(), alone: true, rateLimit: 20 })
    const client = await manager(world)
    const { api, baseUrl } = world
    const { base_url } = await labAt(client, baseUrl).fork()
    const there = makeClient(base_url, api.token)
    const session = world.signIn('viewer')
    const headers = { ...session.headers, origin: new URL(base_url).origin }
    const here = await listen(world, session)
    const other = await listen({ ...world, baseUrl: base_url }, { ...session, headers })
    for (const listener of [here, other]) await listener.until(({ name }) => name === 'ready')
    await done(there.post('/firewalls', { name: 'there' }))
    await done(api.post('/networks', { name: 'here', ip_range: '10.0.0.0/8' }))
    const isAbout = (family: string) => (event: object) => JSON.stringify(event).includes(family)
    await Promise.all([here.until(isAbout('networks')), other.until(isAbout('firewalls'))])
    assert.deepEqual([here.told.some(isAbout('firewalls')), other.told.some(isAbout('networks'))], [false, false])
    for (const listener of [here, other]) listener.leave()
    const tokens = `${new URL(base_url).origin}${wolkeBase}/projects/${await firstProject(world)}/tokens`
    for (const { id } of (await done(client.get(tokens))).tokens) await client.delete(`${tokens}/${id}`)
    // A token that was used before is known for a while.
    assert.equal((await makeClient(base_url, world.readOnly.token).get('/firewalls')).status, 401)
    assert.equal((await world.readOnly.get('/firewalls')).status, 200)
    const spending = makeClient(base_url, world.foreign.token)
    while ((await spending.get('/firewalls')).status !== 429);
    assert.equal((await world.foreign.get('/firewalls')).status, 200)
  })

  test('ends after its time, and leaves the others', async () => {
    const world = await open({ lab: frozen(), alone: true })
    const client = await manager(world)
    const lab = labAt(client, world.baseUrl)
    const [short, long] = [await lab.fork({ ttl: '1ms' }), await lab.fork()]
    const forks = `${new URL(world.baseUrl).origin}${wolkeBase}/forks`
    while ((await client.get(`${forks}/${short.id}`)).status !== 404) await new Promise(setImmediate)
    assert.equal((await client.get(`${forks}/${long.id}`)).status, 200)
    assert.equal((await makeClient(long.base_url, world.api.token).get('/servers')).status, 200)
  })

  test('shares the image of its cloud with others as long as nothing changes', async () => {
    const world = await open({ lab: frozen(), alone: true })
    const image = world.db.image!
    const first = await image()
    assert.equal(await image(), first)
    await newServer(world.api, 'changes')
    await world.settle()
    assert.notDeepEqual(await image(), first)
  })

  test('leaves nothing open when it cannot listen', async (t) => {
    const world = await open({ lab: frozen(), alone: true })
    const client = await manager(world)
    const lab = labAt(client, world.baseUrl)
    const opened = t.mock.method(DatabaseSync.prototype, 'deserialize')
    const closed = t.mock.method(DatabaseSync.prototype, 'close')
    const refuse = function (this: Server) {
      process.nextTick(() => this.emit('error', new Error('too many open files')))
      return this
    }
    t.mock.method(Server.prototype, 'listen', refuse, { times: 1 })
    const forks = `${new URL(world.baseUrl).origin}${wolkeBase}/forks`
    assert.equal((await client.post(forks, {})).status, 500)
    const ofFork = opened.mock.calls.map((call) => call.this)
    assert.equal(ofFork.length, 1)
    assert.ok(closed.mock.calls.some((call) => call.this === ofFork[0]))
    assert.deepEqual((await done(client.get(forks))).forks, [])
    assert.equal((await makeClient((await lab.fork()).base_url, world.api.token).get('/servers')).status, 200)
  })

  test('lets actions end when they would have ended in its cloud, and so does a restored snapshot', async () => {
    const durations = { of: () => 60_000, longestMs: 60_000 }
    const world = await open({ lab: frozen(), alone: true, engine: { durations } })
    const client = await manager(world)
    const lab = labAt(client, world.baseUrl)
    const next = async (base: string) => (await done(client.get(`${base}/clock/events?limit=1`))).events[0].time
    const base = `${new URL(world.baseUrl).origin}${wolkeBase}`
    await newServer(world.api, 'late')
    await world.app.engine.drain()
    const expected = await next(base)
    await lab.advance({ by: '20s' })
    const { wolke_url } = await lab.fork()
    assert.equal(await next(wolke_url), expected)
    assert.equal((await client.put(`${base}/snapshots/late`)).status, 200)
    await lab.advance({ by: '20s' })
    await done(client.post(`${base}/snapshots/late/restore`))
    assert.equal(await next(base), expected)
  })

  test('that cannot end after its time is told of', async () => {
    const told = Promise.withResolvers<object>()
    const failure = new Error('does not close')
    const fork = { url: '', close: () => Promise.reject(failure) } as unknown as OpenedFork
    const forks = new Forks({ open: async () => fork, log: { error: told.resolve } })
    const { id } = await forks.make({ ttlMs: 1, hasDns: false })
    assert.deepEqual(await told.promise, { err: failure, fork: id })
    assert.deepEqual(forks.list(), [])
  })

  test('ends under load without a word to its cloud', async () => {
    const world = await open({ lab: frozen(), alone: true })
    const lab = labAt(await manager(world), world.baseUrl)
    const { id, base_url } = await lab.fork()
    const there = makeClient(base_url, world.api.token)
    let [made, isOver] = [0, false]
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; !isOver; n++) {
        const answer = await there.post('/firewalls', { name: `w${writer}-${n}` }).catch(() => undefined)
        if (!answer) return
        made++
      }
    })
    while (made < 40) await new Promise(setImmediate)
    assert.equal((await lab.endFork(id)).status, 204)
    // Whoever is cut off notices, and nobody waits for ever.
    await Promise.all(writers)
    isOver = true
    assert.equal((await lab.endFork(id)).status, 404)
    await newServer(world.api, 'goes-on')
    await world.settle()
  })
})
