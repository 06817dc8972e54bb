/** Tokens that expire, are used and are limited, and what they are told about themselves. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createManagementToken } from '../../src/kernel/access/management-tokens.ts'
import { principalIn } from '../../src/kernel/access/principal.ts'
import { Authenticator, addToken, removeToken, tokensOf } from '../../src/kernel/access/tokens.ts'
import { wolkeBase } from '../../src/kernel/contract/bases.ts'
import { changeOwner } from '../../src/kernel/mail/outbox.ts'
import { manager } from '../../src/management/proof.ts'
import { commands, grantedFamilies, readScope } from '../../src/management/scopes.ts'
import { countedPaths } from '../../src/management/store.ts'
import { holdable, untilMet } from '../kit/database/held.ts'
import { type Client, forDatabasesInTurn, type World } from '../kit/harness.ts'
import { firstProject, scopedClient } from '../kit/http/scoped-clients.ts'
import { done } from '../kit/proof.ts'
import { samples } from '../kit/proofs.ts'
import { assertRefused } from '../kit/refusals.ts'
import { TestBrowser } from '../people/kit/browser.ts'

const own = ({ baseUrl }: World, path: string) => `${new URL(baseUrl).origin}${wolkeBase}${path}`
const whoami = async (world: World, client: Client) => (await done(client.get(own(world, '/whoami')))).whoami

forDatabasesInTurn('A token', (open) => {
  test('expires to the millisecond, however lately it was used', async () => {
    const world = await open({ runActions: false })
    const expires = world.clock.now() + 60_000
    const client = await scopedClient(world, {}, { expires })
    const given = { name: 'automation', created: '2026-11-21T12:00:00Z', expires }
    const management = world.client((await world.db.transact((tx) => createManagementToken(tx, given))).token)
    assert.equal((await whoami(world, management)).expires, '2026-11-21T12:01:00Z')
    world.clock.advance(59_999)
    assert.equal((await client.get('/pricing')).status, 200)
    world.clock.advance(1)
    const refused = await client.get('/pricing')
    assertRefused(refused, 'unauthorized')
    assert.equal(refused.text, (await world.client('x'.repeat(64)).get('/pricing')).text)
    assertRefused(await management.get(own(world, '/whoami')), 'unauthorized')
  })

  test('shows when it was last used, which is written for all at once', async () => {
    const { db, api, clock, readOnly } = await open({ runActions: false })
    const projectId = await firstProject({ db })
    let now = 0
    const authenticator = new Authenticator(db, () => now, clock.now)
    const uses = async () => (await tokensOf(db.query, { projectId })).map(({ last_used }) => last_used)
    const [first] = [clock.now()]
    await authenticator.find(api.token!)
    assert.deepEqual(await uses(), [null, null], 'no request writes it')
    await authenticator.writeUses()
    assert.deepEqual(await uses(), [first, null])
    clock.advance(4_000)
    now += 4_000
    await authenticator.find(api.token!)
    await authenticator.find(readOnly.token!)
    await authenticator.writeUses()
    assert.deepEqual(await uses(), [first + 4_000, first + 4_000])
    await authenticator.writeUses()
    assert.deepEqual(await uses(), [first + 4_000, first + 4_000])
  })

  test('is told who it is and what its scope grants in full', async () => {
    const world = await open({ runActions: false })
    const id = await firstProject(world)
    const everything = await whoami(world, world.api)
    assert.deepEqual(everything.project, { id, name: 'first' })
    assert.deepEqual([everything.kind, everything.role, everything.operator], ['token', 'member', false])
    const verbs = ['read', 'create', 'update', 'delete', ...commands]
    const all = { access: 'read_write', families: grantedFamilies, verbs, label_selector: null }
    assert.deepEqual(everything.rights, all)
    assert.deepEqual((await whoami(world, world.readOnly)).rights, { ...all, access: 'read', verbs: ['read'] })
    const [family] = grantedFamilies
    const scope = { families: [family!], verbs: ['read', 'actions'], label_selector: 'env=test' }
    const { rights } = await whoami(world, await scopedClient(world, scope))
    assert.deepEqual(rights, { ...all, ...scope, verbs: ['read', ...commands] })
    const door = `${new URL(world.baseUrl).origin}/console/api/projects/${id}${wolkeBase}/whoami`
    const person = (await done(world.as('admin').get(door))).whoami
    assert.deepEqual([person.kind, person.role, person.rights], ['person', 'admin', null])
    assert.equal(everything.display_name, null)
  })

  test('is told the same by its session, which says nothing of the Project', async () => {
    const world = await open({ runActions: false })
    const scoped = await scopedClient(world, { families: grantedFamilies.slice(1), verbs: ['read', 'actions'] })
    for (const client of [world.api, world.readOnly, scoped]) {
      const browser = new TestBrowser(world)
      assert.equal((await browser.post('/console/login/token', { token: client.token! })).status, 303)
      const { body } = await browser.api('GET', `/console/api${wolkeBase}/whoami`)
      assert.deepEqual(body.whoami, await whoami(world, client))
    }
  })

  test('sees of its Project the name alone when it is limited, whatever limits it', async () => {
    const world = await open({ runActions: false })
    const id = await firstProject(world)
    await world.db.transact((tx) => changeOwner(tx, { projectId: id }, 'ops@example.com'))
    const listed = async (client: Client) => (await done(client.get(own(world, '/projects?summary=true')))).projects
    const [whole] = await listed(world.api)
    assert.equal(whole.owner_email, 'ops@example.com')
    const least = { id, name: 'first', created: whole.created, role: 'member' }
    for (const scope of [{ families: grantedFamilies }, { verbs: ['actions'] }, { label_selector: 'env=test' }]) {
      assert.deepEqual(await listed(await scopedClient(world, scope)), [
        { ...least, owner_email: null, resources: {}, summary: null },
      ])
    }
    const reader = await scopedClient(world, { verbs: ['read'] })
    assert.equal((await done(reader.get(own(world, `/projects/${id}`)))).project.owner_email, null)
  })

  test('that replaces one works no longer than time can be written', async () => {
    const world = await open({ runActions: false })
    const api = await manager(world)
    const tokens = own(world, `/projects/${await firstProject(world)}/tokens`)
    const far = { name: 'far', access: 'read', expires: '9999-12-31T23:59:59Z' }
    const { token } = await done(api.post(tokens, far))
    assert.equal(token.expires, far.expires)
    world.clock.advance(86_400_000)
    assert.equal((await done(api.post(`${tokens}/${token.id}/rotate`, {}))).token.expires, far.expires)
  })

  test('that sees some resources still sees the catalogue, and finds the end of what it deleted', async () => {
    const world = await open()
    const client = await scopedClient(world, { label_selector: 'env=test' })
    const images = (one: Client) => done(one.get('/images?type=system')).then((body) => body.images.length)
    assert.equal(await images(client), await images(world.api))
    assert.equal((await done(client.get('/images?type=system&label_selector=env=prod'))).images.length, 0)
    const removed = await acted(world, client)
    await world.settle()
    const { actions } = await done(client.get(`/actions?id=${removed}`))
    assert.deepEqual(
      actions.map(({ id, status }: { id: number; status: string }) => [id, status]),
      [[removed, 'success']],
    )
    const other = await scopedClient(world, { label_selector: 'env=test,tier=1' })
    assert.deepEqual((await done(other.get(`/actions?id=${removed}`))).actions, [])
  })

  test('that was revoked a moment ago is none also where an action would be noted as started by it', async () => {
    const world = await open({ runActions: false })
    const scope = { projectId: await firstProject(world) }
    const client = await scopedClient(world, { label_selector: 'env=test' })
    const targets = await Promise.all(countedPaths.map((family) => labelled(world, family)))
    assert.equal((await client.get('/images')).status, 200)
    const { id } = (await tokensOf(world.db.query, scope)).find(({ name }) => name === 'scoped')!
    await world.db.transact((tx) => removeToken(tx, scope, id))
    const answers = await Promise.all(targets.flatMap((path) => (path === undefined ? [] : [client.delete(path)])))
    assert.ok(
      Math.max(...answers.map(({ status }) => status)) < 500,
      answers.map(({ path, text }) => path + text).join(),
    )
    assertRefused(answers.find(({ status }) => status === 401)!, 'unauthorized')
  })

  test('that is revoked while somebody logs in with it is a wrong one', async () => {
    const world = await open({ runActions: false })
    const scope = { projectId: await firstProject(world) }
    const given = { name: 'brief', readOnly: true }
    const { listed, token } = await world.db.transact((tx) => addToken(tx, scope, given))
    const held = holdable(world.db)
    const { done: isRevoked, release } = held.holdNext()
    const revoking = held.db.transact((tx) => removeToken(tx, scope, listed.id))
    await isRevoked
    const pending = new TestBrowser(world).post('/console/login/token', { token })
    await untilMet(world, pending)
    release()
    await revoking
    assert.equal((await pending).status, 401)
  })
})

/** Deletes a labelled resource whose deletion is an action; returns the id of the action. */
async function acted(world: World, client: Client): Promise<number> {
  for (const family of countedPaths) {
    const path = await labelled(world, family)
    const answer = path === undefined ? undefined : await client.delete(path)
    if (answer?.body?.action) return answer.body.action.id
  }
  throw new Error('no deletion is an action')
}

