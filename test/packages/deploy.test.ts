/** What deploy/ has for Compose and Kubernetes, judged by their own code, and run as it says. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { installCompose, installManifests, skipWithout } from '../clients/kit/clients.ts'
import { until } from '../kit/database/bare-database.ts'
import { createDatabase, postgresUrl } from '../kit/database/postgres.ts'
import { onPostgres } from '../kit/engines.ts'
import { freePort } from '../kit/ports.ts'
import { bundle } from '../program/kit/program.ts'
import { build } from '../run/built.ts'

const deploy = join(import.meta.dirname, '../../deploy')
const folder = mkdtempSync(join(tmpdir(), 'wolke-deploy-'))
after(() => rmSync(folder, { recursive: true }))

/** The longest time that a process takes to stop after --drain, in seconds. */
const stopSeconds = 10

/** The seconds of `--drain` among arguments. */
const drainOf = (args: readonly string[]) => Number(args[args.indexOf('--drain') + 1]) / 1_000

/** A service as the validator of the Compose Specification prints it. */
interface Service {
  readonly image: string
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly stop_grace_period: string
  readonly secrets: readonly { readonly source: string }[]
}

/** Reads a Compose file; undefined, with the test skipped, where nothing can. */
async function composed(t: TestContext, text: string) {
  const compose = await installCompose()
  if (!compose) return skipWithout(t, 'the validator of the Compose Specification is missing')
  const file = join(mkdtempSync(join(folder, 'compose-')), 'compose.yaml')
  writeFileSync(file, text)
  const { status, stdout, stderr } = spawnSync(compose, ['--format', 'json', file], { encoding: 'utf8' })
  return { status, stderr, services: status === 0 ? (JSON.parse(stdout).services as Record<string, Service>) : {} }
}

describe('The Compose file', () => {
  const text = readFileSync(join(deploy, 'compose/compose.yaml'), 'utf8')

  test('is accepted by the validator of its specification, which refuses others', async (t) => {
    const good = await composed(t, text)
    if (!good) return
    assert.deepEqual([good.status, good.stderr], [0, ''])
    const bad = await composed(t, text.replace('read_only:', 'readonly:'))
    assert.equal(bad?.status, 1)
    assert.match(bad?.stderr ?? '', /readonly/)
  })

  test('gives processes longer than they take to stop', async (t) => {
    const read = await composed(t, text)
    if (!read) return
    for (const { command, stop_grace_period: grace } of wolkes(read.services))
      assert.ok(Number.parseInt(grace, 10) >= drainOf(command) + stopSeconds, grace)
  })

  test('has secrets of a script, which keeps those that are there', () => {
    const own = join(folder, 'secrets')
    cpSync(join(deploy, 'compose'), own, { recursive: true })
    const make = () => execFileSync('sh', [join(own, 'secrets.sh')])
    const read = (name: string) => readFileSync(join(own, 'secrets', name), 'utf8')
    make()
    const names = ['database', 'key', 'password', 'token']
    const first = names.map(read)
    assert.match(read('token'), /^[\x21-\x7e]{64}$/)
    assert.equal(Buffer.from(read('key'), 'base64').length, 32)
    assert.match(read('password'), /^[0-9a-f]{48}$/)
    assert.equal(read('database'), `postgres://wolke:${read('password')}@postgresql/wolke`)
    const modes = names.map((name) => {
      const { uid, gid, mode } = statSync(join(own, 'secrets', name))
      return `${name} ${uid}:${gid} ${(mode & 0o777).toString(8)}`
    })
    const ours = ['database', 'key'].map((name) => `${name} 65532:65532 400`)
    assert.deepEqual(modes, [...ours, 'password 999:999 400', 'token 65532:65532 400'])
    assert.equal(statSync(join(own, 'secrets')).mode & 0o777, 0o700)
    make()
    assert.deepEqual(names.map(read), first)
  })

  test('makes three processes over one PostgreSQL, of which any may stop behind HAProxy', onPostgres, async (t) => {
    const read = await composed(t, text)
    if (!read) return
    await build()
    const secrets = join(folder, 'run')
    cpSync(join(deploy, 'compose'), secrets, { recursive: true })
    execFileSync('sh', [join(secrets, 'secrets.sh')])
    writeFileSync(join(secrets, 'secrets/database'), (await createDatabase(await postgresUrl())).url)
    const processes = await Promise.all(wolkes(read.services).map((service, index) => run(t, service, secrets, index)))
    assert.equal(processes.length, 3)

    const port = await freePort()
    const config = processes.reduce(
      (before, { at }, index) => before.replace(`wolke-${index + 1}:8080`, at),
      readFileSync(join(deploy, 'compose/haproxy.cfg'), 'utf8').replace('bind :8080', `bind 127.0.0.1:${port}`),
    )
    const own = join(secrets, 'own.cfg')
    writeFileSync(own, config)
    execFileSync('haproxy', ['-c', '-f', own])
    const balancer = spawn('haproxy', ['-db', '-f', own], { stdio: 'ignore' })
    t.after(() => balancer.kill('SIGKILL'))
    const ask = () =>
      fetch(`http://127.0.0.1:${port}/v1/firewalls`, {
        headers: { authorization: `Bearer ${readFileSync(join(secrets, 'secrets/token'), 'utf8')}` },
      }).then((answer) => answer.status)
    await until(async () => (await ask().catch(() => 0)) === 200)
    const [first, ...others] = processes
    const ended = first!.stop()
    let isOver = false
    void ended.finally(() => (isOver = true))
    while (!isOver) assert.equal(await ask(), 200)
    assert.equal(await ended, 0)
    assert.deepEqual(await Promise.all(others.map(({ stop }) => stop())), [0, 0])
  })
})

