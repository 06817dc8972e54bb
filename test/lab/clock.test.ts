/** The clock of a lab: everything that has a date happens when the clock gets there, in order and once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newServer } from '../../src/families/servers/proof.ts'
import { pauseEnds } from '../../src/kernel/actions/claims.ts'
import { wolkeBase } from '../../src/kernel/contract/bases.ts'
import type { EventSource } from '../../src/kernel/process/clock.ts'
import { type ClockMode, LabClock } from '../../src/lab/clock.ts'
import { Upcoming } from '../../src/lab/upcoming.ts'
import { manager } from '../../src/management/proof.ts'
import { type Client, forEachDatabase, type World } from '../kit/harness.ts'
import { done } from '../kit/proof.ts'
import { numbers } from './kit.ts'

const start = Date.parse('2026-11-28T12:00:00Z')
const labClock = (mode: ClockMode) => new LabClock(start, mode)

/** Requests about the lab of a world. */
async function labOf(world: World) {
  const { client, baseUrl } = { client: await manager(world), baseUrl: `${new URL(world.baseUrl).origin}${wolkeBase}` }
  return {
    clock: () => client.get(`${baseUrl}/clock`),
    put: (body: object) => client.put(`${baseUrl}/clock`, body),
    advance: (body: object) => client.post(`${baseUrl}/clock/advance`, body),
    events: (limit = 25) => client.get(`${baseUrl}/clock/events?limit=${limit}`),
  }
}

