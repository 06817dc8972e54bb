/** Request limits (spec: Limits): exact in one process, never exceeded by several, told in headers on every answer. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import type { Database } from '../../src/kernel/data/db.ts'
import type { DatabaseUrl } from '../../src/kernel/data/dialect.ts'
import { migrate } from '../../src/kernel/data/migrate.ts'
import { openDatabase } from '../../src/kernel/data/open.ts'
import {
  type Limiter,
  localLimiter,
  sharedLimiter,
  unlimited,
  type Verdict,
} from '../../src/kernel/http/admission/rate-limit.ts'
import { clientNetwork } from '../../src/kernel/process/network.ts'
import type { ProjectId } from '../../src/kernel/scope.ts'
import { migrations } from '../../src/migrations/index.ts'
import { addMember } from '../../src/people/memberships/membership-store.ts'
import { firstProject } from '../kit/audit-log.ts'
import { type Answer, forEachDatabase, forProjects, type Open, testClock, type World } from '../kit/harness.ts'
import { own, setUp, signIn, TestBrowser } from '../people/kit/browser.ts'

const hourMs = 3_600_000

function watch(start = 1_000) {
  let now = start
  return {
    now: () => now,
    advance: (ms: number) => {
      now += ms
    },
  }
}

/** Takes until it is refused; how many were admitted. */
async function drain(limiter: Limiter, key = 'k', max = 1_000_000): Promise<number> {
  for (let admitted = 0; admitted < max; admitted++) if (!(await limiter.take(key)).admitted) return admitted
  return max
}

describe('A bucket of one process', () => {
  for (const limit of [1, 2, 7, 100, 3_600, 9_999]) {
    test(`admits a burst of ${limit} and then one in each interval`, async () => {
      const { now, advance } = watch()
      const limiter = localLimiter(limit, now)
      assert.equal(await drain(limiter), limit)
      const intervalMs = hourMs / limit
      advance(intervalMs * 0.999)
      assert.equal(await drain(limiter), 0)
      advance(intervalMs * 0.001)
      assert.equal(await drain(limiter), 1)
      advance(hourMs / 2)
      assert.equal(await drain(limiter), Math.floor(limit / 2))
      advance(hourMs * 10)
      assert.equal(await drain(limiter), limit, 'no more than a full bucket is saved up')
    })
  }

  test('tells what remains and when all of it is there again', () => {
    const { now, advance } = watch()
    const limiter = localLimiter(3_600, now)
    const take = () => limiter.take('k') as Verdict
    assert.deepEqual(limiter.peek('k'), { admitted: true, limit: 3_600, remaining: 3_600, resetMs: 0 })
    assert.deepEqual(take(), { admitted: true, limit: 3_600, remaining: 3_599, resetMs: 1_000 })
    assert.deepEqual(take(), { admitted: true, limit: 3_600, remaining: 3_598, resetMs: 2_000 })
    advance(500)
    assert.deepEqual(limiter.peek('k'), { admitted: true, limit: 3_600, remaining: 3_598, resetMs: 1_500 })
    advance(1_500)
    assert.deepEqual(limiter.peek('k'), { admitted: true, limit: 3_600, remaining: 3_600, resetMs: 0 })
    for (let i = 0; i < 3_600; i++) take()
    assert.deepEqual(take(), { admitted: false, limit: 3_600, remaining: 0, resetMs: hourMs })
    assert.equal(limiter.peek('other').remaining, 3_600)
  })

  test('admits exactly what a bucket that is filled drop by drop would', () => {
    const steps = fc.array(
      fc.record({ waitMs: fc.integer({ min: 0, max: 3_000_000 }), takes: fc.integer({ min: 1, max: 20 }) }),
      {
        maxLength: 40,
      },
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), steps, (limit, plan) => {
        const { now, advance } = watch()
        const limiter = localLimiter(limit, now)
        // In units of which a request costs an hour and `limit` flow in each millisecond, all is whole.
        let level = limit * hourMs
        for (const { waitMs, takes } of plan) {
          advance(waitMs)
          level = Math.min(limit * hourMs, level + waitMs * limit)
          for (let i = 0; i < takes; i++) {
            const expected = level >= hourMs
            assert.equal((limiter.take('k') as Verdict).admitted, expected)
            if (expected) level -= hourMs
          }
        }
      }),
    )
  })

  test('remembers 50,000 buckets and forgets who has been silent longest', async () => {
    const { now } = watch()
    const limiter = localLimiter(1, now)
    for (let i = 0; i < 50_000; i++) limiter.take(`k${i}`)
    assert.equal(await drain(limiter, 'k0'), 0, 'a refusal counts as a sign of life')
    limiter.take('one more')
    assert.equal(await drain(limiter, 'k0'), 0)
    assert.equal(await drain(limiter, 'k1'), 1, 'forgotten')
    assert.equal(await drain(limiter, 'k3'), 0)
  })

  test('without a limit admits all and says so in numbers that every client can hold', async () => {
    assert.deepEqual(await unlimited.take('k'), {
      admitted: true,
      limit: 2 ** 31 - 1,
      remaining: 2 ** 31 - 1,
      resetMs: 0,
    })
  })
})

