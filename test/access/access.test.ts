/**
 * Who may do what, in which order that is found out: tokens, read-only tokens, the order of checks (spec:
 * Authentication, Errors).
 */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { families } from '../../src/families.ts'
import { createProject, deleteProject } from '../../src/kernel/access/projects.ts'
import { generateToken, hashToken, isTokenShaped } from '../../src/kernel/access/token-text.ts'
import { Authenticator, createToken, revokeToken } from '../../src/kernel/access/tokens.ts'
import { enterHistory } from '../../src/kernel/actions/history.ts'
import type { Endpoint } from '../../src/kernel/contract/contract.ts'
import type { Database } from '../../src/kernel/data/db.ts'
import { acrossProjects } from '../../src/kernel/data/scoped.ts'
import { dump } from '../kit/database/dump.ts'
import { everyTable } from '../kit/database/schema.ts'
import { type Answer, type Client, forEachDatabase, forProjects } from '../kit/harness.ts'
import { mistyped } from '../kit/samples/mistyped.ts'
import { advanceTimer } from '../kit/samples/timer.ts'

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'
const endpoints: Endpoint[] = families.flatMap((family) => Object.values(family.endpoints))
/** The path with ids that were never given out. */
const filled = (path: string) => path.replace(/\{\w+\}/g, '1')

const revoke = (db: Database, idOrToken: string) => db.transact((tx) => revokeToken(tx, idOrToken))

function says(answer: Answer, status: number, code: string, what: string): void {
  assert.deepEqual([answer.status, answer.body?.error?.code], [status, code], what)
  assert.ok('details' in answer.body.error, what)
}

forProjects('Tokens', (open) => {
  test('a read-only token is refused everything but GET, and nothing changes', async () => {
    const world = await open()
    const { id } = (await world.api.post('/ssh_keys', { name: 'a', public_key: key })).body.ssh_key
    const before = await dump(world.db)
    for (const { method, path } of endpoints.filter((endpoint) => endpoint.method !== 'GET')) {
      for (const target of [filled(path), path.replace(/\{\w+\}/g, String(id))]) {
        says(await world.readOnly.request(method, target, { body: {} }), 401, 'token_readonly', `${method} ${path}`)
      }
    }
    for (const method of ['PATCH', 'OPTIONS', 'DELETE']) {
      says(await world.readOnly.request(method, `/ssh_keys/${id}`), 401, 'token_readonly', method)
    }
    const override = { 'x-http-method-override': 'GET', 'x-method-override': 'GET' }
    says(
      await world.readOnly.request('DELETE', `/ssh_keys/${id}`, { headers: override }),
      401,
      'token_readonly',
      'override',
    )
    assert.equal(await dump(world.db), before)
    assert.equal((await world.readOnly.get(`/ssh_keys/${id}`)).status, 200)
  })

  test('every endpoint asks for a token first', async () => {
    const { anonymous, client } = await open()
    for (const { method, path } of endpoints) {
      says(
        await anonymous.request(method, filled(path), { body: method === 'GET' ? undefined : '{' }),
        401,
        'unauthorized',
        path,
      )
    }
    says(await client(generateToken()).get('/nothing'), 401, 'unauthorized', 'an unknown path')
    assert.equal((await anonymous.get('/ssh_keys')).headers.get('www-authenticate'), 'Bearer')
  })

  test('every token that is none is refused with the same bytes', async () => {
    const { api, client, db } = await open()
    const valid = api.token!
    const revoked = await db.transact(async (tx) => {
      const { project_id: projectId } = await acrossProjects(tx.query)
        .selectFrom('token')
        .select('project_id')
        .executeTakeFirstOrThrow()
      return createToken(tx, { projectId, name: 'revoked', readOnly: false, created: '2026-11-21T12:00:00Z' })
    })
    await revoke(db, revoked)
    const tokens = {
      unknown: generateToken(),
      'of another format': 'x'.repeat(64),
      revoked,
      'with a wrong checksum': mistyped(valid),
      'with its case changed': valid.slice(0, 4) + valid.slice(4).toLowerCase(),
      'too short': valid.slice(0, 63),
      'too long': `${valid}0`,
      empty: '""',
      'with a space': `${valid.slice(0, 30)} ${valid.slice(31)}`,
      'not ASCII': `${valid.slice(0, 63)}ü`,
      'a hash': hashToken(valid),
    }
    const bodies = new Set<string>()
    for (const [name, token] of Object.entries(tokens)) {
      const answer = await client(token).get('/ssh_keys')
      says(answer, 401, 'unauthorized', name)
      bodies.add(answer.text)
    }
    assert.equal(bodies.size, 1)
    for (const header of [`bearer ${valid}`, `BEARER  ${valid} `]) {
      assert.equal((await client(undefined).get('/ssh_keys', { authorization: header })).status, 200, header)
    }
    for (const header of [valid, `Token ${valid}`, `Basic ${valid}`, `Bearer${valid}`, 'Bearer', '']) {
      says(await client(undefined).get('/ssh_keys', { authorization: header }), 401, 'unauthorized', header)
    }
  })

  test('a token reaches its own Project only', async () => {
    const { api, foreign } = await open()
    const { id } = (await api.post('/ssh_keys', { name: 'a', public_key: key })).body.ssh_key
    const theirs = [
      await foreign.get(`/ssh_keys/${id}`),
      await foreign.put(`/ssh_keys/${id}`, {}),
      await foreign.delete(`/ssh_keys/${id}`),
    ]
    for (const answer of theirs) says(answer, 404, 'not_found', 'foreign')
    assert.equal(
      theirs[0]!.text.replaceAll(String(id), 'ID'),
      (await foreign.get('/ssh_keys/1')).text.replace("'1'", "'ID'"),
    )
    assert.equal((await foreign.get('/ssh_keys')).body.ssh_keys.length, 0)
  })

  test('only a hash and the last four characters of a token are kept', async () => {
    const world = await open()
    const text = JSON.stringify([...(await everyTable(world.db))])
    for (const { token } of [world.api, world.readOnly, world.foreign]) {
      assert.ok(!text.includes(token!))
      assert.ok(!text.includes(token!.slice(4, 20)))
      assert.ok(text.includes(hashToken(token!)))
    }
  })

  test('a revoked token is forgotten after 3 s, in each process', async () => {
    const { api, db } = await open()
    let now = 1_000
    const processes = [new Authenticator(db, () => now), new Authenticator(db, () => now)]
    for (const authenticator of processes) assert.ok(await authenticator.find(api.token!))
    await revoke(db, api.token!)
    now += 2_999
    for (const authenticator of processes) assert.ok(authenticator.cached(api.token!))
    now += 2
    for (const authenticator of processes) {
      assert.equal(authenticator.cached(api.token!), undefined)
      assert.equal(await authenticator.find(api.token!), undefined)
    }
  })

  test('revoking needs the exact id or the whole token', async () => {
    const { api, db } = await open()
    const { id } = await acrossProjects(db.query)
      .selectFrom('token')
      .select('id')
      .where('hash', '=', hashToken(api.token!))
      .executeTakeFirstOrThrow()
    for (const wrong of [
      '',
      '0',
      'x',
      `${id}.0`,
      ` ${id}`,
      id.toExponential(),
      api.token!.slice(-4),
      mistyped(api.token!),
    ]) {
      assert.equal(await revoke(db, wrong), undefined, wrong)
    }
    assert.equal((await revoke(db, String(id)))?.id, id)
    assert.equal(await revoke(db, String(id)), undefined)
  })
})

