/** The command line as operators use it: real processes of the built program on a real file. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { request as httpsRequest } from 'node:https'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, type TestContext, test } from 'node:test'
import { gate, until } from '../bare-database.ts'
import { chain, selfSigned } from '../certificates.ts'
import { onPostgres } from '../engines.ts'
import { certificate, privateKey } from '../fixtures/tls.ts'
import { createDatabase, postgresUrl } from '../postgres.ts'
import { openMailServer } from '../smtp.ts'
import { build, bundle } from './program.ts'

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'

interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Where all processes run and keep what is temporary. */
const home = mkdtempSync(join(tmpdir(), 'wolke-home-'))

function start(args: readonly string[], more: NodeJS.ProcessEnv = {}): ChildProcess {
  const { WOLKE_TEST_POSTGRES: _, ...rest } = process.env
  // What the machine that runs the tests has set for its own server is not meant for these.
  const env = Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith('WOLKE_')))
  return spawn(process.execPath, [bundle, ...args], { env: { ...env, TMPDIR: home, ...more }, cwd: home })
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  return texts
}

/** Runs a command to its end. */
async function wolke(...args: string[]): Promise<Outcome> {
  const child = start(args)
  const texts = collect(child)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...texts }
}

interface Running {
  readonly child: ChildProcess
  readonly baseUrl: string
  readonly texts: { readonly stdout: string; readonly stderr: string }
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts a server on a free port and waits until it says that it is ready. */
async function serve(t: TestContext, ...args: string[]): Promise<Running> {
  const child = start(['serve', '--listen', '127.0.0.1:0', '--log-level', 'error', ...args])
  t.after(() => child.kill('SIGKILL'))
  const texts = collect(child)
  const closed = once(child, 'close') as Promise<[number | null]>
  const isReady = () => texts.stdout.includes('curl:') && texts.stdout.endsWith('\n')
  while (!isReady()) {
    const exit = await Promise.race([once(child.stdout!, 'data').then(() => undefined), closed])
    if (exit) assert.fail(`the server ended with ${exit[0]}: ${texts.stderr}`)
  }
  const baseUrl = /API +(\S+)/.exec(texts.stdout)![1]!
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return closed.then(([code]) => code)
  }
  return { child, baseUrl, texts, end }
}

before(build)

const directories = [home]
after(() => Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true }))))

/** A directory with a database file that does not exist yet. */
async function place(): Promise<{ directory: string; url: string; path: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'wolke-commands-'))
  directories.push(directory)
  const path = join(directory, 'data/wolke.db')
  return { directory, path, url: `sqlite:${path}` }
}

async function api(baseUrl: string, token: string, path: string, body?: unknown) {
  const response = await fetch(baseUrl + path, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: JSON.parse(text) }
}

/** A failure that an operator can act on: one line, no stack, nothing on standard output. */
function checkFailure({ code, stdout, stderr }: Outcome, expectedCode: number, says: RegExp): void {
  assert.match(stderr, says)
  assert.match(stderr, /^wolke: [^\n]+\n$/)
  assert.equal(stdout, '')
  assert.equal(code, expectedCode)
}

/** Holds a port of the machine for a test: itself, or by whichever process has it at the moment. */
async function hold(t: TestContext, port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
  })
}

const tokenOf = ({ texts }: Running) => /^ +Token +(\S{64}) /m.exec(texts.stdout)?.[1]

