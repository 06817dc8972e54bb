/** Upgrades of several processes over one PostgreSQL, one after the other, while they are used. */
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { until } from '../../kit/database/bare-database.ts'
import { closeAdmin, createDatabase, execute, postgresUrl } from '../../kit/database/postgres.ts'
import { onPostgres } from '../../kit/engines.ts'
import { bundle, program, type Served, token } from '../kit/program.ts'
import { type Backend, Balancer } from './kit/balancer.ts'

const hook = join(import.meta.dirname, 'kit/next-version.ts')

const present = program('rolling')
const next = program('rolling-next', { main: ['--import', hook, bundle] })
const { folder } = present

/** A migration that changes the tables that requests use most, in each way that only adds. */
const expands = {
  id: '9999-next',
  beside: 'expands',
  statements: [
    'create table next_thing (id integer primary key, firewall_id integer not null)',
    ...['firewall', 'server', 'action', 'project', 'token', 'audit'].map(
      (table) => `alter table ${table} add column next_note text`,
    ),
    `alter table server add column next_count integer not null default 0`,
    'create index firewall_by_next on firewall (project_id, next_note)',
  ],
}

process.env.WOLKE_TEST_MIGRATION = JSON.stringify(expands)
after(closeAdmin)

interface Sent {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: replies of every shape
  readonly json: any
}

/** A client that keeps its connection. Errors: those of the connection. */
function client(baseUrl: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = (method: string, path: string, body?: unknown) => {
    const { promise, resolve, reject } = Promise.withResolvers<Sent>()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const asked = request(baseUrl + path, { method, headers, agent }, async (answer) => {
      const text = (await answer.toArray()).join('')
      resolve({ status: answer.statusCode!, json: text === '' ? undefined : JSON.parse(text) })
    })
    asked.on('error', reject)
    asked.end(body === undefined ? undefined : JSON.stringify(body))
    return promise
  }
  return { send, close: () => agent.destroy() }
}

/** What clients did: how many requests, what went wrong with others, and the names that must be there. */
interface Work {
  requests: number
  readonly failed: string[]
  readonly names: Set<string>
}

/** Reads and writes until it is told to stop, as one of several clients. */
async function work(baseUrl: string, who: number, isOver: () => boolean, done: Work): Promise<void> {
  const { send, close } = client(baseUrl)
  const sends = async (expected: number, method: string, path: string, body?: unknown) => {
    const answer = await send(method, path, body).catch((error: Error) => ({ status: error.message, json: undefined }))
    done.requests++
    if (answer.status !== expected)
      done.failed.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.json)}`)
    return answer.json
  }
  for (let round = 0; !isOver(); round++) {
    const name = `${who}-${round}`
    const made = await sends(201, 'POST', '/firewalls', { name })
    const path = `/firewalls/${made?.firewall?.id}`
    await sends(200, 'GET', path)
    await sends(200, 'PUT', path, { labels: { round: String(round) } })
    await sends(200, 'GET', '/firewalls?per_page=5')
    const server = { name, server_type: 'cpx22', image: 'debian-12', location: 'hel1' }
    if (round % 5 === 0) await sends(201, 'POST', '/servers', server)
    if (round % 2 === 0) await sends(204, 'DELETE', path)
    else done.names.add(name)
  }
  close()
}

suite('Processes of the version before', () => {
  test('are replaced one after the other, and no request fails', onPostgres, async (t) => {
    const { url, drop } = await createDatabase(await postgresUrl())
    t.after(drop)
    const options = ['--key-file', join(folder, 'key'), '--storage', join(folder, 'storage'), '--drain', '1000']
    const balancer = new Balancer()
    const baseUrl = await balancer.start()
    t.after(() => balancer.close())
    const older: { readonly server: Served; readonly backend: Backend }[] = []
    for (let i = 0; i < 3; i++) {
      const server = await present.serve(url, ...options)
      older.push({ server, backend: balancer.add(server.baseUrl) })
    }
    await until(() => older.every(({ backend }) => backend.isWell), 'all are well')
    let isOver = false
    const done: Work = { requests: 0, failed: [], names: new Set() }
    const clients = Array.from({ length: 8 }, (_, who) => work(baseUrl, who, () => isOver, done))
    const more = async (count: number) => {
      const before = done.requests
      await until(() => done.requests >= before + count, 'clients go on')
    }
    await more(200)
    assert.match((await next.command('--version')).stdout, /^wolke \S+ \(schema 9999-next\)\n$/)
    for (const { server, backend } of older) {
      const newer = await next.serve(url, ...options)
      const added = balancer.add(newer.baseUrl)
      await until(() => added.isWell, 'the newer one is well')
      await more(200)
      await server.stop()
      balancer.remove(backend)
      await more(100)
    }
    isOver = true
    await Promise.all(clients)
    t.diagnostic(`${done.requests} requests, ${done.failed.length} failed`)
    assert.deepEqual(done.failed, [])
    const { send, close } = client(baseUrl)
    const found = new Set<string>()
    for (let page: number | null = 1; page !== null; ) {
      const { json } = await send('GET', `/firewalls?per_page=50&page=${page}`)
      for (const { name } of json.firewalls) found.add(name)
      page = json.meta.pagination.next_page
    }
    close()
    assert.deepEqual(found, done.names)
  })

  test(
    'start again beside what only adds, and are refused in words where something else was changed',
    onPostgres,
    async (t) => {
      const { url, drop } = await createDatabase(await postgresUrl())
      t.after(drop)
      const options = ['--key-file', join(folder, 'other-key'), '--storage', join(folder, 'other-storage')]
      await (await next.serve(url, ...options)).stop()
      await (await present.serve(url, ...options)).stop()
      await execute(url, 'update schema_floor set known = known + 1000')
      const said = await present.fail(url, ...options)
      assert.match(said, /^wolke: cannot use the database postgres:\S+: the database has the schema 9999-next with /)
      assert.match(
        said,
        /'9999-next', which this version of Wolke, of the schema \S+, does not know; use a newer version/,
      )
      const { code, stderr } = await present.command('project', 'list', '--database', url)
      assert.deepEqual([code, stderr], [1, said])
    },
  )
})
