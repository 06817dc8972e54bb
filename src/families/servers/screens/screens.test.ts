import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { firstProject } from '../../../../test/kit/audit-log.ts'
import { type Client, forEachDatabase, forProjects, today, type World } from '../../../../test/kit/harness.ts'
import { expect } from '../../../../test/kit/resources.ts'
import { own, setUp, signIn, TestBrowser } from '../../../../test/people/kit/browser.ts'
import { request, talk } from '../../../../test/stubs/raw-http.ts'
import { type Refused, view } from '../../../../test/stubs/rfb-client.ts'
import type { ScopeText } from '../../../kernel/access/token-scope.ts'
import { createToken, revokeToken } from '../../../kernel/access/tokens.ts'
import type { ProjectId } from '../../../kernel/scope.ts'
import { addMember, removeMember, setRole } from '../../../people/memberships/membership-store.ts'
import { command, makeServer, newServer } from '../proof.ts'

interface Session {
  readonly wss_url: string
  readonly password: string
}

const ask = async (world: World, id: number): Promise<Session> =>
  expect(await command(world.api, id, 'request_console'), 201).body

async function open(world: World, id: number, options: Parameters<typeof view>[2] = {}) {
  const { wss_url: url, password } = await ask(world, id)
  return view(url, password, options)
}

async function settled(world: World, id: number, what: string, body?: object): Promise<void> {
  expect(await command(world.api, id, what, body), 201)
  await world.settle()
}

/** Expects that a console is refused, and with which words or status. */
const refused = (url: string, password: string, reason: string) =>
  assert.rejects(view(url, password), (error: Refused) => error.message === reason)

/** Opens a console and leaves it before its login; the status of the answer. */
function knock(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url)
    socket.on('open', () => resolve(101)).on('error', reject)
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode!))
  })
}

/** Who may ask for the console of a server, and how each loses that. */
async function askers(world: World, serverId: number): Promise<Record<string, { client: Client; lose(): unknown }>> {
  const { db } = world
  const projectId = (await firstProject(world)) as ProjectId
  const token = async (name: string, scope: ScopeText | null = null) =>
    world.client(
      await db.transact((tx) => createToken(tx, { projectId, name, readOnly: false, created: today, scope })),
    )
  const revoke = ({ token }: Client) => db.transact((tx) => revokeToken(tx, token!))
  const [revoked, used, scoped] = [
    await token('revoked'),
    await token('used'),
    await token('scoped', { label_selector: 'env=dev' }),
  ]
  const admin = await setUp(world)
  const { id: personId } = (await admin.api('GET', `${own}/account`)).body.account as { id: number }
  const join = () => db.transact((tx) => addMember(tx, { projectId }, personId, 'restricted'))
  await join()
  world.app.people.sessions.forget()
  const other = new TestBrowser(world)
  await signIn(other)
  const withToken = new TestBrowser(world)
  await withToken.post('/console/login/token', { token: used.token! })
  const demote = () => db.transact((tx) => setRole(tx, { projectId }, personId, 'viewer'))
  const promote = () => db.transact((tx) => setRole(tx, { projectId }, personId, 'restricted'))
  return {
    'a token that is revoked': { client: revoked, lose: () => revoke(revoked) },
    'a scoped token that no longer sees the server': {
      client: scoped,
      lose: async () => expect(await world.api.put(`/servers/${serverId}`, { labels: {} }), 200),
    },
    'a session of a token that is revoked': { client: clientOf(withToken, projectId), lose: () => revoke(used) },
    'a session that is logged out': { client: clientOf(other, projectId), lose: () => other.post('/console/logout') },
    'a person who only views': { client: clientOf(admin, projectId), lose: demote },
    'a person who is removed': {
      client: clientOf(admin, projectId, promote),
      lose: () => db.transact((tx) => removeMember(tx, { projectId }, personId)),
    },
  }
}