forProjects('A Project', (open) => {
  test('is deleted with its tokens and its history, unless something of it is left', async () => {
    const { api, client, db } = await open()
    const { project, token } = await db.transact(async (tx) => {
      const project = await createProject(tx, 'third', '2026-11-21T12:00:00Z')
      const given = { projectId: project.id, name: 'a', readOnly: false, created: project.created }
      return { project, token: await createToken(tx, given) }
    })
    const third = client(token)
    const { id } = (await third.post('/ssh_keys', { name: 'a', public_key: key })).body.ssh_key
    const addAction = (id: number, status: 'running' | 'success') =>
      db.transact(async (tx) => {
        const action = { id, status, project_id: project.id, definition: 'x', command: 'x', progress: 100 }
        const ended = { started: project.created, finished: project.created, error_code: null, error_message: null }
        const run = { worker: null, lease_until: null, fence: 0, attempts: 0, run_after: 0, step: 0 }
        const rest = { input: '{}', resources: '[]', phase: 'forward' as const }
        const row = { ...action, ...ended, ...run, ...rest }
        await acrossProjects(tx.query).insertInto('action').values(row).execute()
        if (status === 'success') await enterHistory(tx, [{ ...row, resources: [{ type: 'ssh_key', id: 1 }] }])
      })
    await addAction(1, 'success')
    assert.equal(await deleteProject(db, project), false)
    assert.equal((await third.get(`/ssh_keys/${id}`)).status, 200)
    assert.equal(
      (await acrossProjects(db.query).selectFrom('action').selectAll().where('id', '=', 1).execute()).length,
      1,
    )
    assert.equal((await third.delete(`/ssh_keys/${id}`)).status, 204)
    await addAction(2, 'running')
    assert.equal(await deleteProject(db, project), false, 'an action still runs')
    await db.transact((tx) =>
      acrossProjects(tx.query).updateTable('action').set({ status: 'error' }).where('id', '=', 2).execute(),
    )
    assert.equal(await deleteProject(db, project), true)
    assert.equal(await new Authenticator(db).find(token), undefined)
    assert.equal((await api.get('/ssh_keys')).status, 200)
  })

  test('that is deleted takes its tokens with it, also for writes of who was just there', async () => {
    const { client, db } = await open()
    const { project, token } = await db.transact(async (tx) => {
      const project = await createProject(tx, 'third', '2026-11-21T12:00:00Z')
      const given = { projectId: project.id, name: 'a', readOnly: false, created: project.created }
      return { project, token: await createToken(tx, given) }
    })
    const third = client(token)
    assert.equal((await third.get('/ssh_keys')).status, 200)
    assert.equal(await deleteProject(db, project), true)
    const { status, headers, body } = await third.post('/ssh_keys', { name: 'a', public_key: key })
    assert.deepEqual([status, body.error.code, headers.get('www-authenticate')], [401, 'unauthorized', 'Bearer'])
    assert.equal((await third.get('/ssh_keys')).status, 401)
  })

  test('has a name of its own', async () => {
    const { db } = await open({ alone: true })
    await assert.rejects(
      db.transact((tx) => createProject(tx, 'first', '2026-11-21T12:00:00Z')),
      { code: 'uniqueness_error', message: "a project named 'first' exists already" },
    )
  })
})

