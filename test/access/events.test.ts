/** The stream of events of a Project, as the console listens to it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstProject } from '../kit/audit-log.ts'
import { watchDatabase } from '../kit/database/watched-database.ts'
import { forDatabasesInTurn, type World } from '../kit/harness.ts'
import { done, unique } from '../kit/proof.ts'
import { assertRefused } from '../kit/refusals.ts'
import { type Listener, listen } from '../stubs/event-stream.ts'

const firewall = async ({ api }: World) =>
  (await done(api.post('/firewalls', { name: unique('firewall') }))).firewall.id as number

const server = async ({ api }: World) => {
  const body = { name: unique('server'), server_type: 'cx23', image: 'debian-12' }
  return (await done(api.post('/servers', body))) as { server: { id: number }; action: { id: number } }
}

const about =
  (family: string, id: number) =>
  ({ data }: { data: { family?: string; ids?: number[] } }) =>
    data.family === family && data.ids?.includes(id) === true

const ofAction = (id: number, status: string) => (event: { data: { action?: { id: number; status: string } } }) =>
  event.data.action?.id === id && event.data.action.status === status

forDatabasesInTurn('the stream of events', (open, inProcesses) => {
  test('tells of changes of resources and of actions from begin to end', async () => {
    const world = await open({ runActions: false })
    const listener = await listen(world, world.signIn('viewer'))
    assert.equal(listener.status, 200)
    assert.equal(listener.headers['content-type'], 'text/event-stream; charset=utf-8')
    assert.equal(listener.headers['cache-control'], 'no-cache, no-transform')
    assert.equal(listener.headers['x-accel-buffering'], 'no')
    await listener.until(({ name }) => name === 'ready')
    const id = await firewall(world)
    assert.deepEqual((await listener.until(about('firewalls', id))).data, { family: 'firewalls', ids: [id] })
    const made = await server(world)
    const begun = await listener.until(ofAction(made.action.id, 'running'))
    const { family, ids, action } = begun.data
    assert.deepEqual([family, ids], ['servers', [made.server.id]])
    assert.deepEqual([action.command, action.progress], ['create_server', 0])
    await world.settle()
    const ended = await listener.until(ofAction(made.action.id, 'success'))
    assert.equal(ended.data.action.progress, 100)
    listener.leave()
  })

  test('tells nothing of other Projects, of reads and of what was refused', async () => {
    const world = await open({ alone: true, runActions: false })
    const listener = await listen(world, world.signIn('viewer'))
    await listener.until(({ name }) => name === 'ready')
    await done(world.foreign.post('/firewalls', { name: 'theirs' }))
    assertRefused(await world.readOnly.post('/firewalls', { name: 'refused' }), 'token_readonly')
    await done(world.api.get('/firewalls'))
    await world.app.auditLog.flush()
    const id = await firewall(world)
    await listener.until(about('firewalls', id))
    for (const { data } of listener.told.slice(1)) assert.deepEqual([data.family, data.ids], ['firewalls', [id]])
    listener.leave()
  })

  test('goes on where a client was, also at another time of the server', async () => {
    const world = await open({ alone: true, runActions: false })
    const session = world.signIn('viewer')
    const before = await listen(world, session)
    const { id: start } = await before.until(({ name }) => name === 'ready')
    const running = await server(world)
    await before.until(ofAction(running.action.id, 'running'))
    const last = before.told.at(-1)!.id
    before.leave()
    await before.ended
    const missed = await firewall(world)
    await world.settle()
    const again = await listen(world, session, last)
    await again.until(about('firewalls', missed))
    await again.until(ofAction(running.action.id, 'success'))
    again.leave()
    const fromStart = await listen(world, session, start)
    await fromStart.until(about('servers', running.server.id))
    await fromStart.until(about('firewalls', missed))
    assert.ok(fromStart.told.every(({ name }) => name === 'message'))
    fromStart.leave()
  })

  test('tells a client what happened after it read what it knows', async () => {
    const world = await open({ alone: true, runActions: false })
    const session = world.signIn('viewer')
    const earlier = await firewall(world)
    world.clock.advance(120_000)
    const later = await firewall(world)
    const listener = await listen(world, session, undefined, '60000')
    await listener.until(about('firewalls', later))
    assert.ok(!listener.told.some(about('firewalls', earlier)))
    listener.leave()
    const longAway = await listen(world, session, undefined, '3700000')
    await longAway.until(({ name }) => name === 'resync')
    longAway.leave()
    for (const away of ['soon', '-1', '1e3']) assert.equal((await listen(world, session, undefined, away)).status, 422)
  })

  test('tells a client that missed too much, or comes from elsewhere, to read everything anew', async () => {
    const world = await open({ alone: true, runActions: false })
    const session = world.signIn('viewer')
    const first = await listen(world, session)
    const { id } = await first.until(({ name }) => name === 'ready')
    first.leave()
    for (let batch = 0; batch < 21; batch++) {
      await Promise.all(Array.from({ length: 50 }, () => firewall(world)))
    }
    const [entry = 0, action = 0, second = 0] = id.split('-').map(Number)
    const unfit = ['nonsense', `${entry + 10_000}-${action}-${second}`, `${entry}-${action}-${second - 3_601}`]
    for (const last of [id, ...unfit]) {
      const listener = await listen(world, session, last)
      await listener.until(({ name }) => name === 'resync')
      assert.equal(listener.told.length, 1)
      listener.leave()
      await listener.ended
    }
  })

  test('ends with its session, and lets a session have six of them', async () => {
    const world = await open({ runActions: false, askAgainMs: 20 })
    const session = world.signIn('viewer')
    const listeners: Listener[] = []
    for (let i = 0; i < 6; i++) listeners.push(await listen(world, session))
    assert.deepEqual(
      listeners.map(({ status }) => status),
      [200, 200, 200, 200, 200, 200],
    )
    assert.equal((await listen(world, session)).status, 429)
    const other = await listen(world, world.signIn('viewer'))
    assert.equal(other.status, 200)
    session.end()
    await Promise.all(listeners.map(({ ended }) => ended))
    const id = await firewall(world)
    await other.until(about('firewalls', id))
    other.leave()
  })

  test('frees the place of a stream that ended', async () => {
    const world = await open({ alone: true, runActions: false })
    const session = world.signIn('viewer')
    for (let i = 0; i < 12; i++) {
      const listener = await listen(world, session)
      assert.equal(listener.status, 200)
      await listener.until(({ name }) => name === 'ready')
      listener.leave()
      await listener.ended
    }
  })

  test('lets nobody listen without a session in the Project', async () => {
    const world = await open({ runActions: false })
    const { origin } = new URL(world.baseUrl)
    const path = `${origin}/console/api/projects/${await firstProject(world)}/events`
    assert.equal((await world.api.get(path)).status, 401)
    assert.equal((await world.anonymous.get(path)).status, 401)
    assert.equal((await world.api.get(`${origin}/events`)).status, 404)
    assert.equal((await world.as('viewer').get(`${origin}/console/api/projects/123/events`)).status, 404)
  })

  test('says as it begins and now and then that it lives', async () => {
    const world = await open({ runActions: false, streams: { beatMs: 20 } })
    const listener = await listen(world, world.signIn('viewer'))
    const id = await firewall(world)
    await listener.until(about('firewalls', id))
    // Browsers show no comments, so that it says so by events, and how soon the next one comes.
    while (listener.comments.filter((text) => text === 'event: beat\ndata: 20').length < 3) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    listener.leave()
  })

  test('ends when the server stops', async () => {
    const world = await open({ alone: true, runActions: false })
    const listener = await listen(world, world.signIn('viewer'))
    await listener.until(({ name }) => name === 'ready')
    await world.stop()
    await listener.ended
  })

  test('begins again after its database was away, however far it had come', async () => {
    let away: RegExp | undefined
    const wrapDatabase = (db: World['db']) =>
      watchDatabase(db, () => ({}), {
        before: ({ sql }) => {
          if (away?.test(sql)) throw new Error('the database is away')
        },
      })
    const world = await open({ runActions: false, wrapDatabase })
    const session = world.signIn('viewer')
    for (const statement of [/from audit\b/, /from "action"/]) {
      away = statement
      const broken = await Promise.all([listen(world, session), listen(world, session)])
      for (const { ended, told } of broken) {
        await ended
        assert.deepEqual(told, [])
      }
    }
    away = undefined
    const listener = await listen(world, session)
    await listener.until(({ name }) => name === 'ready')
    const id = await firewall(world)
    await listener.until(about('firewalls', id))
    listener.leave()
  })

  inProcesses(() => {
    test('goes on after the server was started anew', async () => {
      const world = await open({ runActions: false })
      const listener = await listen(world, world.signIn('viewer'))
      const { id } = await listener.until(({ name }) => name === 'ready')
      const made = await firewall(world)
      await world.stop()
      const next = await open({ database: world.database, simulation: world.simulation, runActions: false })
      const again = await listen(next, next.signIn('viewer'), id)
      await again.until(about('firewalls', made))
      again.leave()
    })

    test('tells what another process has changed', async () => {
      const world = await open({ runActions: false })
      const other = await open({ database: world.database, simulation: world.simulation, runActions: false })
      const listener = await listen(other, other.signIn('viewer'))
      await listener.until(({ name }) => name === 'ready')
      const id = await firewall(world)
      await listener.until(about('firewalls', id))
      const made = await server(world)
      await listener.until(ofAction(made.action.id, 'running'))
      await world.settle()
      await listener.until(ofAction(made.action.id, 'success'))
      const twice = listener.told
        .filter(ofAction(made.action.id, 'success'))
        .filter(({ data }) => data.family === 'servers')
      assert.equal(twice.length, 1, JSON.stringify(twice))
      listener.leave()
    })
  })
})
