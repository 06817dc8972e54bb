/** `wolke exec`: a command in a cloud that is thrown away with it. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { bundle } from '../../program/kit/program.ts'
import { build } from '../../run/built.ts'

const folder = mkdtempSync(join(tmpdir(), 'wolke-exec-test-'))
/** The command may put nothing here, and neither may Wolke. */
const temporary = join(folder, 'temporary')

const running = new Set<ChildProcess>()

before(build)
after(() => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

interface Given {
  readonly options?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

/** Starts a command in a cloud. */
function start(command: readonly string[], { options = [], env = {} }: Given = {}) {
  const all = { PATH: process.env.PATH, TMPDIR: mkdtempSync(`${temporary}-`), ...env }
  const child = spawn(process.execPath, [bundle, 'exec', ...options, '--', ...command], {
    cwd: folder,
    env: all,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text
    })
  }
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child)
    assert.deepEqual(readdirSync(all.TMPDIR), [], 'nothing is left behind')
    return { code: code as number | null, ...said }
  })
  return { child, ended }
}

const execute = (command: readonly string[], given?: Given) => start(command, given).ended
const node = (program: string) => [process.execPath, '--input-type=module', '-e', program]

describe('wolke exec', { concurrency: 2 }, () => {
  test('sets what clients find a cloud by, and keeps from them what leads to a real one', async () => {
    const program = `
      const headers = { authorization: 'Bearer ' + process.env.HCLOUD_TOKEN }
      const { status } = await fetch(process.env.HCLOUD_ENDPOINT + '/servers', { headers })
      const lab = { authorization: 'Bearer ' + process.env.WOLKE_LAB_TOKEN }
      const { clock } = await (await fetch(process.env.WOLKE_URL + '/clock', { headers: lab })).json()
      console.log(JSON.stringify({ status, now: clock.now.slice(0, 4), env: process.env }))`
    const real = 'the token of a real cloud'
    const env = {
      ...{ HCLOUD_TOKEN: real, TF_VAR_hcloud_token: real, HCLOUD_CONTEXT: 'production', HCLOUD_CONFIG: '/cli.toml' },
      ...{ SOME_COPY: real, UNRELATED: 'stays', HETZNER_ENDPOINT: 'https://api.hetzner.com/v1' },
      ...{ https_proxy: 'http://proxy.example:3128', NO_PROXY: 'intranet.example' },
    }
    const { code, stdout, stderr } = await execute(node(program), { env, options: ['--now', '2030-01-01'] })
    assert.equal(code, 0, stderr)
    const found = JSON.parse(stdout)
    assert.deepEqual([found.status, found.now], [200, '2030'])
    const { env: given } = found
    assert.match(given.HETZNER_ENDPOINT, /^http:\/\/127\.0\.0\.1:\d+\/storage\/v1$/)
    for (const name of ['HCLOUD_ENDPOINT', 'HETZNER_API'])
      assert.match(given[name], /^http:\/\/127\.0\.0\.1:\d+\/v1$/, name)
    assert.equal(given.TF_VAR_hcloud_token, given.HCLOUD_TOKEN)
    assert.equal(given.https_proxy, 'http://proxy.example:3128')
    for (const name of ['NO_PROXY', 'no_proxy'])
      assert.equal(given[name], 'intranet.example,127.0.0.1,localhost,::1', name)
    assert.deepEqual([given.HCLOUD_CONTEXT, given.HCLOUD_CONFIG, given.SOME_COPY], [undefined, undefined, undefined])
    assert.equal(given.UNRELATED, 'stays')
    assert.ok(!Object.values(given).includes(real))
    const removed = 'HCLOUD_CONFIG, HCLOUD_CONTEXT, HCLOUD_TOKEN, SOME_COPY, TF_VAR_hcloud_token'
    assert.match(stderr, new RegExp(`^wolke: .*: ${removed}\n`))
    // What the command did is told, and nothing of what Wolke did.
    assert.match(stderr, /^1 request, /m)
  })

  test('says nothing where nothing leads to a real cloud, and hands on the exit code', async () => {
    assert.deepEqual(await execute(['sh', '-c', 'echo out; echo err >&2; exit 7']), {
      ...{ code: 7, stdout: 'out\n', stderr: 'err\n' },
    })
    assert.equal((await execute(['sh', '-c', 'kill -KILL $$'])).code, 128 + 9)
  })

  test('says in one line why a command cannot be started', async () => {
    const nothing = await execute(['no-such-program'])
    assert.deepEqual([nothing.code, nothing.stderr], [127, 'wolke: there is no program no-such-program\n'])
    const path = join(folder, 'not-executable')
    writeFileSync(path, '')
    chmodSync(path, 0o644)
    const forbidden = await execute([path])
    assert.equal(forbidden.code, 126)
    assert.match(forbidden.stderr, /^wolke: \S+ cannot be started: .+\n$/)
  })

  test('refuses options and command lines that mean nothing', async () => {
    const late = await execute(['true'], { options: ['--now', 'tomorrow'] })
    assert.equal(late.code, 2)
    assert.match(late.stderr, /^wolke: option '--now <time>' argument 'tomorrow' is invalid\. .+\n$/)
    const none = await execute([])
    assert.equal(none.code, 2)
    assert.match(none.stderr, /^wolke: missing required argument 'command'\n$/)
  })

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    test(`hands ${signal} on, and ends as the command does`, async () => {
      const says = `process.on('${signal}', () => process.exit(42)); setInterval(() => undefined, 1e6); console.log('there')`
      const handled = start(node(says))
      await once(handled.child.stdout, 'data')
      handled.child.kill(signal)
      assert.equal((await handled.ended).code, 42)
      const killed = start(['sh', '-c', 'echo there; exec sleep 1000'])
      await once(killed.child.stdout, 'data')
      killed.child.kill(signal)
      assert.equal((await killed.ended).code, 128 + { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }[signal])
    })
  }

  test('tells what the command did, and fails for what is asserted', async () => {
    const program = `
      const headers = { authorization: 'Bearer ' + process.env.HCLOUD_TOKEN, 'content-type': 'application/json' }
      const body = JSON.stringify({ name: 'web' })
      await fetch(process.env.HCLOUD_ENDPOINT + '/firewalls?colour=red', { method: 'POST', headers, body })`
    const said = await execute(node(program))
    assert.equal(said.code, 0, said.stderr)
    assert.match(said.stderr, /^ {2}1 x POST \/firewalls: colour in the query$/m)
    const broken = await execute(node(program), { options: ['--fail-on', 'leftovers,unknown-fields,throttled,cost>1'] })
    assert.equal(broken.code, 1)
    assert.match(broken.stderr, /^wolke: leftovers: firewall \d+ \(web\)$/m)
    assert.match(broken.stderr, /^wolke: unknown-fields: POST \/firewalls: colour in the query$/m)
    assert.doesNotMatch(broken.stderr, /^wolke: (throttled|cost)/m)
    const failing = await execute(['sh', '-c', 'exit 5'], { options: ['--fail-on', 'leftovers'] })
    assert.equal(failing.code, 5)
    assert.equal((await execute(['true'], { options: ['--fail-on', 'none'] })).code, 0)
    for (const file of [folder, join(folder, 'nowhere', 'report.json')]) {
      const refused = await execute(['touch', 'has-run'], { options: ['--report', file] })
      assert.deepEqual([refused.code, /--report/.test(refused.stderr)], [2, true], refused.stderr)
    }
    assert.ok(!existsSync(join(folder, 'has-run')))
    const wrong = await execute(['true'], { options: ['--fail-on', 'speed'] })
    assert.deepEqual([wrong.code, /--fail-on .*speed/.test(wrong.stderr)], [2, true], wrong.stderr)
    for (const [name, expected] of [
      ['report.json', /"unknown_fields"/],
      ['report.xml', /<testsuite/],
      ['run.har', /"entries"/],
      ['report.txt', /colour in the query/],
    ] as const) {
      const file = join(folder, name)
      const { stderr } = await execute(node(program), { options: ['--report', file] })
      assert.equal(stderr, '', name)
      assert.match(readFileSync(file, 'utf8'), expected)
    }
  })

  test('lets things go wrong, and begins with a seed', async () => {
    const seed = join(folder, 'seed.yaml')
    writeFileSync(seed, 'projects:\n  - name: default\n    firewalls:\n      - name: web\n')
    const program = `
      const headers = { authorization: 'Bearer ' + process.env.HCLOUD_TOKEN }
      const ask = (path) => fetch(process.env.HCLOUD_ENDPOINT + path, { headers })
      const { firewalls } = await (await ask('/firewalls')).json()
      console.log(firewalls.map(({ name }) => name).join())`
    const { code, stdout, stderr } = await execute(node(program), {
      options: ['--seed', seed, '--scenario', 'sold-out', '--fail-on', 'leftovers'],
    })
    assert.deepEqual([code, stdout], [0, 'web\n'], stderr)
    assert.doesNotMatch(stderr, /POST \/firewalls/, 'the seed is not what the command did')
    const unknown = await execute(['true'], { options: ['--scenario', 'no-such-scenario'] })
    assert.equal(unknown.code, 2)
    assert.match(unknown.stderr, /no-such-scenario/)
  })

  test('with --proxy leads those who know only the public host', async () => {
    const program = `
      const headers = { authorization: 'Bearer ' + process.env.HCLOUD_TOKEN }
      const reply = await fetch('https://api.hetzner.cloud/v1/locations', { headers })
      console.log(reply.status, reply.headers.has('x-correlation-id'))
      console.log(await fetch('https://example.com').then(() => 'went out', () => 'refused'))`
    const env = { https_proxy: 'http://127.0.0.1:9', no_proxy: '*' }
    const { code, stdout, stderr } = await execute(node(program), { options: ['--proxy'], env })
    assert.equal(code, 0, stderr)
    assert.equal(stdout, '200 true\nrefused\n')
    assert.match(stderr, /^wolke: refused "example\.com:443"$/m)
  })

  test('with --future shows what breaks when', async () => {
    // The Link header of lists is gone from the first of the announced dates on.
    const program = `
      const headers = { authorization: 'Bearer ' + process.env.HCLOUD_TOKEN }
      const reply = await fetch(process.env.HCLOUD_ENDPOINT + '/locations?per_page=1', { headers })
      if (!reply.headers.has('link')) process.exit(3)`
    const options = ['--future', '--now', '2027-03-01']
    const { code, stderr } = await execute(node(program), { options })
    assert.equal(code, 1)
    assert.match(stderr, /^wolke: 2027-03-01T00:00:00Z {2}works$/m)
    assert.match(
      stderr,
      /^wolke: 2027-04-01T00:00:00Z {2}ends with code 3\n {9}Lists no longer carry the Link header.*$/m,
    )
    assert.match(stderr, /^wolke: 2027-04-15T00:00:00Z {2}ends with code 3$/m)
    const other = await execute(['true'], { options })
    assert.equal(other.code, 0)
    const failing = await execute(['sh', '-c', 'exit 5'], { options })
    assert.equal(failing.code, 5, 'it fails today already')
  })

  test('with --future ends at once when it is told to', async () => {
    const { child, ended } = start(['sh', '-c', 'echo there; exec sleep 1000'], { options: ['--future'] })
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    const { code, stdout } = await ended
    assert.deepEqual([code, stdout], [128 + 15, 'there\n'])
  })
})