forEachDatabase('A revocation', (open, engineName) => {
  // On one file there is one server, which forgets by the same code.
  if (engineName === 'sqlite') return
  test('is noticed by every server within 5 s', async (t) => {
    const first = await open()
    const second = await open({ database: first.database })
    const clients = [first.api, second.client(first.api.token)]
    for (const client of clients) assert.equal((await client.get('/ssh_keys')).status, 200)
    await revoke(second.db, first.api.token!)
    advanceTimer(t, 5_000)
    for (const client of clients) assert.equal((await client.get('/ssh_keys')).status, 401)
  })
})

describe('The form of a token', () => {
  test('is 64 characters that end in a checksum; other issuers may have other 64', () => {
    for (let i = 0; i < 200; i++) {
      const token = generateToken()
      assert.match(token, /^wlk_[0-9A-Za-z]{60}$/)
      assert.ok(isTokenShaped(token))
      const at = 4 + (i % 60)
      const typo = token.slice(0, at) + (token[at] === 'a' ? 'b' : 'a') + token.slice(at + 1)
      assert.ok(!isTokenShaped(typo), 'no single typo passes')
    }
    assert.ok(isTokenShaped('x'.repeat(64)))
    for (const text of [
      '',
      'x'.repeat(63),
      'x'.repeat(65),
      `${'x'.repeat(63)}\n`,
      `${'x'.repeat(63)} `,
      `${'x'.repeat(63)}é`,
    ]) {
      assert.ok(!isTokenShaped(text), JSON.stringify(text))
    }
  })

  test('is judged without the database', async () => {
    const untouchable = new Proxy({} as Database, {
      get() {
        throw new Error('the database was asked')
      },
    })
    const authenticator = new Authenticator(untouchable)
    const valid = generateToken()
    for (const text of [mistyped(valid), valid.slice(1), `${valid}x`, 'ü'.repeat(64)]) {
      assert.equal(await authenticator.find(text), undefined)
    }
    await assert.rejects(authenticator.find(valid), /the database was asked/)
  })
})

forEachDatabase('A database file', (open, engineName) => {
  if (engineName === 'postgres') return
  test('holds no token', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'wolke-access-'))
    t.after(() => rm(directory, { recursive: true }))
    const world = await open({ database: { engine: 'sqlite', path: join(directory, 'wolke.db') } })
    assert.equal((await world.api.get('/ssh_keys')).status, 200)
    for (const name of await readdir(directory)) {
      const bytes = await readFile(join(directory, name), 'latin1')
      for (const { token } of [world.api, world.readOnly, world.foreign]) {
        assert.ok(!bytes.includes(token!), name)
        assert.ok(!bytes.includes(token!.slice(4, 24)), name)
      }
    }
  })
})

// ---- Order of checks -----------------------------------------------------------------------------------------------