describe('wolke serve', { concurrency: 2 }, () => {
  test('shows a token at its first start only, survives a kill, and ends on SIGTERM with 0', async (t) => {
    const { directory, url } = await place()
    const readyFile = join(directory, 'ready.json')
    const first = await serve(t, '--database', url, '--ready-file', readyFile)
    const token = tokenOf(first)!
    assert.match(token, /^wlk_[0-9A-Za-z]{60}$/)
    const { metadata_url, dns, ...ready } = JSON.parse(await readFile(readyFile, 'utf8'))
    assert.deepEqual(ready, { base_url: first.baseUrl, pid: first.child.pid })
    assert.match(dns, /^127\.0\.0\.1:\d+$/)
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

  test('takes the token that it is given, and SIGINT', async (t) => {
    const token = `my-own-token-${'x'.repeat(51)}`
    const server = await serve(t, '--database', 'memory', '--token', token)
    assert.equal((await api(server.baseUrl, token, '/ssh_keys')).status, 200)
    assert.equal((await api(server.baseUrl, token.replace('x', 'y'), '/ssh_keys')).status, 401)
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

describe('The key of the secrets', { concurrency: 2 }, () => {
  test('is made at the first start, for its owner alone, and needed from then on', async (t) => {
    const { directory, url, path } = await place()
    const server = await serve(t, '--database', url)
    assert.equal((await stat(`${path}.key`)).mode & 0o777, 0o400)
    // The bundle reads certificates by a program of its own.
    const { certificate, private_key } = chain(5)
    const created = await api(server.baseUrl, tokenOf(server)!, '/certificates', {
      name: 'c',
      certificate,
      private_key,
    })
    assert.equal(created.status, 201, JSON.stringify(created.body))
    assert.deepEqual(created.body.certificate.domain_names, ['www.example.com'])
    // And what writes them is read on demand.
    const root = await fetch(new URL('ca.pem', `${server.baseUrl}/`))
    assert.ok(new X509Certificate(await root.text()).ca)
    assert.equal(await server.end('SIGTERM'), 0)

    const kept = join(directory, 'kept')
    await rename(`${path}.key`, kept)
    const start = ['serve', '--listen', '127.0.0.1:0', '--database', url]
    checkFailure(
      await wolke(...start),
      1,
      /--key-file: .*wolke\.db\.key does not exist, but the database needs the key \w{16}/,
    )
    const other = join(directory, 'other')
    await writeFile(other, 'x'.repeat(32), { mode: 0o600 })
    checkFailure(await wolke(...start, '--key-file', other), 1, /need the key \w{16}, which is not at hand/)
    await writeFile(join(directory, 'nonsense'), 'nonsense', { mode: 0o600 })
    checkFailure(await wolke(...start, '--key-file', join(directory, 'nonsense')), 2, /does not hold a key: 32 bytes/)
    const again = await serve(t, '--database', url, '--key-file', kept)
    assert.equal(await again.end('SIGTERM'), 0)
  })

  test('is replaced while the server runs with both', async (t) => {
    const { directory, url, path } = await place()
    const database = ['--database', url]
    const first = await serve(t, ...database)
    const { certificate, private_key } = chain(1)
    await api(first.baseUrl, tokenOf(first)!, '/certificates', { name: 'c', certificate, private_key })
    assert.equal(await first.end('SIGTERM'), 0)

    const old = join(directory, 'old.key')
    await rename(`${path}.key`, old)
    const both = [...database, '--previous-key-file', old]
    const second = await serve(t, ...both)
    const rotated = await wolke('secrets', 'rotate', ...both)
    assert.deepEqual(rotated, { code: 0, stderr: '', stdout: 'Projects whose key was encrypted again: 1\n' })
    assert.equal(await second.end('SIGTERM'), 0)
    await (await serve(t, ...database)).end('SIGTERM')
    const start = ['serve', '--listen', '127.0.0.1:0', ...database]
    checkFailure(await wolke(...start, '--key-file', old), 1, /need the key \w{16}/)
    checkFailure(await wolke(...start, '--previous-key-file', join(directory, 'none')), 2, /none does not exist/)
  })
})

/** Tokens with scopes, rotated ones and management tokens, as commands make them. */
async function checkLimited(baseUrl: string, database: readonly string[]): Promise<void> {
  const more = ['--families', 'servers', '--verbs', 'reboot,read', '--label-selector', 'env = test']
  const limited = ['--project', 'second', '--name', 'limited', '--expires', '2099-01-01T00:00:00Z', ...more]
  const scoped = (await wolke('token', 'create', ...limited, ...database)).stdout.trim()
  const management = (await wolke('token', 'create', '--management', '--name', 'all', ...database)).stdout.trim()
  assert.match(management, /^wlm_[0-9A-Za-z]{60}$/)
  const listed = JSON.parse((await wolke('token', 'list', '--json', ...database)).stdout)
  const entry = listed.find(({ ends_with }: { ends_with: string }) => ends_with === scoped.slice(-4))
  const scope = { families: ['servers'], verbs: ['read', 'reboot'], label_selector: 'env=test' }
  assert.deepEqual([entry.scope, entry.expires, entry.kind], [scope, '2099-01-01T00:00:00Z', 'project'])
  const rotated = (await wolke('token', 'rotate', String(entry.id), ...database)).stdout.trim()
  for (const one of [scoped, rotated]) assert.equal((await api(baseUrl, one, '/servers')).status, 200)
  assert.equal((await api(baseUrl, rotated, '/volumes')).body.error.code, 'forbidden')
  assert.equal((await api(baseUrl, management, '/servers')).status, 401)
  for (const one of [rotated, management])
    assert.equal((await wolke('token', 'revoke', one, ...database)).stdout, 'Token revoked\n')
  checkFailure(await wolke('token', 'create', ...database), 2, /either --project or --management/)
  checkFailure(await wolke('token', 'create', '--management', '--read-only', ...database), 2, /without --project/)
  const wrong = { families: 'cars', verbs: 'explode', 'label-selector': 'a=(', expires: 'soon' }
  for (const [option, value] of Object.entries(wrong)) {
    const args = ['token', 'create', '--project', 'second', `--${option}`, value, ...database]
    checkFailure(await wolke(...args), 2, new RegExp(`--${option}`))
  }
}

describe('wolke project and wolke token', { concurrency: 2 }, () => {
  test('work on the file of a running server', async (t) => {
    const { url } = await place()
    const database = ['--database', url]
    const server = await serve(t, ...database)
    const made = await wolke('project', 'create', 'second', ...database)
    assert.match(made.stdout, /^Project second created with ID \d+\n$/)
    assert.deepEqual([made.code, made.stderr], [0, ''])
    checkFailure(await wolke('project', 'create', 'second', ...database), 1, /a project named 'second' exists already/)
    const listed = await wolke('project', 'list', ...database)
    assert.match(listed.stdout, /^\d+\tdefault\t\S+Z\tnone\n\d+\tsecond\t\S+Z\tnone\n$/)

    const [writer, reader] = await Promise.all([
      wolke('token', 'create', '--project', 'second', '--name', 'ci', ...database),
      wolke('token', 'create', '--project', 'second', '--read-only', ...database),
    ])
    for (const { code, stdout, stderr } of [writer, reader]) {
      assert.match(stdout, /^wlk_[0-9A-Za-z]{60}\n$/)
      assert.deepEqual([code, stderr], [0, ''])
    }
    const [token, readOnly] = [writer.stdout.trim(), reader.stdout.trim()]
    const created = await api(server.baseUrl, token, '/ssh_keys', { name: 'a', public_key: key })
    assert.equal(created.status, 201)
    const refused = await api(server.baseUrl, readOnly, '/ssh_keys', { name: 'b', public_key: key })
    assert.equal(refused.body.error.code, 'token_readonly')
    assert.equal((await api(server.baseUrl, readOnly, '/ssh_keys')).body.ssh_keys.length, 1)
    assert.equal((await api(server.baseUrl, tokenOf(server)!, '/ssh_keys')).body.ssh_keys.length, 0)

    const tokens = (await wolke('token', 'list', ...database)).stdout
    assert.match(
      tokens,
      new RegExp(`^\\d+\tsecond\tci\tread-write\t\\.\\.\\.${token.slice(-4)}\t\\S+Z\t\\S+\tnever\teverything$`, 'm'),
    )
    assert.match(
      tokens,
      new RegExp(
        `^\\d+\tsecond\ttoken\tread-only\t\\.\\.\\.${readOnly.slice(-4)}\t\\S+Z\t\\S+\tnever\teverything$`,
        'm',
      ),
    )
    assert.ok(!tokens.includes(token))
    const id = new RegExp(`^(\\d+).*${readOnly.slice(-4)}`, 'm').exec(tokens)![1]!
    assert.equal((await wolke('token', 'revoke', id, ...database)).stdout, 'Token revoked\n')
    checkFailure(await wolke('token', 'revoke', id, ...database), 1, /there is no such token/)

    await checkLimited(server.baseUrl, database)

    checkFailure(await wolke('project', 'delete', 'second', ...database), 1, /still has resources/)
    const gone = await fetch(`${server.baseUrl}/ssh_keys/${created.body.ssh_key.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(gone.status, 204)
    assert.deepEqual(await wolke('project', 'delete', 'second', ...database), {
      code: 0,
      stdout: 'Project second deleted\n',
      stderr: '',
    })
    checkFailure(await wolke('project', 'delete', 'second', ...database), 1, /there is no project named 'second'/)
    checkFailure(
      await wolke('token', 'create', '--project', 'second', ...database),
      1,
      /there is no project named 'second'/,
    )
    assert.ok(!(await wolke('token', 'list', ...database)).stdout.includes('second'))
  })
})

describe('Mail to the owner of a Project', { concurrency: 2 }, () => {
  /** An installation with a certificate that is valid until the end of 2035. */
  async function prepare(t: TestContext) {
    const { url } = await place()
    const database = ['--database', url]
    const server = await serve(t, ...database)
    const uploaded = await api(server.baseUrl, tokenOf(server)!, '/certificates', {
      name: 'web',
      ...selfSigned('a.example'),
    })
    assert.equal(uploaded.status, 201)
    await server.end('SIGTERM')
    const list = async () => {
      const { stdout } = await wolke('mail', 'list', ...database)
      return stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => line.split('\t').slice(2))
    }
    return { database, list }
  }

  test('is sent once the server of mail is known, again under the same Message-ID after a kill, and listed', async (t) => {
    const { database, list } = await prepare(t)
    const changed = await wolke('project', 'set', 'default', '--owner-email', 'owner@example.org', ...database)
    assert.deepEqual([changed.code, changed.stdout], [0, 'Project default changed\n'])
    assert.match((await wolke('project', 'list', ...database)).stdout, /\towner@example\.org\n$/)
    assert.deepEqual(await list(), [])
    const mailServer = await openMailServer()
    t.after(() => mailServer.close())
    const holding = gate()
    mailServer.behaviour.message = () => holding.pass() as Promise<undefined>
    const options = [...database, '--now', '2035-12-28', '--smtp', mailServer.url, '--mail-from', 'cloud@example.com']
    const first = await serve(t, ...options)
    await until(() => holding.arrived === 1)
    const mail = ['default', 'owner@example.org', 'waiting', '1', 'Expires within 4 days: certificate web', '']
    assert.deepEqual(await list(), [mail])
    await first.end('SIGKILL')
    holding.open()
    const second = await serve(t, ...options)
    await until(() => mailServer.received.length === 2)
    assert.equal(await second.end('SIGTERM'), 0)
    const [one, other] = mailServer.received.map((received) => received.header('message-id'))
    assert.equal(one, other)
    assert.deepEqual(await list(), [mail.with(2, 'sent').with(3, '2')])
  })

  test('is written to the log where no server of mail is known', async (t) => {
    const { database, list } = await prepare(t)
    const options = [...database, '--now', '2035-12-28', '--log-level', 'info']
    const server = await serve(t, ...options, '--owner-email', 'owner@example.org')
    await until(() => server.texts.stderr.includes('Expires within 4 days: certificate web'))
    assert.equal(await server.end('SIGTERM'), 0)
    const mail = ['default', 'owner@example.org', 'logged', '1', 'Expires within 4 days: certificate web', '']
    assert.deepEqual(await list(), [mail])
    const [id] = (await wolke('mail', 'list', ...database)).stdout.split('\t')
    assert.equal((await wolke('mail', 'retry', id!, ...database)).stdout, `Mail ${id} is queued\n`)
    assert.deepEqual(await list(), [mail.with(2, 'waiting').with(3, '0')])
    checkFailure(await wolke('mail', 'retry', id!, ...database), 1, /no mail with this ID/)
  })

  test('has an owner from the first moment of a Project on, until it is taken away', async (t) => {
    const { url } = await place()
    const database = ['--database', url]
    await (await serve(t, ...database)).end('SIGTERM')
    await wolke('project', 'create', 'second', '--owner-email', 'second@example.org', ...database)
    assert.match((await wolke('project', 'list', ...database)).stdout, /^\d+\tsecond\t\S+Z\tsecond@example\.org\n$/m)
    await wolke('project', 'set', 'second', '--owner-email', 'none', ...database)
    assert.match((await wolke('project', 'list', ...database)).stdout, /\tnone\n$/)
    const unknown = await wolke('project', 'set', 'third', '--owner-email', 'none', ...database)
    checkFailure(unknown, 1, /there is no project named 'third'/)
  })
})

describe('A bad command line', { concurrency: 3 }, () => {
  const cases: [args: string[], says: RegExp][] = [
    [['frobnicate'], /unknown command 'frobnicate'/],
    [['serve', '--frobnicate'], /unknown option '--frobnicate'/],
    [['serve', '--listen', 'nowhere'], /--listen.*Expected HOST:PORT/],
    [['serve', '--dns-listen', 'localhost:53'], /--dns-listen.*Expected ADDRESS:PORT/],
    [['serve', '--dns-transfer-to', 'ns1.example.com'], /--dns-transfer-to.*expected ADDRESS or ADDRESS:PORT/],
    [['serve', '--dns-private-primaries', '10.0.0.1/8'], /--dns-private-primaries.*host bits/],
    [['serve', '--nameservers', 'ns1.example.com,NS2'], /--nameservers.*NS2: expected a domain name/],
    [['serve', '--hostmaster', 'me@example.com'], /--hostmaster.*expected a domain name/],
    [['serve', '--token', 'x'.repeat(63)], /--token.*exactly 64/],
    [['serve', '--tls-cert', 'x'], /--tls-cert and --tls-key belong together/],
    [['serve', '--acme-directory', 'http://ca.example/dir'], /--acme-directory.*Expected https/],
    [['serve', '--acme-eab-kid', 'x'], /--acme-eab-kid and --acme-eab-key belong together/],
    [['serve', '--acme-eab-kid', 'x', '--acme-eab-key', 'a key'], /--acme-eab-key.*Expected base64url/],
    [['serve', '--acme-ca-file', '/nowhere/x'], /--acme-ca-file: ENOENT/],
    [['serve', '--acme-ca-file', import.meta.filename], /--acme-ca-file: .*commands\.test\.ts holds no certificate/],
    [['serve', '--reverse-domain', 'Our Cloud'], /--reverse-domain.*expected a domain name/],
    [['serve', '--reverse-name', '{ip}.clients.{domain}'], /--reverse-name.*\{ip\} is unknown: use one of \{ipv4/],
    [['serve', '--reverse-name-ipv6', '{ipv6-dashed}.{domain}'], /--reverse-name-ipv6.*must end with a domain/],
    [['serve', '--reverse-domain', `${'a.'.repeat(115)}b`], /--reverse-name is too long for --reverse-domain/],
    [['serve', '--resolver', 'ns.example'], /--resolver.*Expected an IP address/],
    [['serve', '--resolver', '192.0.2.1:65536'], /--resolver.*Expected an IP address/],
    [['serve', '--delegation-check', 'maybe'], /--delegation-check.*on, off/],
    [['serve', '--dns-response-slip', '11'], /--dns-response-slip.*number from 0 to 10/],
    [['serve', '--dns-response-rate', 'none'], /--dns-response-rate.*at least 1/],
    [['serve', '--dns-transfers', '0'], /--dns-transfers.*at least 1/],
    [['serve', '--zone-bytes', '2097153'], /--zone-bytes.*at most 2097152/],
    [['serve', '--smtp', 'smtp://a.example'], /--smtp needs --mail-from/],
    [['serve', '--owner-email', 'none'], /--owner-email.*one plain address/],
    [['project', 'set', 'a', '--owner-email', 'a@b, c@d'], /--owner-email.*one plain address/],
    [['project', 'set', 'a'], /required option '--owner-email <address\|none>'/],
    [['project', 'create', ' x', '--database', 'sqlite:/nowhere/x'], /1 to 128 characters/],
    [['project', 'list', '--database', 'memory:http'], /--database.*Expected sqlite:PATH, memory or postgres/],
    [['serve', '--database', 'memory:8080'], /--database.*Expected sqlite:PATH, memory or postgres/],
    [['secrets', 'rotate', '--database', 'sqlite:x'], /required option '--previous-key-file <file>'/],
    [['token', 'create', '--database', 'sqlite:x'], /either --project or --management is needed/],
  ]
  for (const [args, says] of cases) {
    test(`wolke ${args.join(' ')}`, async () => checkFailure(await wolke(...args), 2, says))
  }

  test('is answered without what may be a secret', async () => {
    const secret = 'secret'.repeat(9)
    const mistyped = [
      wolke('serve', '--token', secret),
      wolke('serve', `--token=${secret}`),
      wolke('serve', `--tokne=${secret}`),
      wolke('serve', '--database', `postgre://me:${secret}@localhost/wolke`),
      wolke('serve', '--smtp', `http://me:${secret}@localhost`),
      wolke('serve', '--acme-eab-key', `${secret}!`),
    ]
    const outcomes = await Promise.all(mistyped)
    for (const outcome of outcomes) {
      checkFailure(outcome, 2, /--token|--tokne|--database|--smtp|--acme-eab-key/)
      assert.ok(!outcome.stderr.includes(secret), outcome.stderr)
    }
    assert.match(outcomes[0]!.stderr, /--token <token>' argument of 54 characters is invalid. Expected exactly 64/)
  })

  test('is answered with help only on request', async () => {
    const help = await wolke('--help')
    assert.equal(help.code, 0)
    assert.match(help.stdout, /^Usage: wolke /)
  })
})