/** Calls the API as the page of a browser does. */
function clientOf(browser: TestBrowser, project: number, before: () => Promise<unknown> = async () => {}): Client {
  const post = async (path: string, body?: unknown) => {
    await before()
    return browser.api('POST', `/console/api/projects/${project}/v1${path}`, body)
  }
  return { post } as unknown as Client
}

forProjects('a console', (openWorld) => {
  test('shows the boot of a running server and lets root in with its password', async () => {
    const world = await openWorld({ runActions: false })
    const created = expect(
      await world.api.post('/servers', { name: 'screen', server_type: 'cpx22', image: 'debian-12' }),
      201,
    ).body
    await world.settle()
    const { id, public_net } = created.server
    const { action, wss_url, password } = expect(await command(world.api, id, 'request_console'), 201).body
    const resources = [{ id, type: 'server' }]
    assert.deepEqual(
      [action.command, action.status, action.progress, action.resources],
      ['request_console', 'success', 100, resources],
    )
    assert.match(password, /^\w{8}$/)
    const { host } = new URL(world.baseUrl)
    assert.match(wss_url, new RegExp(`^ws://${host}/wolke/v1/console\\?token=[\\w-]{43}$`))

    const viewer = await view(wss_url, password)
    const text = await viewer.shows('screen login:')
    for (const part of [`machine ${id}`, 'Booting from disk', public_net.ipv4.ip]) assert.ok(text.includes(part), text)
    viewer.type('root\nwrong\n')
    await viewer.shows('Login incorrect')
    viewer.type(`root\n${created.root_password}\n`)
    await viewer.shows('root@screen:~#')
    assert.ok(!viewer.text.includes(created.root_password), 'passwords are not shown')
    viewer.type('hostnaXY')
    viewer.press(0xff08)
    viewer.press(0xff08)
    viewer.type('me\nrm -rf /\n')
    const output = await viewer.shows('rm: command not found')
    assert.match(output, /~# hostname\nscreen\n/)
    viewer.type('clear\nsleep')
    viewer.press(0xffe3, 0x63)
    viewer.press(0xffe3, 0x64)
    await viewer.shows(/^root@screen:~# sleep\^C\nroot@screen:~# logout\n\nscreen login:$/)
    await viewer.close()
  })

  test('is the same for all who look, in every version, encoding and colour of the protocol', async () => {
    const world = await openWorld({ runActions: false })
    const id = await makeServer(world)
    const viewers = [
      await open(world, id, { version: '003.003', depth: 16 }),
      await open(world, id, { version: '003.007', encoding: 'rre' }),
      await open(world, id, { version: '003.008', depth: 8 }),
      await open(world, id, { encoding: 'rre', depth: 16 }),
    ]
    viewers[0]!.type('~!@#$%^&*()_+|"')
    const texts = await Promise.all(viewers.map((viewer) => viewer.shows('login: ~!@#$%^&*()_+|"')))
    assert.equal(new Set(texts).size, 1)
    await viewers[0]!.close()
    viewers[1]!.type('?')
    await viewers[2]!.shows('+|"?')
  })

  test('boots again with its server, from the ISO in the drive or into the rescue system', async () => {
    const world = await openWorld({ runActions: false })
    const id = await makeServer(world)
    const viewer = await open(world, id)
    await viewer.shows('Booting from disk')
    await settled(world, id, 'attach_iso', { iso: 8637 })
    await settled(world, id, 'reset')
    await viewer.shows('Booting from DVD: ISO 8637')
    const { root_password: password } = expect(await command(world.api, id, 'enable_rescue', {}), 201).body
    await world.settle()
    await settled(world, id, 'reboot')
    await viewer.shows('Booting from rescue system')
    // The boot has used the rescue system up, and a later change does not know its password.
    await settled(world, id, 'detach_iso')
    viewer.type(`root\n${password}\n`)
    await viewer.shows(':~#')
  })

  test('ends when the server is switched off or deleted, and is only given to a running one', async () => {
    const world = await openWorld({ runActions: false })
    const id = await makeServer(world)
    const viewer = await open(world, id)
    const early = await ask(world, id)
    expect(await command(world.api, id, 'poweroff'), 201)
    await world.settle()
    await viewer.ended()
    const { body } = expect(await command(world.api, id, 'request_console'), 422, 'service_error')
    assert.equal(body.error.message, 'server is not running')
    await refused(early.wss_url, early.password, '422')
    await settled(world, id, 'poweron')
    const again = await open(world, id)
    const late = await ask(world, id)
    expect(await world.api.delete(`/servers/${id}`), 200)
    await world.settle()
    await again.ended()
    await refused(late.wss_url, late.password, '401')
    expect(await command(world.api, id, 'request_console'), 404, 'not_found')
  })

  test('is opened once, within a minute, with the password, by whoever was given the address', async () => {
    const world = await openWorld({ alone: true, runActions: false })
    const id = await makeServer(world)
    expect(await world.foreign.post(`/servers/${id}/actions/request_console`), 404, 'not_found')
    const [right, wrong, late] = [await ask(world, id), await ask(world, id), await ask(world, id)]
    const unopened = await ask(world, id)
    await refused(wrong.wss_url, right.password, 'the password is wrong')
    await refused(wrong.wss_url, wrong.password, '401')
    await (await view(right.wss_url, right.password)).close()
    await refused(right.wss_url, right.password, '401')
    world.clock.advance(60_000)
    await refused(late.wss_url, late.password, '401')
    await refused(late.wss_url.replace(/token=.*/, 'token=guessed'), late.password, '401')
    const sessions = () =>
      world.db.query
        .selectFrom('console_session' as never)
        .selectAll()
        .execute()
    const rows = await sessions()
    assert.equal(rows.length, 1)
    assert.equal(JSON.stringify(rows).includes(unopened.password), false)
    await world.app.jobs.run()
    assert.deepEqual(await sessions(), [])
    await ask(world, id)
  })

  test('ends with what is no message, and only that one', async () => {
    const world = await openWorld({ runActions: false })
    const id = await makeServer(world)
    const witness = await open(world, id)
    const hostile = [
      [99],
      [0, 0, 0, 0, 7, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0],
      [0, 0, 0, 0, 8, 8, 0, 1, 255, 255, 0, 255, 0, 255, 31, 31, 31, 0, 0, 0],
      [6, 0, 0, 0, 255, 255, 255, 255],
      [2, 0, 255, 255],
    ]
    for (const message of hostile) {
      const viewer = await open(world, id)
      viewer.send(Buffer.from(message))
      await viewer.ended()
    }
    const large = await open(world, id)
    large.send(Buffer.alloc(70_000, 5))
    assert.equal(await large.ended(), 1009)
    const deaf = await open(world, id)
    deaf.pause()
    const colors = Buffer.alloc(3_000 * 20, Buffer.from([0, 0, 0, 0, 8, 8, ...Array.from({ length: 14 }, () => 0)]))
    for (let at = 0; at < 100; at++) deaf.send(colors)
    witness.type('still here')
    await witness.shows('login: still here')
  })

  test('goes to at most 8 viewers of a server, and closes when the process is stopped', async () => {
    const world = await openWorld({ alone: true, runActions: false })
    const id = await makeServer(world)
    const opened = await Promise.allSettled(Array.from({ length: 20 }, () => open(world, id)))
    const viewers = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    assert.equal(viewers.length, 8)
    const { wss_url, password } = await ask(world, id)
    await refused(wss_url, password, '429')
    await viewers[0]!.close()
    viewers.push(await open(world, id))
    const ends = viewers.slice(1).map((viewer) => viewer.ended())
    await world.stop()
    assert.deepEqual(new Set(await Promise.all(ends)), new Set([1012]))
  })

  test('ends with the token, the session, the membership or the right of whoever asked for it', async () => {
    const world = await openWorld({ runActions: false, askAgainMs: 20 })
    const id = await makeServer(world)
    expect(await world.api.put(`/servers/${id}`, { labels: { env: 'dev' } }), 200)
    const staying = await open(world, id)
    for (const [what, { client, lose }] of Object.entries(await askers(world, id))) {
      const session = expect(await command(client, id, 'request_console'), 201).body as Session
      const early = expect(await command(client, id, 'request_console'), 201).body as Session
      const viewer = await view(session.wss_url, session.password)
      await lose()
      await viewer.ended()
      await assert.rejects(view(early.wss_url, early.password), ({ message }: Refused) => message === '401', what)
    }
    staying.type('still here')
    await staying.shows('login: still here')
  })

  test('goes to at most 50 viewers of a Project, so that others get theirs', async () => {
    const world = await openWorld({ runActions: false })
    const create = async ({ post }: World['api'], name: string) =>
      expect(await post('/servers', { name, server_type: 'cpx22', image: 'debian-12' }), 201).body.server.id as number
    const ids = await Promise.all(Array.from({ length: 7 }, (_, at) => create(world.api, `of-many-${at}`)))
    const theirs = await create(world.foreign, 'of-another')
    await world.settle()
    const looked = ids.flatMap((id) => Array.from({ length: 8 }, () => id)).slice(0, 51)
    const sessions = await Promise.all(looked.map((id) => ask(world, id)))
    const statuses = await Promise.all(sessions.slice(1).map(({ wss_url }) => knock(wss_url)))
    assert.deepEqual(new Set(statuses), new Set([101]))
    assert.equal(await knock(sessions[0]!.wss_url), 429)
    const { wss_url, password } = expect(await command(world.foreign, theirs, 'request_console'), 201).body
    await (await view(wss_url, password)).close()
  })

  test('lets go of a machine that answers when nobody looks any more', async () => {
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const machine = new PassThrough()
    const open = async () => {
      asked.resolve()
      await answer.promise
      return machine
    }
    const world = await openWorld({ runActions: false, drivers: { console: { open } } })
    const id = await makeServer(world)
    const { wss_url, password } = await ask(world, id)
    const looking = assert.rejects(view(wss_url, password))
    await asked.promise
    await settled(world, id, 'poweroff')
    await looking
    const gone = once(machine, 'close')
    answer.resolve()
    await gone
    assert.ok(machine.destroyed)
  })

  test('can be reached under the public name of the installation', async () => {
    const world = await openWorld({ runActions: false, publicOrigins: ['https://cloud.example.com'] })
    const id = await makeServer(world)
    const { hostname, port } = new URL(world.baseUrl)
    const reachedAs = async (host: string) => {
      const text = request(`POST /v1/servers/${id}/actions/request_console`, world.api.token)
      const [answer] = await talk(connect(Number(port), hostname), [text.replace('wolke.example', host)])
      return new URL(JSON.parse(answer!.text).wss_url)
    }
    for (const [host, origin] of [
      ['cloud.example.com', 'wss://cloud.example.com'],
      ['elsewhere.example.com', 'wss://cloud.example.com'],
      ['127.0.0.1:8080', 'ws://127.0.0.1:8080'],
    ] as const) {
      assert.equal((await reachedAs(host)).origin, origin)
    }
  })
})

forEachDatabase('a console of another process', (openWorld, engineName) => {
  if (engineName === 'sqlite') return

  test('is opened there, follows what happens here, and ends with the server', async () => {
    const here = await openWorld({ runActions: false })
    const there = await openWorld({ runActions: false, database: here.database })
    const id = await newServer(here.api, 'shared')
    await here.settle()
    const { wss_url, password } = await ask(here, id)
    const url = wss_url.replace(new URL(here.baseUrl).host, new URL(there.baseUrl).host)
    const viewer = await view(url, password)
    await viewer.shows('Booting from disk')
    viewer.type('typed before the reset')
    await viewer.shows('typed before')
    await settled(here, id, 'attach_iso', { iso: 8637 })
    await settled(here, id, 'reset')
    await viewer.shows('Booting from DVD: ISO 8637')
    await settled(here, id, 'poweroff')
    await viewer.ended()
  })
})
