/** A damaged database file: requests that meet the damage are refused, everything else goes on. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, copyFileSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, describe, test } from 'node:test'
import { ask } from '../dns/client.ts'
import { until } from '../kit/database/bare-database.ts'
import { call, makeKey, program, type Served } from './kit/program.ts'

const { folder, serve, command, fail } = program('damage')
const whole = join(folder, 'whole.db')
const keyCount = 400

/** The root of a server's pages outside the API. */
const rootOf = ({ baseUrl }: Served) => baseUrl.slice(0, -'/v1'.length)

before(async () => {
  const server = await serve(`sqlite:${whole}`)
  for (let i = 0; i < keyCount; i += 20) {
    const some = Array.from({ length: 20 }, (_, j) => ({
      name: `key-${i + j}`,
      public_key: makeKey(),
      labels: { n: `${i + j}` },
    }))
    await Promise.all(some.map((body) => call(server.baseUrl, 'POST', '/ssh_keys', body)))
  }
  await server.stop()
})

interface Page {
  readonly pageno: number
  readonly pgsize: number
}

/** A copy of the whole database with the pages of a table or an index overwritten. */
function damagedCopy(name: string, pagesOf: string, damage: (pageSize: number) => Buffer): string {
  const path = join(folder, `${name}.db`)
  copyFileSync(whole, path)
  copyFileSync(`${whole}.key`, `${path}.key`)
  const database = new DatabaseSync(path)
  const pages = database.prepare(pagesOf).all() as unknown as Page[]
  database.exec('pragma journal_mode = delete')
  database.close()
  assert.ok(pages.length > 0, 'there is something to damage')
  overwrite(path, pages, damage)
  return path
}

/** A copy of the whole database in which pages are free, and the first page that lists them is overwritten. */
function damagedFreelist(byte: number): string {
  const path = damagedCopy(`freelist-${byte}`, 'select 1 as pageno, 0 as pgsize', () => Buffer.alloc(0))
  const database = new DatabaseSync(path)
  database.exec('create table gone (filler); insert into gone values (zeroblob(200000)); drop table gone')
  database.close()
  const pageno = readFileSync(path).readUInt32BE(32)
  assert.ok(pageno > 0, 'pages are free')
  overwrite(path, [{ pageno, pgsize: 4096 }], (size) => Buffer.alloc(size, byte))
  return path
}

/** Overwrites what lies of a table in the log of a database that is in use. */
function damageLog(path: string, table: string): void {
  const database = new DatabaseSync(path)
  const pages = database.prepare(`select pageno from dbstat where name = '${table}'`).all() as unknown as Page[]
  database.close()
  const wanted = new Set(pages.map(({ pageno }) => pageno))
  const log = readFileSync(`${path}-wal`)
  // A header of 32 bytes; frames of one page each, with a header of 24 bytes that begins with the number of the page.
  const starts = Array.from({ length: Math.floor((log.length - 32) / 4120) }, (_, i) => 32 + i * 4120)
  const hit = starts.filter((start) => wanted.has(log.readUInt32BE(start)))
  assert.ok(hit.length > 0, 'the table lies in the log')
  const file = openSync(`${path}-wal`, 'r+')
  for (const start of hit) writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, start + 24)
  closeSync(file)
}

/** Ends a server that has met damage: it lived, and said so once, with the file, and without a stack. */
async function endDamaged(server: Served, path: string): Promise<void> {
  const health = await call(rootOf(server), 'GET', '/health')
  assert.deepEqual([health.status, health.json.database, health.json.status], [503, 'damaged', 'degraded'])
  assert.equal(server.child.exitCode, null)
  await server.stop()
  assert.equal(server.child.exitCode, 0)
  const told = server.log().filter(({ msg }) => /is damaged/.test(String(msg)))
  assert.deepEqual(
    told.map(({ database, level }) => [database, level]),
    [[path, 50]],
  )
  assert.ok(!JSON.stringify(server.log()).includes('"stack"'), JSON.stringify(server.log(), undefined, 1))
}

