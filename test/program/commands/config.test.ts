/** The configuration file as operators use it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { api, collect, type Outcome, place, serve, start, tokenOf, wolke } from '../kit/wolke.ts'

const free = 'dns-listen: off\nmetadata-listen: off\nlog-level: error\n'

async function fileWith(text: string): Promise<string> {
  const { directory } = await place()
  const path = join(directory, 'wolke.yaml')
  writeFileSync(path, text)
  return path
}

/** Runs a command in an environment. */
async function within(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<Outcome> {
  const child = start(args, environment)
  const texts = collect(child)
  const [code] = await once(child, 'close')
  return { code, ...texts }
}

/** A list of mistakes: on standard error alone, without a stack. */
function checkMistakes({ code, stdout, stderr }: Outcome, expectedCode: number, lines: readonly string[]): void {
  assert.deepEqual(stderr.trimEnd().split('\n'), ['wolke: the configuration has mistakes:', ...lines])
  assert.equal(stdout, '')
  assert.equal(code, expectedCode)
}

describe('A configuration file', { concurrency: 3 }, () => {
  test('gives options to the server and to commands, after the command line and the environment', async (t) => {
    const { url } = await place()
    const path = await fileWith(`${free}database: ${url}\nlimits:\n  firewalls: 1\nvendor: acme\n`)
    const server = await serve(t, '--config', path)
    const token = tokenOf(server)!
    assert.equal((await api(server.baseUrl, token, '/firewalls', { name: 'a' })).status, 201)
    const refused = await api(server.baseUrl, token, '/firewalls', { name: 'b' })
    assert.equal(refused.body.error.code, 'resource_limit_exceeded')
    assert.match((await wolke('project', 'list', '--config', path)).stdout, /\tdefault\t/)
    assert.match((await within({ WOLKE_CONFIG: path }, 'project', 'list')).stdout, /\tdefault\t/)
    const shown = await within({ WOLKE_VENDOR: 'other', WOLKE_CONFIG: path }, 'config', 'show', '--limits', 'servers=2')
    assert.equal(
      shown.stdout,
      `${[
        'metadata-listen: off  # file',
        'dns-listen: off  # file',
        `database: ${url}  # file`,
        'vendor: other  # environment',
        'limits: servers=2  # flag',
        'log-level: error  # file',
      ].join('\n')}\n`,
    )
    assert.equal(await server.end('SIGTERM'), 0)
  })

  test('is the origin of options for who looks at them', async (t) => {
    const path = await fileWith(`${free}database: memory\nvendor: acme\n`)
    const server = await serve(t, '--config', path)
    const [, token = ''] = /its token is (\S+)/.exec(server.texts.stdout)!
    const { body } = await api(server.baseUrl.replace('/v1', ''), token, '/wolke/v1/installation/options')
    const vendor = body.options.find(({ flag }: { flag: string }) => flag === '--vendor')
    assert.deepEqual([vendor.value, vendor.source], ['acme', 'file'])
    // Commands find the data of this server in its memory, as the file says.
    assert.match((await wolke('project', 'list', '--config', path)).stdout, /\tdefault\t/)
  })

  test('with mistakes starts nothing, and all of them are told with their places', async () => {
    const { url } = await place()
    const path = await fileWith(`database: ${url}\nlisten: nowhere\nfrobnicate: 1\nvendor: A\nvendor: b\n`)
    const lines = [
      `${path}:2:9: listen: Expected HOST:PORT, such as 127.0.0.1:8080.`,
      `${path}:3:1: frobnicate: is not an option`,
      `${path}:4:9: vendor: Expected a DNS label.`,
      `${path}:5:1: vendor: is here again, after line 4`,
    ]
    checkMistakes(await wolke('serve', '--config', path), 2, lines)
    checkMistakes(await wolke('project', 'list', '--config', path), 2, lines)
    checkMistakes(await wolke('config', 'check', path), 1, lines)
    checkMistakes(await within({ WOLKE_CONFIG: path }, 'config', 'check'), 1, lines)
  })

  test('whose options do not go together is refused at their places', async () => {
    const path = await fileWith(
      'vendor: acme\ntls-cert: /nowhere/cert\nsmtp: smtp://mail.example\ncatalogue: /nowhere/x\n',
    )
    checkMistakes(await wolke('config', 'check', path), 1, [
      `${path}:2:1: --tls-cert and --tls-key belong together`,
      `${path}:3:1: --smtp needs --mail-from`,
      `${path}:4:1: --catalogue: ENOENT: no such file or directory, open '/nowhere/x'`,
    ])
    const { code, stderr } = await wolke('serve', '--config', path)
    assert.deepEqual([code, stderr], [2, `wolke: ${path}:2:1: --tls-cert and --tls-key belong together\n`])
  })

  test('can be checked, also together with what the environment adds', async () => {
    const path = await fileWith('oidc-issuer: https://id.example\noidc-client-id: wolke\n')
    checkMistakes(await wolke('config', 'check', path), 1, [
      `${path}:1:1: --oidc-issuer needs --oidc-client-secret-file or WOLKE_OIDC_CLIENT_SECRET`,
    ])
    const good = await within({ WOLKE_OIDC_CLIENT_SECRET: 'hush' }, 'config', 'check', path)
    assert.deepEqual(good, { code: 0, stdout: `${path}: no mistakes\n`, stderr: '' })
    const shown = await within({ WOLKE_OIDC_CLIENT_SECRET: 'hush' }, 'config', 'show', '--config', path)
    assert.match(shown.stdout, /^# WOLKE_OIDC_CLIENT_SECRET: not shown {2}# environment$/m)
    assert.ok(!shown.stdout.includes('hush'))
  })

  test('that is none is refused', async () => {
    const { directory } = await place()
    const missing = join(directory, 'missing.yaml')
    for (const [path, says] of [
      [missing, `ENOENT: no such file or directory, stat '${missing}'`],
      ['/dev/zero', 'it is no file'],
      [directory, 'it is no file'],
      [await fileWith('#'.repeat(65_537)), 'it has 65537 bytes, of which 65536 are allowed'],
    ] as const) {
      const { code, stderr } = await wolke('serve', '--config', path)
      assert.deepEqual([code, stderr], [2, `wolke: --config ${path}: ${says}\n`])
    }
  })

  test('of the environment is left out by an empty path', async () => {
    const { url } = await place()
    const { code, stdout } = await within({ WOLKE_CONFIG: '/nowhere' }, 'project', 'list', '--config', '')
    assert.deepEqual([code, stdout], [1, ''])
    const shown = await within({ WOLKE_CONFIG: '' }, 'config', 'show', '--database', url)
    assert.equal(shown.stdout, `database: ${url}  # flag\n`)
  })
})