forProjects('The order of checks', (open) => {
  test('401, 429, 404 and 405, 422, 409', async () => {
    const world = await open()
    const { api, readOnly, anonymous } = world
    const { id } = (await api.post('/ssh_keys', { name: 'taken', public_key: key })).body.ssh_key
    const bad = { name: '', nonsense: 1 }
    const cases: [
      what: string,
      ask: (client: Client) => Promise<Answer>,
      client: Client,
      status: number,
      code: string,
    ][] = [
      ['401 before 404', (client) => client.get('/nothing'), anonymous, 401, 'unauthorized'],
      ['401 before 405', (client) => client.request('PATCH', '/ssh_keys'), anonymous, 401, 'unauthorized'],
      ['401 before 400', (client) => client.post('/ssh_keys', '{'), anonymous, 401, 'unauthorized'],
      ['401 before 422', (client) => client.get('/ssh_keys?page=0'), anonymous, 401, 'unauthorized'],
      ['read-only before 404', (client) => client.put('/ssh_keys/1', {}), readOnly, 401, 'token_readonly'],
      ['read-only before 405', (client) => client.request('PATCH', '/ssh_keys'), readOnly, 401, 'token_readonly'],
      ['read-only before 422', (client) => client.post('/ssh_keys', bad), readOnly, 401, 'token_readonly'],
      ['404 before 422', (client) => client.put('/ssh_keys/1', bad), api, 404, 'not_found'],
      ['404 before 409', (client) => client.put('/ssh_keys/1', { name: 'taken' }), api, 404, 'not_found'],
      ['404 before 400 on an unknown path', (client) => client.post('/nothing', '{'), api, 404, 'not_found'],
      ['405 before 400', (client) => client.put('/ssh_keys', '{'), api, 405, 'method_not_allowed'],
      ['405 before 404', (client) => client.request('PATCH', '/ssh_keys/1'), api, 405, 'method_not_allowed'],
      ['422 when it is there', (client) => client.put(`/ssh_keys/${id}`, bad), api, 422, 'invalid_input'],
      [
        '422 before 409',
        (client) => client.post('/ssh_keys', { name: 'taken', public_key: 'x' }),
        api,
        422,
        'invalid_input',
      ],
      [
        '409 last',
        (client) => client.post('/ssh_keys', { name: 'taken', public_key: key }),
        api,
        409,
        'uniqueness_error',
      ],
    ]
    for (const [what, ask, client, status, code] of cases) says(await ask(client), status, code, what)
  })

  test('410 comes before 422', async () => {
    const { api } = await open()
    for (const query of ['', '?sort=bogus', '?status=bogus&page=0']) {
      says(await api.get(`/actions${query}`), 410, 'deprecated_api_endpoint', query)
    }
    says(await api.get('/actions?id=1&sort=bogus'), 422, 'invalid_input', 'with ids')
  })

  test('429 comes after 401 and before all else', async () => {
    const { api, readOnly, anonymous } = await open({ rateLimit: 1 })
    assert.equal((await api.get('/ssh_keys')).status, 200)
    const limited: [string, () => Promise<Answer>][] = [
      ['404', () => api.get('/nothing')],
      ['405', () => api.request('PATCH', '/ssh_keys')],
      ['400', () => api.post('/ssh_keys', '{')],
      ['422', () => api.get('/ssh_keys?page=0')],
      ['the same Project', () => readOnly.get('/ssh_keys')],
    ]
    for (const [what, ask] of limited) says(await ask(), 429, 'rate_limit_exceeded', what)
    says(await readOnly.post('/ssh_keys', {}), 401, 'token_readonly', 'a read-only token')
    says(await anonymous.get('/ssh_keys'), 401, 'unauthorized', 'the network still has requests')
    says(await anonymous.get('/ssh_keys'), 429, 'rate_limit_exceeded', 'the network has none left')
  })

  test('what a path names is looked for before the input is judged, in every family', async () => {
    const { api } = await open()
    const nonsense = { nonsense_that_no_field_is_called: 1 }
    for (const { method, path, body, query } of endpoints.filter((endpoint) => endpoint.path.includes('{'))) {
      if (body) says(await api.request(method, filled(path), { body: nonsense }), 404, 'not_found', `${method} ${path}`)
      if (query) says(await api.request(method, `${filled(path)}?page=0&sort=x`), 404, 'not_found', `${method} ${path}`)
    }
  })

  test('a method that a path does not have is 405 with those that it has', async () => {
    const { api } = await open()
    const byPath = Map.groupBy(endpoints, ({ path }) => filled(path))
    for (const [path, known] of byPath) {
      const allowed = new Set<string>(known.map(({ method }) => method))
      if (allowed.has('GET')) allowed.add('HEAD')
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        if (allowed.has(method)) continue
        const answer = await api.request(method, path)
        says(answer, 405, 'method_not_allowed', `${method} ${path}`)
        assert.equal(answer.headers.get('allow'), [...allowed].sort().join(', '), path)
      }
    }
  })
})