function overwrite(path: string, pages: readonly Page[], damage: (pageSize: number) => Buffer): void {
  const file = openSync(path, 'r+')
  for (const { pageno, pgsize } of pages) writeSync(file, damage(pgsize), 0, pgsize, (pageno - 1) * pgsize)
  closeSync(file)
}

const pagesOf = (pattern: string) =>
  `select pageno, pgsize from dbstat where name like '${pattern}' and pagetype = 'leaf' order by pageno limit -1 offset 1`

/** Fewer at once than an address may have connections. */
async function askAll<T>(all: readonly string[], ask: (one: string) => Promise<T>): Promise<T[]> {
  const answers: T[] = []
  for (let from = 0; from < all.length; from += 100) {
    answers.push(...(await Promise.all(all.slice(from, from + 100).map(ask))))
  }
  return answers
}

/** Lists, reads, makes and deletes SSH keys, and firewalls beside them; returns the statuses of both. */
async function use({ baseUrl }: Served): Promise<{ keys: number[]; firewalls: number[] }> {
  const read = (path: string) => call(baseUrl, 'GET', path)
  const pages = Array.from({ length: keyCount / 50 }, (_, page) => `/ssh_keys?per_page=50&page=${page + 1}`)
  const lists = await askAll(pages, read)
  const found = lists.flatMap(({ json }) => json.ssh_keys ?? [])
  const ids = found.map(({ id }) => `/ssh_keys/${id}`)
  const reads = await askAll(ids, read)
  const named = Array.from({ length: keyCount }, (_, i) => `/ssh_keys?name=key-${i}`)
  const names = await askAll(named, read)
  const writes = Array.from({ length: 40 }, async (_, i) => [
    call(baseUrl, 'POST', '/ssh_keys', { name: `new-${i}`, public_key: makeKey(), labels: { n: `${i}` } }),
    call(baseUrl, 'PUT', `/ssh_keys/${found[i]?.id ?? 1}`, { name: `renamed-${i}` }),
    call(baseUrl, 'POST', '/firewalls', { name: `beside-${i}` }),
  ])
  const written = await Promise.all((await Promise.all(writes)).map((three) => Promise.all(three)))
  const answers = [...lists, ...reads, ...names, ...written.flatMap(([post, put]) => [post!, put!])]
  return {
    keys: answers.map(({ status }) => status),
    firewalls: written.map(([, , firewall]) => firewall!.status),
  }
}

