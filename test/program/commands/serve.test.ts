/** `wolke serve` as operators use it: real processes of the built program on a real file. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { request as httpsRequest } from 'node:https'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { certificate, privateKey } from '../../fixtures/tls.ts'
import { until } from '../../kit/database/bare-database.ts'
import { createDatabase, postgresUrl } from '../../kit/database/postgres.ts'
import { onPostgres } from '../../kit/engines.ts'
import {
  api,
  checkFailure,
  collect,
  hold,
  key,
  type Outcome,
  place,
  type Running,
  serve,
  start,
  tokenOf,
  wolke,
} from '../kit/wolke.ts'

describe('wolke serve', { concurrency: 2 }, () => {
  test('shows a token at its first start only, survives a kill, and ends on SIGTERM with 0', async (t) => {
    const { directory, url } = await place()
    const readyFile = join(directory, 'ready.json')
    const first = await serve(t, '--database', url, '--ready-file', readyFile)
    const token = tokenOf(first)!
    assert.match(token, /^wlk_[0-9A-Za-z]{60}$/)
    const { storage_url, metadata_url, dns, ...ready } = JSON.parse(await readFile(readyFile, 'utf8'))
    const closed = { storage_ssh: null, storage_webdav: null, metrics_url: null }
    assert.deepEqual(ready, { base_url: first.baseUrl, pid: first.child.pid, ...closed })
    assert.match(dns, /^127\.0\.0\.1:\d+$/)
    assert.equal(storage_url, new URL('/storage/v1', first.baseUrl).href)
    assert.match(metadata_url, /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.match(first.baseUrl, /^http:\/\/127\.0\.0\.1:\d+\/v1$/)
    const created = await api(first.baseUrl, token, '/ssh_keys', { name: 'kept', public_key: key })
    assert.equal(created.status, 201)
    assert.equal(await first.end('SIGKILL'), null)

    const second = await serve(t, '--database', url)
    assert.equal(tokenOf(second), undefined)
    assert.ok(!second.texts.stdout.includes('wlk_'))
    const found = await api(second.baseUrl, token, '/ssh_keys')
    assert.deepEqual(found.body.ssh_keys, [created.body.ssh_key])
    // A connection that nobody uses must not keep it.
    const idle = connect(Number(new URL(second.baseUrl).port), '127.0.0.1')
    await once(idle, 'connect')
    idle.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(idle, 'data')
    assert.equal(await second.end('SIGTERM'), 0)
    assert.equal(second.texts.stderr, '')
    idle.destroy()
  })

  test('finishes what it owes when the signal comes again, as from npm and the terminal', async (t) => {
    const server = await serve(t, '--database', 'memory')
    const slow = connect(Number(new URL(server.baseUrl).port), '127.0.0.1')
    const answer = slow.setEncoding('latin1').toArray()
    const head = ['POST /v1/ssh_keys HTTP/1.1', 'Host: a', `Authorization: Bearer ${tokenOf(server)}`]
    const body = ['Content-Type: application/json', 'Content-Length: 2', 'Expect: 100-continue']
    slow.write(`${[...head, ...body].join('\r\n')}\r\n\r\n`)
    await once(slow, 'data')
    server.child.kill('SIGTERM')
    const refused = () =>
      api(server.baseUrl, 'none', '/ssh_keys').then(
        () => false,
        () => true,
      )
    await until(refused, 'it takes no more connections')
    server.child.kill('SIGTERM')
    slow.write('{}')
    assert.match((await answer).join(''), /^HTTP\/1\.1 100 .+HTTP\/1\.1 422 /s)
    assert.equal(await server.end('SIGTERM'), 0)
  })

  test('takes the token that it is given, in commands to be pasted as well, and SIGINT', async (t) => {
    const token = `my'own"\\token-$(id)\`id\`!-${'x'.repeat(64)}`.slice(0, 64)
    const server = await serve(t, '--database', 'memory', '--token', token)
    assert.equal((await api(server.baseUrl, token, '/ssh_keys')).status, 200)
    assert.equal((await api(server.baseUrl, token.replace('x', 'y'), '/ssh_keys')).status, 401)
    const commands = [...server.texts.stdout.matchAll(/^ {2}((?:export|curl) .*)$/gm)].map(([, command]) => command)
    const pasted = [...commands, `printf '\\n%s' "$HCLOUD_ENDPOINT $HCLOUD_TOKEN"`].join('\n')
    const { stdout } = await promisify(execFile)('sh', ['-ec', pasted])
    assert.match(stdout, /"servers":\[\]/)
    assert.ok(stdout.endsWith(`\n${server.baseUrl} ${token}`))
    assert.equal(await server.end('SIGINT'), 0)
  })

  test('keeps the token that it was given when it is started without, and the random one of its first start', async (t) => {
    const { url } = await place()
    const given = `my-own-token-${'x'.repeat(51)}`
    const first = await serve(t, '--database', url)
    const random = tokenOf(first)!
    await first.end('SIGTERM')
    for (const options of [['--token', given], []]) {
      const server = await serve(t, '--database', url, ...options)
      for (const token of [given, random]) assert.equal((await api(server.baseUrl, token, '/ssh_keys')).status, 200)
      await server.end('SIGTERM')
    }
  })

  test('finishes the request under way when it is told to stop', async (t) => {
    const { url } = await place()
    const server = await serve(t, '--database', url)
    const token = tokenOf(server)!
    const port = Number(new URL(server.baseUrl).port)
    const socket = connect(port, '127.0.0.1')
    const body = JSON.stringify({ name: 'late', public_key: key })
    socket.write(
      `POST /v1/ssh_keys HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    // The server has taken the request once it asks for the body.
    await once(socket, 'data')
    const ended = server.end('SIGTERM')
    // It has heard once it takes no new connection.
    for (let taken = true; taken; ) {
      const probe = connect(port, '127.0.0.1')
      taken = await once(probe, 'connect').then(
        () => true,
        () => false,
      )
      probe.destroy()
    }
    socket.write(body)
    let answer = ''
    for await (const text of socket.setEncoding('utf8')) answer += text
    assert.match(answer, /^HTTP\/1\.1 201 /)
    assert.match(answer, /\r\nconnection: close\r\n/i)
    assert.equal(await ended, 0)
  })

  test('keeps a second server off its file, in one line', async (t) => {
    const { url, path } = await place()
    const server = await serve(t, '--database', url)
    const outcome = await wolke('serve', '--listen', '127.0.0.1:0', '--database', url)
    checkFailure(outcome, 1, /another wolke serve is using .*--database postgres:/)
    assert.ok(outcome.stderr.includes(path))
    await server.end('SIGKILL')
    await (await serve(t, '--database', url)).end('SIGTERM')
  })

  test('serves HTTPS with the certificate that it is given', async (t) => {
    const { directory } = await place()
    const [cert, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
    await writeFile(cert, certificate)
    await writeFile(keyFile, privateKey)
    const server = await serve(t, '--database', 'memory', '--tls-cert', cert, '--tls-key', keyFile)
    assert.match(server.baseUrl, /^https:/)
    const health = new URL('/health', server.baseUrl)
    const [response] = await once(httpsRequest(health, { ca: certificate, agent: false }).end(), 'response')
    response.resume()
    assert.equal(response.statusCode, 200)
    assert.match(response.headers['x-correlation-id'], /^[0-9a-f]{32}$/)
    assert.equal(await server.end('SIGTERM'), 0)
  })

  test('says in one line what it cannot use', async (t) => {
    const { directory, url, path } = await place()
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    t.after(() => taken.close())
    const { port } = taken.address() as { port: number }
    await (await serve(t, '--database', url)).end('SIGTERM')
    const file = new DatabaseSync(path)
    file.exec(`insert into migration (id, position) values ('9999-from-the-future', (select count(*) from migration))`)
    file.exec('update schema_floor set known = known + 1000')
    file.close()
    await writeFile(join(directory, 'nonsense'), 'nonsense'.repeat(200))
    const broken = join(directory, 'nonsense')
    const free = ['serve', '--listen', '127.0.0.1:0']
    const [portTaken, newer, newerToo, noDatabase, away, noCertificate, badCertificate] = await Promise.all([
      wolke('serve', '--database', 'memory', '--listen', `127.0.0.1:${port}`),
      wolke(...free, '--database', url),
      wolke('project', 'list', '--database', url),
      wolke(...free, '--database', `sqlite:${broken}`),
      wolke(...free, '--database', 'postgres://nobody:secret@127.0.0.1:1/none'),
      wolke(...free, '--database', 'memory', '--tls-cert', '/nowhere/c.pem', '--tls-key', '/nowhere/k.pem'),
      wolke(...free, '--database', 'memory', '--tls-cert', broken, '--tls-key', broken),
    ])
    checkFailure(portTaken, 1, new RegExp(`cannot listen on 127\\.0\\.0\\.1:${port}: .*EADDRINUSE`))
    for (const outcome of [newer, newerToo]) checkFailure(outcome, 1, /9999-from-the-future.*use a newer version/)
    checkFailure(
      noDatabase,
      1,
      /cannot use the database .*nonsense: it is damaged \(file is not a database\); wolke restore/,
    )
    checkFailure(away, 1, /cannot use the database postgres:\/\/127.0.0.1:1\/none: .*ECONNREFUSED/)
    assert.ok(!away.stderr.includes('secret'))
    checkFailure(noCertificate, 2, /--tls-cert: .*ENOENT/)
    assert.equal(badCertificate.stdout, '')
    assert.notEqual(badCertificate.code, 0)
  })

  test('says in one line what keeps it from PostgreSQL, and never a password', onPostgres, async (t) => {
    const { url, drop } = await createDatabase(await postgresUrl())
    t.after(drop)
    const changed = (change: (url: URL) => void) => {
      const other = new URL(url)
      change(other)
      return other.href
    }
    const cases: [database: string, says: RegExp][] = [
      [changed((one) => (one.password = 'wrong-password')), /password authentication failed/],
      [changed((one) => (one.pathname = '/no-such-database')), /"no-such-database" does not exist/],
      [changed((one) => (one.hostname = 'no-such-host.invalid')), /no-such-host\.invalid/],
      [changed((one) => (one.port = '1')), /ECONNREFUSED/],
    ]
    for (const [database, says] of cases) {
      const outcome = await wolke('serve', '--listen', '127.0.0.1:0', '--database', database)
      checkFailure(outcome, 1, says)
      assert.match(outcome.stderr, /^wolke: cannot use the database postgres:\/\/[^@]*$/)
      assert.equal(outcome.stderr.match(/cannot use/g)?.length, 1)
    }
  })

  test('ends when it has failed, whatever is still under way in it', async () => {
    // A lookup of a host takes as long as the machine's resolver wants, and cannot be called off.
    const child = start(['serve', '--database', 'postgres://nobody@127.0.0.1:1/none', '--listen', '127.0.0.1:0'], {
      NODE_OPTIONS: '--import=data:text/javascript,setInterval(()=>{},1e9)',
    })
    const [code] = await once(child, 'close')
    assert.equal(code, 1)
  })

  test('moves off a default port that is taken, and says so in its greeting and its log', async (t) => {
    const serveMoved = async (tries: number): Promise<Running> => {
      for (const port of [8169, 5353]) await hold(t, port)
      const server = await serve(t, '--database', 'memory', '--log-level', 'warn')
      await server.end('SIGTERM')
      // Another process that had one of the ports may be gone.
      const moved = server.texts.stdout.match(/ is in use\)/g)?.length === 2
      return moved || tries === 1 ? server : serveMoved(tries - 1)
    }
    const { texts } = await serveMoved(5)
    assert.match(texts.stdout, /^ {2}Metadata {3}http:\/\/127\.0\.0\.1:\d+ {2}\(127\.0\.0\.1:8169 is in use\)$/m)
    assert.match(texts.stdout, /^ {2}DNS {8}127\.0\.0\.1:\d+ {2}\(127\.0\.0\.1:5353 is in use\)$/m)
    const lines = texts.stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const said = lines.map(({ option, default: wanted, msg }) => [option, wanted, msg])
    const message = 'the default port is in use; listening on a free port'
    assert.deepEqual(said, [
      ['--metadata-listen', '127.0.0.1:8169', message],
      ['--dns-listen', '127.0.0.1:5353', message],
      [undefined, undefined, 'this server has a lab: whoever administers it may move its time'],
    ])
  })

  test('never moves off a port that it was told to take, also when that is the default one', async (t) => {
    const options = ['--database', 'memory', '--listen', '127.0.0.1:0', '--dns-listen', 'off']
    const outcome = async (): Promise<Outcome> => {
      await hold(t, 8169)
      const child = start(['serve', ...options, '--metadata-listen', '127.0.0.1:8169'])
      t.after(() => child.kill('SIGKILL'))
      const texts = collect(child)
      // Another process that had the port may be gone; then the server is told to go too.
      child.stdout!.once('data', () => child.kill('SIGTERM'))
      const [code] = (await once(child, 'close')) as [number | null]
      assert.ok(!texts.stdout || / Metadata {3}http:\/\/127\.0\.0\.1:8169$/m.test(texts.stdout), texts.stdout)
      return texts.stdout ? outcome() : { code, ...texts }
    }
    checkFailure(await outcome(), 1, /--metadata-listen: cannot listen on 127\.0\.0\.1:8169: the port is in use/)
  })

  test('takes several processes over one PostgreSQL database', onPostgres, async (t) => {
    const { url, drop } = await createDatabase(await postgresUrl())
    t.after(drop)
    const options = ['--database', url, '--key-file', join((await place()).directory, 'key')]
    const servers = await Promise.all([serve(t, ...options), serve(t, ...options)])
    const tokens = servers.map(tokenOf).filter((token) => token !== undefined)
    assert.ok(tokens.length > 0)
    for (const { baseUrl } of servers) assert.equal((await api(baseUrl, tokens[0]!, '/ssh_keys')).status, 200)
    assert.deepEqual(await Promise.all(servers.map((server) => server.end('SIGTERM'))), [0, 0])
  })
})
