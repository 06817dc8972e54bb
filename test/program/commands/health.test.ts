/** `wolke health` and secrets in files, as container engines use both. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { certificate, privateKey } from '../../fixtures/tls.ts'
import { program, token } from '../kit/program.ts'

const { folder, serve, command } = program('supervised')

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const portOf = (url: string) => new URL(url).port

describe('wolke health', { concurrency: 2 }, () => {
  test('ends with 0 while the server is well, and with 1 when none is there', async () => {
    const server = await serve('memory')
    const config = file('health.yaml', `listen: 0.0.0.0:${portOf(server.baseUrl)}\n`)
    const well = await command('health', '--config', config)
    assert.deepEqual([well.code, well.stderr], [0, ''])
    assert.deepEqual(JSON.parse(well.stdout).status, 'ok')
    await server.stop()
    const gone = await command('health', '--config', config)
    assert.deepEqual([gone.code, gone.stdout], [1, ''])
    assert.match(gone.stderr, /^wolke: 127\.0\.0\.1:\d+ does not answer: .*ECONNREFUSED.*\n$/)
  })

  test('ends with 1 for a server that says that it is not well', async (t) => {
    const sick = createServer((_, response) => response.writeHead(503).end('{"status": "degraded"}\n')).listen(0, '::1')
    await once(sick, 'listening')
    t.after(() => sick.close())
    const { code, stderr } = await command('health', '--listen', `[::]:${(sick.address() as AddressInfo).port}`)
    assert.deepEqual(
      [code, stderr.replace(/\d+ a/, 'PORT a')],
      [1, 'wolke: [::1]:PORT answers with 503: {"status": "degraded"} \n'],
    )
  })

  test('asks over HTTPS where the server has a certificate, for whatever name', async () => {
    const tls = ['--tls-cert', file('cert.pem', certificate), '--tls-key', file('key.pem', privateKey)]
    const server = await serve('memory', ...tls)
    const { code } = await command('health', '--listen', `127.0.0.1:${portOf(server.baseUrl)}`, ...tls.slice(0, 2))
    assert.equal(code, 0)
    await server.stop()
  })
})

describe('A secret in a file', () => {
  const withFiles = (env: Record<string, string>) => program('secrets', { env })

  test('is what its variable would be, for the server and for commands', async () => {
    const own = 'file'.repeat(16)
    const url = `sqlite:${join(folder, 'secret.db')}`
    const env = {
      WOLKE_DATABASE_FILE: file('database', `${url}\n`),
      WOLKE_CONFIG: file('s.yaml', 'vendor: acme\ndatabase: memory\n'),
    }
    await (await serve(url)).stop()
    assert.match((await withFiles(env).command('project', 'list')).stdout, /\tdefault\t/)
    const shown = await withFiles({ ...env, WOLKE_TOKEN_FILE: file('token', own) }).command('config', 'show')
    assert.equal(
      shown.stdout,
      `database: ${url}  # environment\n# token: not shown  # environment\nvendor: acme  # file\n`,
    )
  })

  test('is refused without being told', async () => {
    const secret = file('short', 'secret-but-short\n')
    const cases: readonly (readonly [Record<string, string>, RegExp])[] = [
      [{ WOLKE_TOKEN_FILE: secret }, /^wolke: WOLKE_TOKEN_FILE: Expected exactly 64 printable characters\.\n$/],
      [{ WOLKE_DATABASE_FILE: secret }, /^wolke: WOLKE_DATABASE_FILE: Expected sqlite:PATH, memory or postgres:.*\n$/],
      [{ WOLKE_TOKEN_FILE: join(folder, 'none') }, /^wolke: WOLKE_TOKEN_FILE: ENOENT.*\n$/],
      [{ WOLKE_TOKEN_FILE: folder }, /^wolke: WOLKE_TOKEN_FILE: .* is no file\n$/],
      [{ WOLKE_TOKEN_FILE: file('long', 'x'.repeat(5_000)) }, /has 5000 bytes, of which 4096 are allowed\n$/],
      [
        { WOLKE_TOKEN_FILE: secret, WOLKE_TOKEN: token },
        /^wolke: WOLKE_TOKEN and WOLKE_TOKEN_FILE exclude each other\n$/,
      ],
    ]
    for (const [env, says] of cases) {
      const { code, stdout, stderr } = await withFiles(env).command('serve', '--listen', '127.0.0.1:0')
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, says)
      assert.ok(!stderr.includes('secret-but-short'))
    }
  })
})

const asRoot = process.getuid?.() === 0 ? {} : { skip: 'only root can be another user' }

test('Commands of a user without a name are in the audit log by its number', asRoot, async () => {
  const nameless = program('nameless', { uid: 54_321, gid: 54_321 })
  const url = `sqlite:${join(nameless.folder, 'wolke.db')}`
  await (await nameless.serve(url)).stop()
  const made = await nameless.command('token', 'create', '--project', 'default', '--database', url)
  assert.deepEqual([made.code, made.stderr], [0, ''])
  const { stdout } = await nameless.command('audit', '--database', url)
  assert.match(stdout, /\tcommand line 54321\tdefault\twolke token create\t/)
})