describe('A damaged file', { concurrency: 2 }, () => {
  const cases: [name: string, pages: string, damage: (pageSize: number) => Buffer][] = [
    ['table-with-noise', pagesOf('ssh_key'), (size) => Buffer.alloc(size, 0xff)],
    ['table-with-zeros', pagesOf('ssh_key'), (size) => Buffer.alloc(size)],
    ['index', pagesOf('sqlite_autoindex_ssh_key%'), (size) => Buffer.alloc(size, 0xff)],
  ]
  for (const [name, pages, damage] of cases) {
    test(`with damaged pages (${name}) refuses what meets them, serves the rest, and says so once`, async () => {
      const path = damagedCopy(name, pages, damage)
      const server = await serve(`sqlite:${path}`)
      const { keys, firewalls } = await use(server)
      assert.ok(keys.includes(503), 'something met the damage')
      assert.deepEqual(
        [...new Set(keys)].filter((status) => ![200, 201, 404, 503].includes(status)),
        [],
      )
      assert.deepEqual([...new Set(firewalls)], [201], 'writes beside it are not drawn into it')
      const reads = await call(rootOf(server), 'GET', '/health/reads')
      assert.deepEqual([reads.status, reads.json.database, reads.json.reads], [200, 'damaged', 'ok'])
      await endDamaged(server, path)
    })
  }

  for (const [name, byte] of [
    ['noise', 0xff],
    ['zeros', 0],
  ] as const) {
    test(`with a damaged list of free pages (${name}) refuses what needs room, and loses nothing that it took`, async () => {
      const path = damagedFreelist(byte)
      const server = await serve(`sqlite:${path}`)
      const names = Array.from({ length: 300 }, (_, i) => `wall-${i}`)
      const labels = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`label-${i}`, 'x'.repeat(60)]))
      const answers = await askAll(names, (name) => call(server.baseUrl, 'POST', '/firewalls', { name, labels }))
      assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [201, 503])
      const taken = names.filter((_, i) => answers[i]!.status === 201)
      const there = async ({ baseUrl }: Served) => {
        const found = await askAll(names, (name) => call(baseUrl, 'GET', `/firewalls?name=${name}`))
        return found.flatMap(({ json }) => json.firewalls.map((firewall: { name: string }) => firewall.name))
      }
      assert.deepEqual(await there(server), taken)
      await endDamaged(server, path)
      const next = await serve(`sqlite:${path}`)
      assert.deepEqual(await there(next), taken)
      await next.stop()
    })
  }

  test('whose log is damaged while it is in use refuses what meets that, also after the next start', async () => {
    const path = damagedCopy('log', 'select 1 as pageno, 0 as pgsize', () => Buffer.alloc(0))
    const server = await serve(`sqlite:${path}`)
    const made = await call(server.baseUrl, 'POST', '/firewalls', { name: 'before' })
    const key = await call(server.baseUrl, 'POST', '/ssh_keys', { name: 'new', public_key: makeKey() })
    assert.deepEqual([made.status, key.status], [201, 201])
    damageLog(path, 'ssh_key')
    // What another process writes makes the server read the log again.
    assert.equal((await command('project', 'create', 'other', '--database', `sqlite:${path}`)).code, 0)
    const ask = async ({ baseUrl }: Served) => {
      const paths = [`/ssh_keys/${key.json.ssh_key.id}`, `/firewalls/${made.json.firewall.id}`]
      const answers = await Promise.all(paths.map((path) => call(baseUrl, 'GET', path)))
      return answers.map(({ status }) => status)
    }
    assert.deepEqual(await ask(server), [503, 200])
    assert.equal((await call(server.baseUrl, 'POST', '/firewalls', { name: 'after' })).status, 201)
    await endDamaged(server, path)
    const next = await serve(`sqlite:${path}`)
    assert.deepEqual(await ask(next), [503, 200])
    await endDamaged(next, path)
  })

  for (const [what, place, length] of [
    ['its header', 0, 32],
    ['a page in it', 32 + 24, 4096],
    ['a whole frame', 32, 4120],
  ] as const) {
    test(`with a log of which ${what} is damaged does not start without what was answered`, async () => {
      const path = damagedCopy(`log-${length}`, 'select 1 as pageno, 0 as pgsize', () => Buffer.alloc(0))
      const server = await serve(`sqlite:${path}`)
      for (let i = 0; i < 5; i++) {
        assert.equal((await call(server.baseUrl, 'POST', '/firewalls', { name: `wall-${i}` })).status, 201)
      }
      await server.kill()
      const log = readFileSync(`${path}-wal`)
      // The end of the last commit may be missing: nobody may have been told of it.
      writeFileSync(`${path}-wal`, Buffer.from(log).fill(0xff, log.length - 4096))
      copyFileSync(path, `${path}.torn`)
      copyFileSync(`${path}.key`, `${path}.torn.key`)
      copyFileSync(`${path}-wal`, `${path}.torn-wal`)
      await (await serve(`sqlite:${path}.torn`)).stop()

      writeFileSync(`${path}-wal`, Buffer.from(log).fill(0xff, place, place + length))
      const line = await fail(`sqlite:${path}`)
      assert.match(
        line,
        /^wolke: cannot use the database \S+: its log \S+-wal is damaged, and at least \d+ commits [^\n]+\n$/,
      )
      assert.deepEqual(readFileSync(`${path}-wal`), Buffer.from(log).fill(0xff, place, place + length))
      const database = new DatabaseSync(path)
      database.exec('pragma wal_checkpoint(truncate)')
      database.close()
      await (await serve(`sqlite:${path}`)).stop()
    })
  }

  test('under background work and the name server ends nothing', async () => {
    const path = damagedCopy('background', 'select 1 as pageno, 0 as pgsize', () => Buffer.alloc(0))
    const server = await serve(`sqlite:${path}`)
    const { address: host, port } = server.dns
    const rcode = async (name: string) => (await ask({ host, port }, name, 'A')).rcode
    // Nobody asks for the first one before the damage, so that the name server knows of it and has not read it.
    for (const name of ['example.com', 'example.org'])
      await call(server.baseUrl, 'POST', '/zones', { name, mode: 'primary' })
    await until(async () => (await rcode('www.example.org')) === 'NXDOMAIN', 'the zones are served')
    const database = new DatabaseSync(path)
    const lost = "'action', 'zone', 'zone_change', 'dns_change', 'mail'"
    database.exec('pragma wal_checkpoint(truncate)')
    const pages = database
      .prepare(`select pageno, pgsize from dbstat join sqlite_schema using (name) where tbl_name in (${lost})`)
      .all()
    database.close()
    assert.ok(pages.length > 4)
    overwrite(path, pages as unknown as Page[], (size) => Buffer.alloc(size, 0xff))
    // What another process writes makes the server read the file again.
    assert.equal((await command('project', 'create', 'other', '--database', `sqlite:${path}`)).code, 0)
    await until(async () => (await call(rootOf(server), 'GET', '/health')).json.database === 'damaged', 'it was met')
    assert.equal((await call(server.baseUrl, 'GET', '/zones')).status, 503)
    assert.equal((await call(server.baseUrl, 'GET', '/ssh_keys')).status, 200)
    assert.equal((await call(server.baseUrl, 'POST', '/ssh_keys', { name: 'n', public_key: makeKey() })).status, 201)
    assert.equal(await rcode('www.example.com'), 'SERVFAIL')
    await until(() => server.log().some(({ msg }) => /looking for actions/.test(String(msg))), 'the engine met it too')
    assert.equal(server.child.exitCode, null)
    await server.stop()
    assert.equal(server.child.exitCode, 0)
    assert.equal(server.log().filter(({ msg }) => /is damaged/.test(String(msg))).length, 1)
    assert.ok(!JSON.stringify(server.log()).includes('"stack"'), JSON.stringify(server.log(), undefined, 1))
    assert.match(await fail(`sqlite:${path}`), /^wolke: cannot use the database \S+: it is damaged [^\n]+$/m)
  })
})

