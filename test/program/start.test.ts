/** Starts that cannot succeed say so in one line, and leave nothing behind. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { certificate, privateKey } from '../fixtures/tls.ts'
import { createDatabase, postgresUrl } from '../kit/database/postgres.ts'
import { onPostgres } from '../kit/engines.ts'
import { mount } from '../kit/samples/disks.ts'
import { call, program } from './kit/program.ts'

const { folder, serve, fail, command } = program('start')

/** Everything below a folder. */
const found = (path: string) => readdirSync(path, { recursive: true }).map(String).sort()

/** A folder of its own for one test. */
function place(name: string): string {
  const path = join(folder, name)
  mkdirSync(path)
  return path
}

describe('A second server', () => {
  test('is kept off a file by whatever path it comes', async () => {
    const at = place('paths')
    const file = join(at, 'data/wolke.db')
    const server = await serve(`sqlite:${file}`)
    symlinkSync(file, join(at, 'link.db'))
    assert.match(await fail(`sqlite:${at}/data/../link.db`), /^wolke: another wolke serve is using [^\n]+\n$/)
    linkSync(file, join(at, 'second.db'))
    assert.match(
      await fail(`sqlite:${join(at, 'second.db')}`),
      /^wolke: cannot use .*second name \(a hard link\)[^\n]*\n$/,
    )
    unlinkSync(join(at, 'second.db'))
    assert.equal((await call(server.baseUrl, 'GET', '/ssh_keys')).status, 200)
    await server.stop()
    const next = await serve(`sqlite:${join(at, 'link.db')}`, '--key-file', `${file}.key`)
    assert.equal((await call(next.baseUrl, 'GET', '/ssh_keys')).status, 200)
    await next.stop()
  })
})