describe('The network of a caller', () => {
  const cases: [address: string | undefined, network: string][] = [
    ['192.0.2.7', 'network:192.0.2.7'],
    ['::ffff:192.0.2.7', 'network:192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', 'network:2001:db8:1:2::/64'],
    ['2001:db8:1:2::', 'network:2001:db8:1:2::/64'],
    ['2001:db8:1:3::', 'network:2001:db8:1:3::/64'],
    ['::1', 'network:::/64'],
    ['fe80::1%eth0', 'network:fe80::/64'],
    ['nonsense', 'network:unknown'],
    [undefined, 'network:unknown'],
  ]
  for (const [address, network] of cases) {
    test(`${address} is ${network}`, () => assert.equal(clientNetwork(address), network))
  }
})

// ---- Several processes ---------------------------------------------------------------------------------------------

/** Opens the database as so many processes would. */
async function processes(t: TestContext, open: Open, engineName: string, count: number): Promise<Database[]> {
  const clock = testClock()
  const url: DatabaseUrl = engineName === 'sqlite' ? await file(t) : (await open()).database
  const made = []
  for (let i = 0; i < count; i++) {
    const db = await openDatabase(url, { clock, postgres: { connections: 4 } })
    t.after(() => db.close())
    made.push(db)
  }
  await migrate(made[0]!, migrations)
  return made
}

async function file(t: TestContext): Promise<DatabaseUrl> {
  const directory = await mkdtemp(join(tmpdir(), 'wolke-limit-'))
  t.after(() => rm(directory, { recursive: true }))
  return { engine: 'sqlite', path: join(directory, 'wolke.db') }
}