describe('A disk that fails', () => {
  test('makes the outcome of writes unknown, leaves reads alone, and is over when it works again', async (t) => {
    const path = damagedCopy('failing', 'select 1 as pageno, 0 as pgsize', () => Buffer.alloc(0))
    const server = await serve(`sqlite:${path}`)
    const { baseUrl } = server
    const made = await call(baseUrl, 'POST', '/firewalls', { name: 'before' })
    const limit = (bytes: number | 'unlimited') =>
      execFileSync('prlimit', ['--pid', `${server.child.pid}`, `--fsize=${bytes}:`])
    try {
      // Beyond the end of the log each write fails, and not because the disk is full.
      limit(statSync(`${path}-wal`).size)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      // Only Linux has it.
      return t.skip('prlimit is not there')
    }
    const failed = await call(baseUrl, 'POST', '/firewalls', { name: 'meanwhile' })
    assert.deepEqual([failed.status, failed.json.error.code], [500, 'server_error'])
    assert.equal((await call(baseUrl, 'GET', `/firewalls/${made.json.firewall.id}`)).status, 200)
    const health = await call(rootOf(server), 'GET', '/health')
    assert.deepEqual([health.status, health.json.reads, health.json.writes], [503, 'ok', 'failing'])
    limit('unlimited')
    await until(async () => (await call(rootOf(server), 'GET', '/health')).status === 200, 'writes work again')
    assert.equal((await call(baseUrl, 'POST', '/firewalls', { name: 'after' })).status, 201)
    await server.kill()
    assert.ok(server.log().some(({ msg, reason }) => msg === 'writes fail' && reason === 'disk I/O error'))
    const next = await serve(`sqlite:${path}`)
    const { firewalls } = (await call(next.baseUrl, 'GET', '/firewalls?sort=name')).json
    assert.deepEqual(
      firewalls.map(({ name }: { name: string }) => name),
      ['after', 'before'],
    )
    await next.stop()
  })
})