/** Passes connections on to PostgreSQL, and leaves some, by their number, without an answer. */
async function busyPostgres(t: TestContext, silent: readonly number[]): Promise<{ url: string; taken(): number }> {
  const { url, drop } = await createDatabase(await postgresUrl())
  t.after(drop)
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let taken = 0
  const proxy = createServer((socket) => {
    const both = [socket]
    if (!silent.includes(++taken)) {
      const other = connect(Number(port), hostname)
      socket.pipe(other).pipe(socket)
      both.push(other)
    }
    for (const one of both) {
      sockets.add(one)
      one.on('error', () => undefined).on('close', () => both.forEach((each) => void each.destroy()))
    }
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  const through = new URL(url)
  Object.assign(through, { hostname: '127.0.0.1', port: (proxy.address() as { port: number }).port })
  return { url: through.href, taken: () => taken }
}

describe('On a PostgreSQL that is too busy to answer', onPostgres, () => {
  test('a start and a command try again', async (t) => {
    const { url, taken } = await busyPostgres(t, [1, 3])
    const server = await serve(url)
    assert.ok(taken() > 3)
    assert.equal((await call(server.baseUrl, 'GET', '/ssh_keys')).status, 200)
    await server.stop()
    const again = await busyPostgres(t, [1])
    const { code, stderr } = await command('project', 'list', '--database', again.url)
    // The second one is answered: nobody has served this database yet.
    assert.equal(code, 1)
    assert.match(stderr, /^wolke: there is no Wolke database at /)
  })
})

describe('A start that cannot succeed', { concurrency: 2 }, () => {
  test('says what is in its way, in one line, and leaves nothing behind', async () => {
    const at = place('ways')
    mkdirSync(join(at, 'folder.db'))
    writeFileSync(join(at, 'file'), 'a file')
    writeFileSync(join(at, 'noise.db'), 'noise'.repeat(2_000))
    const before = found(at)
    const cases: [path: string, says: RegExp][] = [
      ['folder.db', /EISDIR/],
      ['file/below/wolke.db', /ENOTDIR|EEXIST/],
      ['noise.db', /it is damaged \(file is not a database\); wolke restore/],
    ]
    for (const [path, says] of cases) {
      const line = await fail(`sqlite:${join(at, path)}`)
      assert.match(line, says)
      assert.match(line, /^wolke: cannot use the database [^\n]+\n$/)
    }
    assert.match(await fail('sqlite:/proc/wolke/wolke.db'), /^wolke: cannot use the database \/proc\S+ ENOENT[^\n]+\n$/)
    const storage = join(at, 'file/storage')
    for (const database of [`sqlite:${join(at, 'good.db')}`, 'memory']) {
      const line = await fail(database, '--storage', storage)
      assert.match(line, /^wolke: --storage: Storage Boxes cannot be in \S+file\/storage: EEXIST[^\n]+\n$/)
      // Nobody can make anything there, and the kernel says of it only that it is not there.
      for (const nowhere of ['/proc/wolke', '/proc/wolke/storage', ...(database === 'memory' ? [] : ['/proc'])]) {
        const line = await fail(database, '--storage', nowhere)
        assert.match(line, /^wolke: --storage: Storage Boxes cannot be in \/proc\S*: ENOENT[^\n]+\n$/)
      }
    }
    assert.deepEqual(found(at), before)
  })

  test('on a port that is taken leaves no database whose token nobody has seen', async (t) => {
    const at = place('port')
    const taken = createServer().listen(0, '127.0.0.1')
    t.after(() => taken.close())
    await new Promise((resolve) => taken.once('listening', resolve))
    const { port } = taken.address() as { port: number }
    const database = `sqlite:${join(at, 'data/wolke.db')}`
    for (const option of ['--listen', '--metadata-listen', '--metrics-listen', '--dns-listen']) {
      const line = `wolke: ${option}: cannot listen on 127.0.0.1:${port}: the port is in use (EADDRINUSE)\n`
      assert.equal(await fail(database, option, `127.0.0.1:${port}`), line)
      assert.deepEqual(found(at), [])
    }
    const own = join(at, 'own.key')
    writeFileSync(own, 'x'.repeat(32), { mode: 0o600 })
    assert.match(await fail(database, '--key-file', own, '--listen', `127.0.0.1:${port}`), /cannot listen/)
    assert.deepEqual(found(at), ['own.key'])
    const server = await serve(database)
    await server.stop()
    const after = found(at)
    assert.match(await fail(database, '--listen', `127.0.0.1:${port}`), /cannot listen/)
    assert.deepEqual(found(at), after)
  })

  test('on a disk that is full or read-only says so', async (t) => {
    const full = place('full')
    if (!mount(t, full, 'size=64k')) return
    const line = await fail(`sqlite:${full}/data/wolke.db`)
    assert.match(line, /^wolke: [^\n]*(disk is full|ENOSPC)[^\n]*\n$/)
    assert.deepEqual(found(full), [])
    const readOnly = place('read-only')
    if (!mount(t, readOnly, 'size=1m,ro')) return
    assert.match(await fail(`sqlite:${readOnly}/wolke.db`), /^wolke: cannot use the database [^\n]*EROFS[^\n]*\n$/)
  })
})

describe('A file that an option names', { concurrency: 2 }, () => {
  /** Each option with a file that it cannot take. */
  function badFiles(at: string): [options: string[], says: RegExp][] {
    const file = (name: string, text: string) => {
      writeFileSync(join(at, name), text, { mode: 0o600 })
      return join(at, name)
    }
    const [cert, key] = [file('cert.pem', certificate), file('key.pem', privateKey)]
    const [text, missing] = [file('text', 'some text'), join(at, 'missing')]
    const second = certificate.replace(/\n.{20}/, '\nbroken')
    return [
      [['--acme-ca-file', missing], /--acme-ca-file: ENOENT/],
      [['--acme-ca-file', text], /--acme-ca-file: .*holds no certificate/],
      [['--acme-ca-file', file('second.pem', certificate + second)], /--acme-ca-file: /],
      [['--tls-cert', missing, '--tls-key', key], /--tls-cert: ENOENT/],
      [['--tls-cert', cert, '--tls-key', text], /--tls-cert and --tls-key: /],
      [['--catalogue', text], /--catalogue .*JSON/],
      [['--key-file', text], /--key-file: .*does not hold a key/],
      [['--previous-key-file', missing], /--previous-key-file: .* does not exist/],
      [['--ready-file', join(missing, 'ready')], /--ready-file: ENOENT/],
      [['--ready-file', at], /--ready-file: .*is a folder/],
    ]
  }

  test('is refused before a database is made', async () => {
    const at = place('files')
    const cases = badFiles(at)
    const before = found(at)
    for (const [options, says] of cases) {
      const { code, stderr } = await command('serve', '--database', `sqlite:${at}/data/wolke.db`, ...options)
      assert.match(stderr, says)
      assert.match(stderr, /^wolke: [^\n]+\n$/)
      assert.equal(code, 2)
      assert.deepEqual(found(at), before)
    }
  })

  test('is refused before a database that is there is locked or read', async () => {
    const at = place('files-of-others')
    const database = `sqlite:${at}/wolke.db`
    const cases = badFiles(at)
    writeFileSync(join(at, 'wolke.db'), 'noise'.repeat(2_000))
    const before = found(at)
    for (const [options, says] of cases) {
      assert.match((await command('serve', '--database', database, ...options)).stderr, says)
      assert.deepEqual(found(at), before)
    }
  })
})

describe('The ready file', { concurrency: 2 }, () => {
  const pidIn = (path: string) => JSON.parse(readFileSync(path, 'utf8')).pid
  /** Writes what a server leaves that was killed. */
  const leave = (path: string) => writeFileSync(path, '{"pid":1}')

  test('is there from the moment that the server is ready until it is told to stop', async () => {
    const ready = join(place('ready'), 'ready.json')
    leave(ready)
    const first = await serve('memory', '--ready-file', ready)
    assert.equal(pidIn(ready), first.child.pid)
    await first.stop()
    assert.equal(existsSync(ready), false)
  })

  test('of a server that was killed is gone before the next one starts, whatever becomes of that', async () => {
    const at = place('left')
    const ready = join(at, 'ready.json')
    leave(ready)
    writeFileSync(join(at, 'noise.db'), 'noise'.repeat(2_000))
    await fail(`sqlite:${at}/noise.db`, '--ready-file', ready)
    assert.equal(existsSync(ready), false)
  })

  test('stays with the server that runs, whoever else is refused or stops', async () => {
    const at = place('of-another')
    const ready = join(at, 'ready.json')
    const server = await serve(`sqlite:${at}/wolke.db`, '--ready-file', ready)
    await fail(`sqlite:${at}/wolke.db`, '--ready-file', ready)
    await command('serve', '--database', 'memory', '--ready-file', ready, '--acme-ca-file', join(at, 'missing'))
    assert.equal(pidIn(ready), server.child.pid)
    leave(ready)
    await server.stop()
    assert.equal(pidIn(ready), 1)
  })
})
