/** The audit log of what people do that is no request of the API: signing in, failing to, and joining a Project. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManagementToken } from '../../src/kernel/access/management-tokens.ts'
import { createProject } from '../../src/kernel/access/projects.ts'
import { timestamp } from '../../src/kernel/process/clock.ts'
import { openLog } from '../../src/kernel/process/log.ts'
import { addCredential } from '../../src/people/credentials/credential-store.ts'
import { warnOfPasskeys } from '../../src/people/open.ts'
import { createPerson } from '../../src/people/person-store.ts'
import { makeTesterLink } from '../../src/people/setup.ts'
import { firstProject, logged } from '../kit/audit-log.ts'
import { until } from '../kit/database/bare-database.ts'
import { type Client, forDatabasesInTurn, forEachDatabase, type World } from '../kit/harness.ts'
import { assertRefused } from '../kit/refusals.ts'
import { Authenticator } from './kit/authenticator.ts'
import { adminEmail, own, password, setUp, signIn, TestBrowser } from './kit/browser.ts'

interface Entry {
  readonly actor: { readonly kind: string; readonly name: string }
  readonly operation: string
  readonly outcome: string
  readonly network: string
}

async function signIns(admin: TestBrowser): Promise<readonly Entry[]> {
  const { body } = await admin.api('GET', `${own}/audit?operation=sign`)
  return body.audit
}

const said = ({ actor, operation, outcome, network }: Entry) => [actor.name, operation, outcome, network]

forDatabasesInTurn('the audit log of people', (open) => {
  test('has every sign-in, and every failed one of somebody known', async () => {
    const world: World = await open({ runActions: false })
    const admin = await setUp(world)
    assert.deepEqual((await signIns(admin)).map(said), [[adminEmail, 'sign in', 'ok', '127.0.0.1']])
    const other = new TestBrowser(world)
    await signIn(other, adminEmail, 'a wrong password')
    await signIn(other, 'nobody@nordlicht.example', 'a wrong password')
    await until(async () => (await signIns(admin)).length === 2, 'the failed sign-in is recorded')
    assert.equal((await signIn(other)).status, 303)
    assert.deepEqual(
      (await signIns(admin)).map(({ outcome }) => outcome),
      ['ok', 'wrong_credentials', 'ok'],
    )
    assert.ok((await signIns(admin)).every(({ network }) => network === '127.0.0.1'))
  })

  test('does not call done what was refused', async () => {
    const world: World = await open({ runActions: false })
    const admin = await setUp(world)
    const wrong = await admin.api('POST', `${own}/account/elevate`, { password: 'a wrong password' })
    assert.equal(wrong.status, 403)
    assert.equal((await admin.api('DELETE', `${own}/account/sessions/4000000000000000`)).status, 404)
    assert.equal((await admin.api('PUT', `${own}/account/credentials/4000000000000000`, { name: 'x' })).status, 404)
    const entries = async () => (await admin.api('GET', `${own}/audit?operation=/account`)).body.audit as Entry[]
    await until(async () => (await entries()).length === 3, 'all three are recorded')
    assert.deepEqual((await entries()).map(({ outcome }) => outcome).toSorted(), [
      'not_found',
      'not_found',
      'wrong_credentials',
    ])
  })

  test('shows installation admins who administers the Projects of others, and nothing of what is in them', async () => {
    const world = await open({ runActions: false })
    const admin = await setUp(world)
    const project = await firstProject(world)
    await world.api.post('/firewalls', { name: 'secret-merger' })
    await world.as('owner').post('/zones', { name: 'secret-merger.example', mode: 'primary' })
    const ttl = await world.as('owner').post('/zones/secret-merger.example/actions/change_ttl', { ttl: 7200 })
    assert.equal(ttl.status, 201)
    assertRefused(await world.api.delete('/servers/1'), 'not_found')
    const tokens = `${new URL(world.baseUrl).origin}${own}/projects/${project}/tokens`
    const given = { name: 'secret-merger', access: 'read' }
    assert.equal((await world.as('owner').post(tokens, given)).status, 201)
    const tester = new TestBrowser(world)
    assert.equal((await tester.post('/console/login/token', { token: world.api.token! })).status, 303)
    assert.equal((await logged(world)).length, 6, 'those of the Project see everything')
    const seen = async (reader: TestBrowser | Client, path = `${own}/audit`) => {
      const { text } =
        reader instanceof TestBrowser
          ? await reader.api('GET', `${path}?project=${project}`)
          : await reader.get(`${new URL(world.baseUrl).origin}${path}?project=${project}`)
      const { audit } = JSON.parse(text) as { audit: Entry[] }
      return { text, operations: audit.map(({ operation }) => operation) }
    }
    const foreign = await seen(admin)
    assert.deepEqual(foreign.operations, ['POST /wolke/v1/projects/{project_id}/tokens'])
    assert.doesNotMatch(foreign.text, /secret-merger/)
    const hidden = await admin.api('GET', `${own}/audit?resource=secret-merger.example`)
    assert.deepEqual(hidden.body.audit, [])
    const { token } = await world.db.transact((tx) =>
      createManagementToken(tx, { name: 'automation', created: timestamp(tx.now) }),
    )
    assert.equal((await seen(world.client(token), '/wolke/v1/audit')).operations.length, 6)
    const { id } = (await admin.api('GET', `${own}/account`)).body.account
    const join = (role: string) => admin.api('POST', `${own}/projects/${project}/members`, { person_id: id, role })
    assert.equal((await join('member')).status, 201)
    assert.equal((await seen(admin)).operations.length, 2, 'members read no log')
    assert.equal((await join('admin')).status, 201)
    assert.equal((await seen(admin)).operations.length, 8)
  })

  test('has a Project under the name that it had, when it is renamed and when it is deleted', async () => {
    const world = await open({ runActions: false })
    const admin = await setUp(world)
    const { id } = (await admin.api('POST', `${own}/projects`, { name: 'before' })).body.project
    world.app.people.sessions.forget()
    assert.equal((await admin.api('PUT', `${own}/projects/${id}`, { name: 'after' })).status, 200)
    assert.equal((await admin.api('DELETE', `${own}/projects/${id}`)).status, 204)
    const { body } = await admin.api('GET', `${own}/audit?operation=/projects`)
    assert.deepEqual(
      body.audit.map((entry: Entry & { project: { name: string } }) => [entry.operation, entry.project?.name]),
      [
        ['DELETE /wolke/v1/projects/{project_id}', 'after'],
        ['PUT /wolke/v1/projects/{project_id}', 'before'],
        ['POST /wolke/v1/projects', 'before'],
      ],
    )
  })

  test('has what changes an account outside of the API', async () => {
    const world = await open({ runActions: false })
    const admin = await setUp(world)
    const { link } = (await admin.api('POST', `${own}/people`, { email: 'eva@example.com' })).body
    await new TestBrowser(world).post('/console/reset/password', { code: link.split('#')[1], go: '1', password })
    const done = async (operation: string) => (await admin.api('GET', `${own}/audit?operation=${operation}`)).body.audit
    assert.deepEqual((await done('set%20up')).map(said), [[adminEmail, 'set up', 'ok', '127.0.0.1']])
    const reset = (await done('set%20password')).map(said)
    assert.deepEqual(reset, [['eva@example.com', 'set password by link', 'ok', '127.0.0.1']])
    const eva = new TestBrowser(world)
    await signIn(eva, 'eva@example.com')
    assert.equal((await eva.post('/console/logout')).status, 303)
    assert.deepEqual((await done('sign%20out')).map(said), [['eva@example.com', 'sign out', 'ok', '127.0.0.1']])
    await eva.post('/console/logout')
    assert.equal((await done('sign%20out')).length, 1, 'who is signed out already')
  })

  test('has the end of a session of an API token, in its Project', async () => {
    const world = await open({ runActions: false })
    const browser = new TestBrowser(world)
    assert.equal((await browser.post('/console/login/token', { token: world.api.token! })).status, 303)
    await browser.post('/console/logout')
    const entries = await logged(world, 'operation=sign')
    assert.deepEqual(
      entries.map(({ actor, operation, project }) => [actor.kind, operation, project?.name]),
      ['sign out', 'sign in'].map((operation) => ['token', operation, 'first']),
    )
  })

  test('has a Project that somebody owns from the beginning in the log of the Project', async () => {
    const world = await open({ runActions: false })
    const { id } = await world.db.transact((tx) => createProject(tx, 'default', timestamp(tx.now)))
    const admin = await setUp(world)
    const { audit } = (await admin.api('GET', `${own}/projects/${id}/audit`)).body
    assert.deepEqual(audit.map(said), [[adminEmail, 'become owner', 'ok', '127.0.0.1']])
    assert.equal(audit[0].resources[1], 'owner')
  })

  test('has the tester that the link of a start makes', async () => {
    const world = await open({ runActions: false })
    const { id } = await world.db.transact((tx) => createProject(tx, 'default', timestamp(tx.now)))
    const tester = new TestBrowser(world)
    await tester.post('/console/enter', { code: await makeTesterLink(world.db) })
    await tester.post('/console/enter', { code: await makeTesterLink(world.db) })
    const { audit } = (await tester.api('GET', `${own}/audit?family=people`)).body
    assert.deepEqual(
      audit.map((entry: Entry & { project: { id: number } | null }) => [entry.operation, entry.project?.id]),
      [
        ['sign in', undefined],
        ['become owner', id],
        ['sign in', undefined],
        ['create account', undefined],
      ],
    )
  })

  test('has an invitation that was refused to who is signed in', async () => {
    const world = await open({ runActions: false })
    const { id } = await world.db.transact((tx) => createProject(tx, 'default', timestamp(tx.now)))
    const admin = await setUp(world)
    const given = { email: 'eva@example.com', role: 'viewer' }
    const { link } = (await admin.api('POST', `${own}/projects/${id}/invitations`, given)).body
    assert.equal((await admin.post('/console/invite/accept', { code: link.split('#')[1] })).status, 403)
    const refused = async () => (await admin.api('GET', `${own}/audit?operation=accept`)).body.audit as Entry[]
    await until(async () => (await refused()).length === 1, 'it is recorded')
    assert.deepEqual((await refused()).map(said), [[adminEmail, 'accept invitation', 'forbidden', '127.0.0.1']])
  })

  test('has what a disabled person was refused with a passkey', async () => {
    const world = await open({ runActions: false })
    const admin = await setUp(world)
    const { person, link } = (await admin.api('POST', `${own}/people`, { email: 'eva@example.com' })).body
    const eva = new TestBrowser(world)
    await eva.post('/console/reset/password', { code: link.split('#')[1], go: '1', password })
    const authenticator = new Authenticator()
    const rpId = 'localhost'
    const { options } = (await eva.api('POST', `${own}/account/passkeys/options`)).body
    const response = authenticator.create({ challenge: options.challenge, origin: eva.origin, rpId })
    assert.equal((await eva.api('POST', `${own}/account/passkeys`, { name: 'Laptop', response })).status, 201)
    await admin.api('PUT', `${own}/people/${person.id}`, { disabled: true })
    const { challenge } = (await eva.api('POST', '/console/login/passkey/options', {})).body
    const answer = authenticator.get({ challenge, origin: eva.origin, rpId })
    assert.equal((await eva.api('POST', '/console/login/passkey', answer)).status, 401)
    const refused = async () => (await admin.api('GET', `${own}/audit?operation=sign&outcome=refused`)).body.audit
    await until(async () => (await refused()).length === 1, 'it is recorded')
    assert.deepEqual((await refused()).map(said), [['eva@example.com', 'sign in', 'forbidden', '127.0.0.1']])
  })
})

forEachDatabase('passkeys of another host', (open) => {
  test('are told of when a start has another public URL', async () => {
    const lines: string[] = []
    const log = openLog('warn', { write: (line) => void lines.push(line) })
    const world = await open({ runActions: false, log, publicOrigins: ['https://cloud.example.com'] })
    const add = (host: string) =>
      world.db.transact(async (tx) => {
        const { id: personId } = await createPerson(tx, { email: `${host}@example.com`, name: host })
        const data = JSON.stringify({ publicKey: '', transports: [], rpId: host, isSynced: false })
        await addCredential(tx, { personId, kind: 'passkey', subject: host, data, name: host })
      })
    await add('cloud.example.com')
    await warnOfPasskeys(world.app.people)
    assert.deepEqual(lines, [])
    await add('old.example.com')
    await warnOfPasskeys(world.app.people)
    assert.deepEqual(JSON.parse(lines[0]!).hosts, ['old.example.com'])
  })
})
