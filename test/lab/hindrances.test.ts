/** A cloud takes the place of another one whatever goes on: requests that do not end, time that moves, odd paths. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { newServer } from '../../src/families/servers/proof.ts'
import { wolkeBase } from '../../src/kernel/contract/bases.ts'
import { changeOwner, queueMail } from '../../src/kernel/mail/outbox.ts'
import type { ProjectId } from '../../src/kernel/scope.ts'
import { LabClock } from '../../src/lab/clock.ts'
import { manager } from '../../src/management/proof.ts'
import { firstProject } from '../kit/audit-log.ts'
import { engines, forEachDatabase, type World, type WorldOptions } from '../kit/harness.ts'
import { done } from '../kit/proof.ts'
import { expect } from '../kit/resources.ts'

async function labOf(world: World) {
  const client = await manager(world)
  // A reset leads to what there is now.
  await world.app.start()
  const base = `${new URL(world.baseUrl).origin}${wolkeBase}`
  return {
    get: (path: string) => client.get(base + path),
    post: (path: string, body?: object) => client.post(base + path, body),
    put: (path: string) => client.put(base + path),
  }
}

const start = (): WorldOptions => ({
  lab: new LabClock(Date.parse('2026-11-28T12:00:00Z'), 'frozen'),
  alone: true,
  runActions: false,
})

/** A primary name server that takes questions and never answers. */
async function silentPrimary() {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket.on('error', () => undefined).resume()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    get asked() {
      return sockets.size
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

forEachDatabase(
  'Time that is moved',
  (open) => {
    test('is kept by no primary of a zone that does not answer', async () => {
      const world = await open({ ...start(), settings: { zones: { privatePrimaries: ['127.0.0.0/8'] } } })
      const lab = await labOf(world)
      const primary = await silentPrimary()
      try {
        await world.app.serveDns({ host: '127.0.0.1', port: 0 })
        const primary_nameservers = [{ address: '127.0.0.1', port: primary.port }]
        for (const name of ['one.example', 'two.example'])
          expect(await world.api.post('/zones', { name, mode: 'secondary', primary_nameservers }), 201)
        while (primary.asked === 0) await new Promise(setImmediate)
        const beganAt = performance.now()
        await done(lab.post('/clock/advance', { by: '2h' }))
        await done(lab.post('/clock/advance', { by: '2h' }))
        const tookMs = performance.now() - beganAt
        assert.ok(tookMs < 20_000, `${tookMs} ms`)
        const { events } = await done(lab.get('/clock/events?limit=2'))
        assert.deepEqual(
          events.map(({ time, event }: Record<string, string>) => [time, event]),
          ['one', 'two'].map(() => ['2026-11-28T16:05:00Z', 'zone_check']),
        )
        // Each move has asked once more.
        assert.ok(primary.asked >= 3 && primary.asked <= 8, String(primary.asked))
      } finally {
        primary.close()
      }
    })

    test('ends for a cloud that takes its place, also where a mail server keeps it', async () => {
      const [asked, unanswered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const send = (_: unknown, signal: AbortSignal) => {
        asked.resolve()
        signal.addEventListener('abort', () => unanswered.reject(signal.reason))
        return unanswered.promise
      }
      const world = await open({ ...start(), mail: { send } })
      const lab = await labOf(world)
      await done(lab.put('/snapshots/empty'))
      const scope = { projectId: (await firstProject(world)) as ProjectId }
      await world.db.transact(async (tx) => {
        await changeOwner(tx, scope, 'owner@example.com')
        await queueMail(tx, { scope, event: 'any' }, { subject: 'a', paragraphs: [], facts: {} })
      })
      const moving = lab.post('/clock/advance', { by: '1h' })
      await asked.promise
      assert.equal((await lab.post('/snapshots/empty/restore')).status, 204)
      assert.equal((await moving).status, 503)
    })
  },
  engines.filter((name) => name === 'sqlite'),
)

forEachDatabase(
  'A reset',
  (open) => {
    test('is found by its path however that is written', async () => {
      const lab = await labOf(await open(start()))
      await done(lab.put('/snapshots/one'))
      for (const path of ['/snapshots/one/%72estore', '/%73napshots/%6Fne/restore', '/%72eset'])
        assert.equal((await lab.post(path)).status, 204, path)
    })

    test('waits for no request that does not end', async () => {
      const world = await open(start())
      const lab = await labOf(world)
      const socket = connect(Number(new URL(world.baseUrl).port), '127.0.0.1')
      const ended = once(socket.resume(), 'close')
      const head = `POST /v1/firewalls HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${world.api.token}\r\n`
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name`)
      // The server has met the request once it answers one that came later.
      assert.equal((await world.api.get('/firewalls')).status, 200)
      assert.equal((await lab.post('/reset')).status, 204)
      await ended
      assert.equal((await world.api.get('/firewalls')).status, 200)
    })

    test('ends time that somebody moves, who is told', async () => {
      const world = await open(start())
      const lab = await labOf(world)
      await done(lab.put('/snapshots/empty'))
      const id = await newServer(world.api, 'kept')
      await world.app.engine.idle()
      await done(world.api.post(`/servers/${id}/actions/enable_backup`))
      await world.app.engine.idle()
      const moving = lab.post('/clock/advance', { to: '2900-01-01T00:00:00Z' })
      await world.app.engine.idle()
      assert.equal((await lab.post('/snapshots/empty/restore')).status, 204)
      const { status, body } = await moving
      assert.deepEqual([status, body.error.code], [503, 'unavailable'])
      assert.deepEqual((await done(world.api.get('/servers'))).servers, [])
    })

    test('leads to a cloud that has a name server, in any year', async () => {
      const world = await open(start())
      const lab = await labOf(world)
      await world.app.serveDns({ host: '127.0.0.1', port: 0 })
      await done(lab.post('/clock/advance', { to: '2107-01-01T00:00:00Z' }))
      await done(lab.put('/snapshots/late'))
      assert.equal((await lab.post('/snapshots/late/restore')).status, 204)
      const { fork } = await done(lab.post('/forks', { dns: true }))
      assert.match(fork.dns, /^127\.0\.0\.1:\d+$/)
    })
  },
  engines.filter((name) => name === 'sqlite'),
)

test('The clock of a lab stops at the end of the year 9999', async () => {
  const clock = new LabClock(Date.parse('9999-12-31T23:59:59.999Z'))
  const before = clock.now()
  await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal(clock.now(), before)
})