const wolkes = (services: Readonly<Record<string, Service>>) =>
  Object.entries(services).flatMap(([name, service]) => (name.startsWith('wolke-') ? [service] : []))

/** Starts what a service says, with its secrets in a folder, at a free port of this machine. */
async function run(t: TestContext, { command, environment }: Service, folder: string, index: number) {
  const ready = join(folder, `ready-${index}.json`)
  const given = Object.entries(environment).map(([name, value]) => [
    name,
    value.replace('/run/secrets', `${folder}/secrets`),
  ])
  const env = { ...Object.fromEntries(given), TMPDIR: folder, WOLKE_QUIET: 'true', PATH: process.env.PATH }
  const here = [
    '--listen',
    '127.0.0.1:0',
    '--dns-listen',
    'off',
    '--metadata-listen',
    'off',
    '--rate-limit',
    'off',
    '--ready-file',
    ready,
  ]
  const child: ChildProcess = spawn(process.execPath, [bundle, ...command, ...here], {
    env,
    cwd: folder,
    stdio: 'pipe',
  })
  t.after(() => child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.setEncoding('utf8').on('data', (text) => (said += text))
  await until(() => {
    assert.equal(child.exitCode, null, said)
    return existsSync(ready)
  })
  assert.doesNotMatch(said, /setup#|wlk_/)
  const { base_url: url } = JSON.parse(readFileSync(ready, 'utf8'))
  const stop = async () => {
    const closed = once(child, 'close')
    child.kill('SIGTERM')
    return (await closed)[0] as number | null
  }
  return { at: new URL(url).host, stop }
}

describe('The manifests for Kubernetes', () => {
  const text = readFileSync(join(deploy, 'kubernetes/wolke.yaml'), 'utf8')
  let judge: string | undefined
  before(async () => {
    judge = await installManifests()
  })
  const judged = (input: string) => {
    const { status, stdout, stderr } = spawnSync(judge!, [], { input, encoding: 'utf8' })
    return { status, stdout, stderr }
  }

  test('are what the API server of Kubernetes accepts, and their pods are restricted', (t) => {
    if (!judge) return skipWithout(t, 'the judge of manifests is missing')
    const { status, stdout, stderr } = judged(text)
    assert.deepEqual([status, stderr], [0, ''])
    assert.equal(stdout.trim().split('\n').length, text.split('\n---\n').length)
  })

  const damages: readonly (readonly [from: string, to: string, says: RegExp])[] = [
    ['readOnlyRootFilesystem', 'readOnlyRootFileSystem', /unknown field .*readOnlyRootFileSystem/],
    ['runAsNonRoot: true', 'runAsNonRoot: false', /runAsNonRoot/],
    ['minAvailable: 2', 'minAvailable: 200%25', /minAvailable/],
    ['mountPath: /tmp }', 'mountPath: /run/secrets/wolke }', /must be unique/],
  ]
  for (const [from, to, says] of damages) {
    test(`would be refused with ${to}`, (t) => {
      if (!judge) return skipWithout(t, 'the judge of manifests is missing')
      assert.notEqual(text.replace(from, to), text)
      const { status, stderr } = judged(text.replace(from, to))
      assert.equal(status, 1)
      assert.match(stderr, says)
    })
  }

  test('give processes longer than they take to stop, and secrets that others cannot read', () => {
    // Numbers of modes are octal there, as in YAML 1.1.
    const objects = parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS())
    const { spec } = objects.find(({ kind }) => kind === 'Deployment').spec.template
    const grace = spec.terminationGracePeriodSeconds
    assert.ok(grace >= drainOf(spec.containers[0].args) + stopSeconds, grace)
    const volumes = objects.flatMap(({ spec }) => spec?.template?.spec.volumes ?? [])
    const modes = volumes.flatMap(({ secret }) => (secret ? [secret.defaultMode] : []))
    assert.deepEqual(modes, [0o440, 0o440])
  })
})
