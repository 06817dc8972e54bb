/** What is logged: a line for every answer, and nothing that is secret, whatever is sent (spec: Errors). */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { generateToken, hashToken } from '../../src/kernel/access/token-text.ts'
import { loggedPath, openLog } from '../../src/kernel/process/log.ts'
import { allEndpoints } from '../../src/pages/openapi.ts'
import { forProjects, type World } from '../kit/harness.ts'

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'
const canary = 'CANARY-do-not-log'
const secretBody = {
  name: canary,
  private_key: `-----BEGIN PRIVATE KEY-----\n${canary}`,
  root_password: canary,
  password: canary,
  user_data: `#cloud-config ${canary}`,
  public_key: key,
  token: canary,
}

forProjects('Logs', (open) => {
  async function openLogged() {
    const lines: string[] = []
    const world = await open({ log: openLog('trace', { write: (line) => void lines.push(line) }) })
    return { world, lines }
  }

  test('every answer has a line with its correlation id', async () => {
    const { world, lines } = await openLogged()
    const answers = [
      await world.api.post('/ssh_keys', { name: 'a', public_key: key }),
      await world.api.get('/ssh_keys'),
      await world.api.get('/nothing'),
      await world.anonymous.get('/ssh_keys'),
      await world.readOnly.post('/ssh_keys'),
      await world.anonymous.get(world.baseUrl.replace('/v1', '/health')),
    ]
    const ids = answers.map(({ headers }) => headers.get('x-correlation-id'))
    assert.equal(new Set(ids).size, answers.length)
    for (const [index, id] of ids.entries()) {
      const found = lines.map((line) => JSON.parse(line)).filter((line) => line.id === id)
      assert.equal(found.length, 1)
      assert.equal(found[0].status, answers[index]!.status)
    }
  })

  test('hold neither tokens nor keys nor passwords, whatever is sent where', async () => {
    const { world, lines } = await openLogged()
    const { api, client } = world
    for (const { endpoint } of allEndpoints().filter((row) => row.endpoint.method !== 'GET')) {
      const path = endpoint.path.replace(/\{\w+\}/g, '1')
      await api.request(endpoint.method, path, { body: secretBody })
      await api.request(endpoint.method, path, { body: `${JSON.stringify(secretBody)}!` })
    }
    const stray = generateToken()
    await client(stray).get('/ssh_keys')
    await api.get(`/ssh_keys?token=${stray}&password=${canary}`)
    await api.get(`/${stray}`)
    await api.get(`/ssh_keys/${stray}`)
    await breakWrites(world)
    const broken = await api.post('/ssh_keys', { name: canary, public_key: key })
    assert.deepEqual([broken.status, broken.body.error.code], [500, 'server_error'])
    assert.ok(!/constraint|ssh_key|boom/.test(broken.body.error.message), 'the caller hears nothing of the inside')
    assert.ok(
      lines.some((line) => line.includes('boom')),
      'the operator hears the reason',
    )
    const text = lines.join('')
    for (const secret of [stray, api.token!, hashToken(api.token!), canary]) assert.ok(!text.includes(secret), secret)
  })

  /** Makes inserts fail with an error that carries the row, where the engine does that. */
  async function breakWrites({ db, engineName }: World): Promise<void> {
    await db.transact((tx) =>
      engineName === 'sqlite'
        ? sql`create trigger boom before insert on ssh_key begin select raise(abort, 'boom'); end`.execute(tx.query)
        : sql`alter table ssh_key add constraint boom check (length(name) < 0)`.execute(tx.query),
    )
  }

  test('are one line an event, in printable characters', async () => {
    const { world, lines } = await openLogged()
    const path = '/v1/%0d%0a%1b[31m%E2%80%AE"\\{"level":60}'
    await new Promise((resolve) => {
      httpRequest(new URL(world.baseUrl).origin, { path, agent: false }, (response) =>
        response.resume().on('end', resolve),
      ).end()
    })
    assert.ok(lines.length > 0)
    for (const line of lines) {
      assert.match(line, /^[\x20-\x7e]+\n$/)
      assert.notEqual(JSON.parse(line).level, 60)
    }
  })
})

describe('A logged path', () => {
  const cases: [url: string, logged: string][] = [
    ['/v1/ssh_keys/10000000001?name=secret', '/v1/ssh_keys/10000000001'],
    [`/v1/${'x'.repeat(64)}/actions`, '/v1/[removed]/actions'],
    ['/v1/a\u009b31mb\u202e\r\n', '/v1/a?31mb???'],
    ['', ''],
  ]
  for (const [url, logged] of cases) test(`of ${JSON.stringify(url)}`, () => assert.equal(loggedPath(url), logged))
})