/** The path of a new resource with labels; undefined where it has none. */
async function labelled(world: World, family: string): Promise<string | undefined> {
  const { id } = await samples[family]!.prepare(world)
  await world.settle()
  const path = `/${family}/${id}`
  return (await world.api.put(path, { labels: { env: 'test' } })).status === 200 ? path : undefined
}

describe('A scope', () => {
  test('is kept in its normal form', () => {
    const [first, second] = grantedFamilies
    const given = { families: [second!, first!, second!], verbs: ['reboot', 'read'], label_selector: ' env = test ' }
    const scope = { families: [first, second], verbs: ['read', 'reboot'], label_selector: 'env=test' }
    assert.deepEqual(readScope(given), { scope })
    assert.deepEqual(readScope({ families: null }), { scope: null })
  })

  test('goes with a person or a token into every Project', () => {
    const within = { text: 'a', terms: [] }
    const limits = { text: {}, families: undefined, verbs: undefined, within }
    const identity = { roles: new Map(), isOperator: false, elevatedUntil: 0, bucket: 'a', limits }
    const principal = principalIn({ ...identity, actor: { kind: 'token', id: 7, name: 'a' } }, 1 as never)
    assert.deepEqual(principal.scope, { projectId: 1, startedBy: 7 })
    assert.equal(principal.limits, limits)
  })
})
