/** The first people of an installation: the links that a start prints, and `wolke person`. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../kit/database/bare-database.ts'
import { createDatabase, postgresUrl } from '../../kit/database/postgres.ts'
import { type EngineName, engines } from '../../kit/engines.ts'
import { adminEmail, own, password, signIn, TestBrowser } from '../../people/kit/browser.ts'
import { program, type Served, token } from '../kit/program.ts'

const { folder, serve, command } = program('people')

/** The URL of a new database. */
async function openDatabase(t: TestContext, engine: EngineName): Promise<string> {
  if (engine === 'sqlite') return `sqlite:${join(folder, 'links/wolke.db')}`
  const { url, drop } = await createDatabase(await postgresUrl())
  t.after(drop)
  return url
}

/** The link that a start prints. */
async function printed({ output, child }: Served, path: string): Promise<string> {
  for (;;) {
    const link = new RegExp(`http://wolke-[0-9a-f]{6}\\.localhost:\\d+/console/${path}#[\\w-]{43}`).exec(output())
    if (link) return link[0]
    assert.equal(child.exitCode, null)
    await delay(3)
  }
}

describe('The first start', () => {
  test('prints a link that makes the first administrator, which is also in a file for its owner alone', async () => {
    const database = `sqlite:${join(folder, 'first/wolke.db')}`
    const file = join(folder, 'first/setup-link')
    const server = await serve(database)
    const link = await printed(server, 'setup')
    assert.equal(readFileSync(file, 'utf8'), `${link}\n`)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const { hostname, hash } = new URL(link)
    const browser = new TestBrowser(server, { host: hostname })
    const made = await browser.post('/console/setup', {
      code: hash.slice(1),
      name: 'Jana',
      email: adminEmail,
      password,
    })
    assert.equal(made.status, 303)
    assert.equal((await browser.api('GET', `${own}/account`)).body.account.installation_role, 'admin')
    const shown = await browser.api('GET', `${own}/installation/options`)
    const sources = shown.body.options.map(({ flag, source }: Record<string, string>) => `${flag} ${source}`)
    for (const one of ['--token flag', '--log-level flag', '--vendor default']) assert.ok(sources.includes(one), one)
    assert.ok(!shown.text.includes(token))
    await server.stop()
    const next = await serve(database)
    assert.equal(existsSync(file), false)
    assert.equal((await browser.copy(next).api('GET', `${own}/account`)).status, 200)
    assert.equal((await signIn(new TestBrowser(next, { host: hostname }))).status, 303)
    assert.doesNotMatch(next.output(), /setup#|enter#/)
    await next.stop()
  })

  test('with --oidc-only makes no link: it asks for those who administer, who then sign in', async () => {
    const secret = join(folder, 'client-secret')
    writeFileSync(secret, 'secret of the client')
    const issuer = ['--oidc-issuer', 'https://login.example.com', '--oidc-client-id', 'wolke']
    const only = [...issuer, '--oidc-client-secret-file', secret, '--oidc-only']
    const database = `sqlite:${join(folder, 'only/wolke.db')}`
    const file = join(folder, 'only/setup-link')
    for (const [more, says] of [
      [[], /\/console\/login {2}\(makes nobody an administrator: start again with --oidc-admins ADDRESS\)/],
      [['--oidc-admins', 'ops@example.com'], /\/console\/login {2}\(makes whom --oidc-admins names an administrator\)/],
    ] as const) {
      const server = await serve(database, ...only, ...more)
      await until(() => says.test(server.output()), `it says ${says}`)
      assert.doesNotMatch(server.output(), /setup#/)
      assert.equal(existsSync(file), false)
      await server.stop()
    }
  })

  test('with data in memory prints a link that signs in without an account, and makes no file', async () => {
    const server = await serve('memory')
    const { hostname, hash } = new URL(await printed(server, 'enter'))
    const browser = new TestBrowser(server, { host: hostname })
    assert.equal((await browser.post('/console/enter', { code: hash.slice(1) })).status, 303)
    assert.equal((await browser.api('GET', `${own}/account`)).status, 200)
    assert.equal(existsSync(join(folder, 'setup-link')), false)
    await server.stop()
  })
})

describe('wolke person', () => {
  for (const engine of engines) {
    test(`makes links to the server that runs, or to the one of several that started last, on ${engine}`, async (t) => {
      const database = await openDatabase(t, engine)
      let count = 0
      const linkAt = async (at: string, ...options: readonly string[]) => {
        const person = ['--email', `p${++count}@example.com`]
        const { stdout, stderr } = await command('person', 'create', ...person, '--database', at, ...options)
        assert.equal(stderr, '')
        return new URL(stdout).origin
      }
      const first = await serve(database)
      assert.equal(await linkAt(database), new URL(first.baseUrl).origin)
      if (engine === 'sqlite') await first.stop()
      const second = await serve(database)
      assert.notEqual(second.baseUrl, first.baseUrl)
      assert.equal(await linkAt(database), new URL(second.baseUrl).origin)
      assert.equal(await linkAt(database, '--public-url', 'https://b.example.com'), 'https://b.example.com')
      await second.stop()
      const third = await serve(database, '--public-url', 'https://a.example.com')
      assert.equal(await linkAt(database), 'https://a.example.com')
      for (const server of [first, third]) if (server.child.exitCode === null) await server.stop()
    })
  }

  test('makes links to a server that keeps its data in memory', async () => {
    const servers = [await serve('memory'), await serve('memory')]
    for (const { baseUrl } of servers) {
      const { origin, port } = new URL(baseUrl)
      const { stdout } = await command('person', 'create', '--email', 'a@example.com', '--database', `memory:${port}`)
      assert.equal(new URL(stdout).origin, origin)
    }
    for (const server of servers) await server.stop()
  })

  test('creates, lists and disables people, and lets in who has lost everything', async () => {
    const database = `sqlite:${join(folder, 'person/wolke.db')}`
    const server = await serve(database)
    const run = (...args: string[]) => command('person', ...args, '--database', database)
    const url = ['--public-url', 'https://cloud.example.com']
    const made = await run('create', '--email', 'Ops@Example.com', '--admin', ...url)
    assert.match(made.stdout, /^https:\/\/cloud\.example\.com\/console\/reset#[\w-]{43}\n$/)
    const again = await run('create', '--email', 'ops@example.com')
    assert.deepEqual(
      [again.code, again.stderr],
      [1, 'wolke: a person with the address ops@example.com exists already\n'],
    )
    const browser = new TestBrowser(server)
    const use = (link: string) =>
      browser.post('/console/reset/password', { code: link.trim().split('#')[1]!, go: '1', password })
    assert.equal((await use(made.stdout)).status, 303)
    assert.equal((await use((await run('link', 'ops@example.com')).stdout)).status, 303)
    // The first administrator owns Project default, however it became that.
    const { projects } = (await browser.api('GET', `${own}/installation/projects`)).body
    assert.equal(projects[0].owner?.email, 'ops@example.com')
    const owning = await command(
      'audit',
      '--database',
      database,
      '--json',
      '--project',
      'default',
      '--family',
      'people',
    )
    assert.deepEqual(
      JSON.parse(owning.stdout).map(({ actor, operation }: { actor: { kind: string }; operation: string }) => [
        ...[actor.kind, operation],
      ]),
      [['command line', 'become owner']],
    )
    const people = JSON.parse((await run('list', '--json')).stdout)
    assert.deepEqual(
      people.map(({ email, installation_role, disabled }: Record<string, unknown>) => [
        email,
        installation_role,
        disabled,
      ]),
      [['ops@example.com', 'admin', null]],
    )
    const last = await run('disable', 'ops@example.com')
    assert.deepEqual([last.code, last.stdout], [1, ''])
    await run('create', '--email', 'second@example.com', '--admin')
    assert.equal((await run('disable', 'ops@example.com')).code, 0)
    assert.equal((await signIn(new TestBrowser(server), 'ops@example.com')).status, 401)
    const shown = await command('audit', '--database', database, '--json', '--operation', 'wolke person')
    const ids = (JSON.parse((await run('list', '--json')).stdout) as { id: number }[]).map(({ id }) => id)
    assert.deepEqual(
      JSON.parse(shown.stdout).map(({ operation, resources, outcome }: Record<string, unknown>) => [
        ...[operation, resources, outcome],
      ]),
      [
        ['wolke person create', [ids[0]], 'ok'],
        ['wolke person create', [], 'refused'],
        ['wolke person link', [ids[0]], 'ok'],
        ['wolke person disable', [ids[0]], 'refused'],
        ['wolke person create', [ids[1]], 'ok'],
        ['wolke person disable', [ids[0]], 'ok'],
      ],
    )
    const unknown = await run('link', 'nobody@example.com')
    assert.deepEqual(
      [unknown.code, unknown.stderr],
      [1, 'wolke: there is no person with the address nobody@example.com\n'],
    )
    await server.stop()
  })

  test('options of an identity provider that do not go together are refused before anything is made', async () => {
    const issuer = ['--oidc-issuer', 'https://login.example.com']
    for (const [options, says] of [
      [[...issuer], /--oidc-issuer and --oidc-client-id belong together/],
      [[...issuer, '--oidc-client-id', 'wolke'], /--oidc-client-secret-file or WOLKE_OIDC_CLIENT_SECRET/],
      [['--oidc-only'], /need --oidc-issuer/],
      [['--oidc-issuer', 'http://login.example.com'], /Expected https/],
      [['--oidc-groups', 'ops=default:owner'], /expected GROUP=PROJECT:ROLE/],
      [
        [...issuer, '--oidc-client-id', 'wolke', '--oidc-client-secret-file', '/none'],
        /--oidc-client-secret-file: ENOENT/,
      ],
    ] as const) {
      const { code, stderr } = await command(
        'serve',
        '--database',
        `sqlite:${join(folder, 'none/wolke.db')}`,
        ...options,
      )
      assert.equal(code, 2, stderr)
      assert.match(stderr, says)
    }
    assert.equal(existsSync(join(folder, 'none')), false)
  })
})