forEachDatabase('The clock of a lab', (open, engineName) => {
  test('tells the time, its mode and what happens next', async () => {
    const world = await open({ lab: labClock('frozen'), alone: true })
    const lab = await labOf(world)
    const { clock } = await done(lab.clock())
    assert.equal(clock.now, '2026-11-28T12:00:00Z')
    assert.equal(clock.mode, 'frozen')
    const { events } = await done(lab.events(1_000))
    const times = events.map(({ time }: { time: string }) => time)
    assert.deepEqual(times, times.toSorted())
    assert.ok(events.some(({ event }: { event: string }) => event === 'api_change:link_header_removed'))
    assert.deepEqual(clock.next_event, events[0])
  })

  if (engineName === 'postgres') {
    test('cannot be moved, and says so', async () => {
      const world = await open({ lab: labClock('frozen'), alone: true })
      const lab = await labOf(world)
      for (const answer of [await lab.put({ mode: 'running' }), await lab.advance({ by: '1h' })]) {
        assert.equal(answer.status, 422)
        assert.equal(answer.body.error.code, 'unsupported_error')
        assert.match(answer.body.error.message, /PostgreSQL/)
      }
    })
    return
  }

  test('makes backups in their windows, however far it is moved at once', async () => {
    const found = []
    for (const hops of [['72h'], Array(72).fill('1h'), ['7h', '1m', '40h59m', '1d']]) {
      const world = await open({ lab: labClock('frozen'), alone: true })
      const lab = await labOf(world)
      const id = await newServer(world.api, 'kept')
      await world.settle()
      await done(world.api.post(`/servers/${id}/actions/enable_backup`))
      await world.settle()
      for (const by of hops) await done(lab.advance({ by }))
      const { images } = await done(world.api.get('/images?type=backup'))
      found.push(images.map(({ created, status }: Record<string, string>) => [created, status]))
      assert.equal((await done(lab.clock())).clock.now, '2026-12-01T12:00:00Z')
    }
    assert.equal(found[0]!.length, 3)
    for (const [created, status] of found[0]!) {
      assert.match(created!, /T(22|02|06|10|14|18):00:00Z$/)
      assert.equal(status, 'available')
    }
    assert.deepEqual(found[1], found[0])
    assert.deepEqual(found[2], found[0])
  })

  test('knows what comes next as well as the sources of events, whatever changes in between', async () => {
    const clock = labClock('frozen')
    let takesMs = 0
    const durations = { of: () => takesMs, longestMs: 60_000 }
    const world = await open({ lab: clock, alone: true, engine: { durations } })
    const lab = await labOf(world)
    const servers = [await newServer(world.api, 'one'), await newServer(world.api, 'two')]
    await world.settle()
    takesMs = 40_000
    const { db, app } = world
    const sources: EventSource[] = [
      ...app.jobs.timed.map(({ due }) => due),
      (...asked) => pauseEnds(db.query, ...asked),
    ]
    const known = sources.map((source) => ({ source, upcoming: new Upcoming(source, db.watch), found: 0 }))
    const next = numbers(3)
    const commands = ['enable_backup', 'disable_backup', 'enable_rescue', 'reboot', 'poweron']
    for (let round = 0; round < 60; round++) {
      const command = commands[next(commands.length)]!
      await world.api.request('POST', `/servers/${servers[next(2)]}/actions/${command}`, { body: {} })
      await app.engine.drain()
      if (next(2) === 0) await done(lab.advance({ by: next(4) === 0 ? '9h' : '45s' }))
      const now = clock.now()
      const untilMs = now + next(40) * 3_600_000
      for (const one of known) {
        const all = await one.source(now, 500)
        const soon = all.filter(({ atMs }) => atMs <= untilMs)
        assert.deepEqual(await one.upcoming.first(now), all[0])
        assert.deepEqual(await one.upcoming.within(now, untilMs), soon)
        one.found += soon.length
      }
    }
    assert.ok(known.filter(({ found }) => found > 0).length >= 3, known.map(({ found }) => found).join())
  })

  test('lets the API change when its day comes', async () => {
    const world = await open({ lab: labClock('frozen'), alone: true })
    const lab = await labOf(world)
    const hasLink = async () => (await world.api.get('/servers')).headers.has('link')
    assert.equal(await hasLink(), true)
    await done(lab.advance({ to: '2027-03-31T23:59:59Z' }))
    assert.equal(await hasLink(), true)
    await done(lab.advance({ by: '1s' }))
    assert.equal(await hasLink(), false)
  })

  test('skips the time that an action takes when somebody asks for the action', async () => {
    const durations = { of: () => 90_000, longestMs: 600_000 }
    const world = await open({ lab: labClock('skip'), alone: true, engine: { durations } })
    const { action, next_actions, server } = await done(newServerAnswer(world.api))
    assert.equal(action.status, 'running')
    const { action: created } = await done(world.api.get(`/actions/${action.id}`))
    assert.deepEqual(
      [created.status, created.started, created.finished],
      ['success', '2026-11-28T12:00:00Z', '2026-11-28T12:01:30Z'],
    )
    const { action: started } = await done(world.api.get(`/actions/${next_actions[0].id}`))
    assert.deepEqual([started.status, started.finished], ['success', '2026-11-28T12:03:00Z'])
    assert.equal((await done(world.api.get(`/servers/${server.id}`))).server.status, 'running')
  })

  test('fills the rate limit as time passes', async () => {
    const world = await open({ lab: labClock('frozen'), alone: true, rateLimit: 3_600 })
    const lab = await labOf(world)
    const left = async () => Number((await world.api.get('/locations')).headers.get('ratelimit-remaining'))
    const before = await left()
    assert.equal(await left(), before - 1)
    await done(lab.advance({ by: '1h' }))
    assert.equal(await left(), 3_599)
  })

  test('refuses what is no time, by field, and going back', async () => {
    const world = await open({ lab: labClock('frozen'), alone: true })
    const lab = await labOf(world)
    const bad = [{}, { by: '1h', to: '2027-01-01T00:00:00Z' }, { by: 'soon' }, { by: '' }, { by: '-1h' }]
    for (const body of bad) assert.deepEqual(fieldsOf(await lab.advance(body)), ['by'], JSON.stringify(body))
    for (const to of ['2026-11-28T11:59:59Z', '2027-02-30T00:00:00Z', 'tomorrow'])
      assert.deepEqual(fieldsOf(await lab.advance({ to })), ['to'], to)
    assert.deepEqual(fieldsOf(await lab.put({ mode: 'fast' })), ['mode'])
    assert.equal((await done(lab.clock())).clock.now, '2026-11-28T12:00:00Z')
  })
})

const newServerAnswer = (api: Client) => api.post('/servers', { name: 'one', server_type: 'cx23', image: 'debian-12' })

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
const fieldsOf = ({ body }: { body: any }) => body.error.details.fields.map(({ name }: { name: string }) => name)

forEachDatabase('A server without a lab', (open) => {
  test('says how to get one', async () => {
    const lab = await labOf(await open())
    for (const answer of [await lab.clock(), await lab.events(), await lab.advance({ by: '1h' })]) {
      assert.equal(answer.status, 422)
      assert.match(answer.body.error.message, /--lab/)
    }
  })
})