/** The time of a database in milliseconds. */
async function timeOf({ dialect, query }: Database): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${dialect.nowMs} as now`.execute(query)
  return rows[0]!.now
}

/** A database of which one knows how often a limiter has asked it. */
function countingPurchases(db: Database) {
  let count = 0
  const transact: Database['transact'] = (work) => {
    count++
    return db.transact(work)
  }
  return { purchases: () => count, counted: { dialect: db.dialect, transact } as Database }
}

forEachDatabase('A bucket shared by processes', (open, engineName) => {
  for (const limit of [1, 7, 50, 500]) {
    test(`of ${limit} is admitted wholly and never exceeded, whoever asks at once`, async (t) => {
      const databases = await processes(t, open, engineName, 3)
      const limiters = databases.map((db) => sharedLimiter(db, limit, watch().now))
      // It refills meanwhile, by the clock of the database.
      const startedAt = await timeOf(databases[0]!)
      const greedy = (limiter: Limiter) => Promise.all(Array.from({ length: 8 }, () => drain(limiter)))
      const admitted = (await Promise.all(limiters.map(greedy))).flat().reduce((a, b) => a + b, 0)
      const refilled = Math.floor((((await timeOf(databases[0]!)) - startedAt) * limit) / hourMs + 0.01)
      assert.ok(admitted >= limit && admitted <= limit + refilled, `${admitted} of ${limit}`)
    })
  }

  test('admits more callers at once than one purchase holds', async (t) => {
    const [db] = await processes(t, open, engineName, 1)
    const limiter = sharedLimiter(db!, 3_600)
    const verdicts = await Promise.all(Array.from({ length: 300 }, () => limiter.take('k')))
    assert.equal(verdicts.filter(({ admitted }) => admitted).length, 300)
    assert.ok(verdicts.every(({ limit, remaining }) => limit === 3_600 && remaining >= 3_300 && remaining <= 3_600))
  })

  test('asks the database for few of its requests', async (t) => {
    const [db] = await processes(t, open, engineName, 1)
    const { purchases, counted } = countingPurchases(db!)
    const limiter = sharedLimiter(counted, 3_600)
    for (let i = 0; i < 1_000; i++) assert.ok((await limiter.take('k')).admitted)
    assert.ok(purchases() <= 20, `${purchases()} purchases`)
  })

  test('that refills fast does not make each request wait for the database', async (t) => {
    const [db] = await processes(t, open, engineName, 1)
    const { purchases, counted } = countingPurchases(db!)
    const { now, advance } = watch()
    const limiter = sharedLimiter(counted, 1_000_000_000, now)
    for (let i = 0; i < 80; i++) {
      assert.ok((await limiter.take('k')).admitted)
      advance(1)
    }
    assert.equal(purchases(), 1)
  })

  test('remembers a refusal', async (t) => {
    const [db] = await processes(t, open, engineName, 1)
    const { now, advance } = watch()
    const limiter = sharedLimiter(db!, 3, now)
    assert.equal(await drain(limiter), 3)
    await db!.transact((tx) => sql`update rate_limit set full_at = 0`.execute(tx.query))
    advance(999)
    assert.equal(await drain(limiter), 0, 'the database is not asked again')
    advance(1)
    assert.equal(await drain(limiter), 3)
  })

  test('lets what was bought expire as the bucket refills, so that nobody spends more than a full one', async (t) => {
    const [first, second] = await processes(t, open, engineName, 2)
    const { now, advance } = watch()
    const hoarder = sharedLimiter(first!, 60, now)
    assert.ok((await hoarder.take('k')).admitted)
    advance(hourMs)
    await first!.transact((tx) => sql`update rate_limit set full_at = full_at - ${hourMs * 1_000}`.execute(tx.query))
    const spender = sharedLimiter(second!, 60, now)
    assert.equal(await drain(spender), 60)
    assert.equal(await drain(hoarder), 0)
  })

  test('refills by the clock of the database, and a jump of that clock locks nobody out for longer than an hour', async (t) => {
    const [db] = await processes(t, open, engineName, 1)
    const { now, advance } = watch()
    const limiter = sharedLimiter(db!, 60, now)
    const shift = async (ms: number) => {
      advance(2_000)
      await db!.transact((tx) => sql`update rate_limit set full_at = full_at + ${ms * 1_000}`.execute(tx.query))
    }
    assert.equal(await drain(limiter), 60)
    await shift(-120_000)
    assert.equal(await drain(limiter), 2)
    await shift(10 * hourMs)
    assert.equal(await drain(limiter), 0)
    await shift(-hourMs)
    assert.equal(await drain(limiter), 60)
  })
})

// ---- Through HTTP --------------------------------------------------------------------------------------------------

function limitsOf({ headers }: Pick<Answer, 'headers'>): [limit: number, remaining: number, reset: number] {
  const read = (name: string) => Number(headers.get(`ratelimit-${name}`))
  return [read('limit'), read('remaining'), read('reset')]
}

const inProject = (id: number) => `/console/api/projects/${id}`

/** A browser with a session that was made with a token. */
async function withToken(world: World, token: string): Promise<TestBrowser> {
  const browser = new TestBrowser(world)
  assert.equal((await browser.post('/console/login/token', { token })).status, 303)
  return browser
}

const health = ({ baseUrl }: World) => fetch(baseUrl.replace('/v1', '/health'))

forProjects('Limited requests', (open) => {
  test('a Project has its limit, told on every answer, and then hears 429', async () => {
    const { api, readOnly, foreign, clock } = await open({ rateLimit: 5 })
    const now = clock.now() / 1_000
    for (const remaining of [4, 3, 2, 1]) {
      const [limit, left, reset] = limitsOf(await api.get(remaining === 3 ? '/nothing' : '/ssh_keys'))
      assert.deepEqual([limit, left], [5, remaining])
      assert.ok(reset > now && reset <= now + (5 - remaining) * 720 + 1, `${reset - now}`)
    }
    assert.equal((await readOnly.get('/ssh_keys')).status, 200, 'all tokens of a Project share its limit')
    for (const client of [api, readOnly]) {
      const refused = await client.get('/ssh_keys')
      assert.equal(refused.status, 429)
      assert.deepEqual([refused.body.error.code, refused.body.error.details], ['rate_limit_exceeded', null])
      const [limit, left, reset] = limitsOf(refused)
      assert.deepEqual([limit, left], [5, 0])
      assert.ok(reset > now + 2_800 && reset <= now + 3_601)
    }
    assert.equal((await foreign.get('/ssh_keys')).status, 200, 'another Project has its own')
  })

  test('who has no Project is limited by network, apart from the Projects; forged headers change nothing', async () => {
    const { api, anonymous, client } = await open({ rateLimit: 3 })
    assert.equal((await anonymous.get('/ssh_keys', { 'x-forwarded-for': '192.0.2.1' })).status, 401)
    assert.equal((await anonymous.get('/ssh_keys', { forwarded: 'for=192.0.2.2' })).status, 401)
    const last = await client('x'.repeat(64)).get('/ssh_keys')
    assert.deepEqual([last.status, limitsOf(last).slice(0, 2)], [401, [3, 0]])
    const refused = await anonymous.get('/ssh_keys', { 'x-real-ip': '192.0.2.3' })
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'rate_limit_exceeded'])
    const own = await api.get('/ssh_keys')
    assert.deepEqual([own.status, limitsOf(own).slice(0, 2)], [200, [3, 2]])
  })

  test('the health page costs nothing and is answered when nothing is left', async () => {
    const world = await open({ rateLimit: 2 })
    for (let i = 0; i < 4; i++) {
      const answer = await health(world)
      assert.deepEqual([answer.status, limitsOf(answer).slice(0, 2)], [200, [2, 2]])
    }
    for (const status of [401, 401, 429]) assert.equal((await world.anonymous.get('/ssh_keys')).status, status)
    const answer = await health(world)
    assert.deepEqual([answer.status, limitsOf(answer).slice(0, 2)], [200, [2, 0]])
  })

  test('open pages cost the network of whoever asks, with a token too, and never a Project', async () => {
    const { api, baseUrl } = await open({ rateLimit: 3 })
    const headers = { authorization: `Bearer ${api.token}` }
    for (const [path, left] of [
      ['/openapi.json', 2],
      ['/changes', 1],
      ['/ca.pem', 0],
    ] as const) {
      const page = await fetch(baseUrl + path, { headers })
      assert.deepEqual([page.status, limitsOf(page).slice(0, 2)], [200, [3, left]], path)
    }
    for (const path of ['/openapi.json', '/changes']) {
      const refused = await fetch(baseUrl + path, { headers })
      const { error } = (await refused.json()) as Answer['body']
      assert.deepEqual([refused.status, error.code], [429, 'rate_limit_exceeded'])
    }
    assert.deepEqual(limitsOf(await api.get('/ssh_keys')).slice(0, 2), [3, 2])
  })

  test('a request without a valid Host costs its network, also with a token, and hears why when nothing is left', async () => {
    const { api, baseUrl, anonymous } = await open({ rateLimit: 2 })
    const headers = { host: '[::1', authorization: `Bearer ${api.token}` }
    for (const left of ['1', '0', '0']) {
      const [answer] = await once(request(`${baseUrl}/ssh_keys`, { headers }).end(), 'response')
      answer.resume()
      assert.deepEqual([answer.statusCode, answer.headers['ratelimit-remaining']], [400, left])
    }
    assert.equal((await anonymous.get('/ssh_keys')).status, 429)
    assert.deepEqual(limitsOf(await api.get('/ssh_keys')).slice(0, 2), [2, 1])
  })

  test('sessions made with a token take from the limit of its Project, however many there are', async () => {
    const world = await open({ rateLimit: 8 })
    const browsers = await Promise.all([1, 2, 3, 4, 5].map(() => withToken(world, world.api.token!)))
    for (const left of [7, 6]) assert.deepEqual(limitsOf(await world.api.get('/ssh_keys')).slice(0, 2), [8, left])
    const project = await firstProject(world)
    const paths = [`${inProject(project)}/v1/ssh_keys`, `${own}/whoami`, `${inProject(project + 1)}/v1/ssh_keys`]
    const asked = browsers.flatMap((browser) => paths.map((path) => browser.api('GET', path)))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    assert.equal(statuses.filter((status) => status !== 429).length, 6)
    for (const client of [world.api, world.readOnly]) assert.equal((await client.get('/ssh_keys')).status, 429)
    assert.equal((await world.foreign.get('/ssh_keys')).status, 200, 'another Project has its own')
  })

  test('people have a limit of their own in a Project, of which one takes half through any number of sessions', async () => {
    const world = await open({ rateLimit: 8 })
    const browser = await setUp(world)
    const project = await firstProject(world)
    const { id } = (await browser.api('GET', `${own}/account`)).body.account
    await world.db.transact((tx) => addMember(tx, { projectId: project as ProjectId }, id, 'admin'))
    world.app.people.sessions.forget()
    const sessions = [browser, new TestBrowser(world), new TestBrowser(world)]
    for (const one of sessions.slice(1)) await signIn(one)
    const paths = [`${inProject(project)}/v1/ssh_keys`, `${own}/projects/${project}/members`]
    const ask = () => Promise.all(sessions.flatMap((one) => paths.map((path) => one.api('GET', path))))
    const count = (answers: readonly { status: number }[]) => answers.filter(({ status }) => status === 200).length
    assert.equal(count([...(await ask()), ...(await ask())]), 4, 'one person')
    const refused = await browser.api('GET', paths[0]!)
    assert.deepEqual([refused.status, refused.headers['ratelimit-limit']], [429, '4'])
    assert.equal((await browser.api('GET', `${own}/account`)).status, 200, 'what is about no Project is apart')
    // Whoever is in no role there takes nothing from it, nor do programs.
    const stranger = world.signIn('viewer')
    for (let i = 0; i < 9; i++) {
      const answer = await fetch(`${stranger.headers.origin}${inProject(project + 1)}/v1/ssh_keys`, stranger)
      assert.equal(answer.status, 404)
    }
    for (let i = 0; i < 8; i++) assert.equal((await world.api.get('/ssh_keys')).status, 200)
    assert.equal((await world.api.get('/ssh_keys')).status, 429)
    const others = await Promise.all(
      [1, 2, 3].flatMap(() => {
        const one = world.as('viewer')
        return [1, 2].map(() => one.get('/ssh_keys'))
      }),
    )
    assert.equal(count(others), 4, 'all people together have as much as programs')
  })

  test('without a limit the headers are there all the same', async () => {
    const { api, clock } = await open()
    assert.deepEqual(limitsOf(await api.get('/ssh_keys')), [2 ** 31 - 1, 2 ** 31 - 1, clock.now() / 1_000])
  })
})

forEachDatabase('Several servers over one database', (open, engineName) => {
  // A file has one server (see the commands' tests).
  if (engineName === 'sqlite') return
  test('admit together what the Project may have, and not one more', async () => {
    const limit = 40
    const first = await open({ rateLimit: limit })
    const others = [
      await open({ rateLimit: limit, database: first.database }),
      await open({ rateLimit: limit, database: first.database }),
    ]
    const clients = [first.api, ...others.map((world) => world.client(first.api.token))]
    const answers = await Promise.all(
      clients.flatMap((client) => Array.from({ length: limit }, () => client.get('/ssh_keys'))),
    )
    const count = (status: number) => answers.filter((answer) => answer.status === status).length
    assert.deepEqual([count(200), count(429)], [limit, 2 * limit])
  })

  test('admit together what sessions of its tokens, and its people, may have', async () => {
    const limit = 40
    const here = await open({ rateLimit: limit })
    const there = await open({ rateLimit: limit, database: here.database, clock: here.clock })
    const project = await firstProject(here)
    const browser = await withToken(here, here.api.token!)
    const elsewhere = browser.copy(there)
    const path = `${inProject(project)}/v1/ssh_keys`
    const people = [1, 2, 3, 4].flatMap(() => [here.as('viewer'), there.as('viewer')])
    const count = (answers: readonly { status: number }[]) => answers.filter(({ status }) => status === 200).length
    const asked = [browser, elsewhere].flatMap((one) => Array.from({ length: limit }, () => one.api('GET', path)))
    assert.equal(count(await Promise.all(asked)), limit)
    const answers = people.flatMap((one) => Array.from({ length: limit / 4 }, () => one.get('/ssh_keys')))
    assert.equal(count(await Promise.all(answers)), limit)
  })
})
