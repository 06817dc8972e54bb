/**
 * Every endpoint against every caller, made from the contract tables; what a table cannot tell is in the proof.ts of each
 * family. There is no list of exceptions. Errors are in declared-errors.test.ts, and actions in actions/coverage.test.ts.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateToken } from '../../../src/kernel/access/token-text.ts'
import { createToken, revokeToken } from '../../../src/kernel/access/tokens.ts'
import { acrossProjects } from '../../../src/kernel/data/scoped.ts'
import { checkConsistency } from '../../kit/consistency.ts'
import { dump } from '../../kit/database/dump.ts'
import { type Answer, type Client, forEachDatabase, testClock, type World } from '../../kit/harness.ts'
import { neverExisted, type Target } from '../../kit/proof.ts'
import { references, samples } from '../../kit/proofs.ts'
import { assertRefused } from '../../kit/refusals.ts'
import { each, isShared, parts, pathOf, prepare, type Ready, type Row, rows } from '../../kit/requests.ts'

const isRead = ({ row }: Ready) => row.endpoint.method === 'GET'
const namesResource = ({ row }: Ready) => row.endpoint.path.includes('{')

interface Callers {
  /** Those who are nobody: no token, or none that is valid. */
  readonly strangers: readonly { readonly name: string; send(ready: Ready): Promise<Answer> }[]
  readonly foreignReadOnly: Client
  readonly ownProject: number
}

async function callers({ db, client, anonymous }: World): Promise<Callers> {
  const projects = await acrossProjects(db.query).selectFrom('project').selectAll().orderBy('id').execute()
  const [own, foreign] = projects
  const token = (projectId: typeof own & {}, readOnly: boolean) =>
    db.transact((tx) => createToken(tx, { projectId: projectId.id, name: 'caller', readOnly, created: '' }))
  const revoked = await token(own!, false)
  await db.transact((tx) => revokeToken(tx, revoked))
  const header = (name: string, authorization: string) => ({
    name,
    send: (ready: Ready) => ready.send(anonymous, undefined, { authorization }),
  })
  const bearer = (name: string, text: string) => ({ name, send: (ready: Ready) => ready.send(client(text)) })
  return {
    strangers: [
      { name: 'no token', send: (ready) => ready.send(anonymous) },
      header('another scheme', `Basic ${revoked}`),
      header('no text after the scheme', 'Bearer '),
      header('a token without the scheme', revoked),
      bearer('what is no token', 'short'),
      bearer('a wrong checksum', `wlk_${'0'.repeat(60)}`),
      bearer('a token that was never given out', generateToken()),
      bearer('a revoked token', revoked),
    ],
    foreignReadOnly: client(await token(foreign!, true)),
    ownProject: own!.id,
  }
}

/** The text of an answer without the ids that it repeats. */
function withoutIds({ text }: Answer, { id, actionId }: Target): string {
  return text.replaceAll(String(id), 'ID').replaceAll(String(actionId), 'ID')
}

/** To another Project, a resource is exactly what never was: also when the request is bad in other ways. */
async function checkInvisible(ready: Ready, client: Client): Promise<void> {
  const nowhere = { id: neverExisted, actionId: neverExisted + 1 }
  const [foreign, never] = [await ready.send(client), await ready.send(client, nowhere)]
  assertRefused(foreign, 'not_found')
  assert.equal(withoutIds(foreign, ready.target), withoutIds(never, nowhere))
  if (!ready.row.endpoint.body) return
  const { method } = ready.row.endpoint
  const bad = await client.request(method, pathOf(ready.row.endpoint, ready.target), { body: { surprise: 1 } })
  assert.equal(withoutIds(bad, ready.target), withoutIds(never, nowhere), 'with a bad body')
}

/** None of these may have an effect. */
async function checkRefused(world: World, ready: Ready, { strangers, foreignReadOnly }: Callers): Promise<void> {
  for (const stranger of strangers) {
    const answer = await stranger.send(ready)
    assertRefused(answer, 'unauthorized')
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer', stranger.name)
  }
  for (const client of isRead(ready) ? [] : [world.readOnly, foreignReadOnly]) {
    assertRefused(await ready.send(client), 'token_readonly')
  }
  if (!namesResource(ready) || isShared(ready)) return
  await checkInvisible(ready, world.foreign)
  if (isRead(ready)) await checkInvisible(ready, foreignReadOnly)
}

/** What needs no resource works for the other Project too, on its own behalf. */
async function checkForeign(world: World, ready: Ready, { foreignReadOnly, ownProject }: Callers): Promise<void> {
  if (namesResource(ready) && !isShared(ready)) return
  const before = await dump(world.db, ownProject)
  for (const client of isRead(ready) ? [world.foreign, foreignReadOnly] : [world.foreign]) {
    const answer = await ready.send(client)
    assert.equal(answer.status, ready.row.endpoint.status, answer.text)
    if (isShared(ready)) assert.equal(answer.text, (await ready.send(world.api)).text)
    else assert.equal(withoutIds(answer, ready.target), answer.text, 'it shows an id of another Project')
  }
  assert.equal(await dump(world.db, ownProject), before, 'it changed another Project')
}

async function checkCallers(world: World, row: Row, those: Callers): Promise<void> {
  const ready = await prepare(world, row)
  const before = await dump(world.db)
  await checkRefused(world, ready, those)
  assert.equal(await dump(world.db), before, 'a refused request had an effect')
  await checkForeign(world, ready, those)
  if (isRead(ready)) assert.equal((await ready.send(world.readOnly)).status, row.endpoint.status)
  const answer = await ready.send(world.api)
  if (ready.sample.refusal) return assertRefused(answer, ready.sample.refusal)
  assert.equal(answer.status, row.endpoint.status, answer.text)
}

/** Ids that name nothing: never given out, of something deleted, or no ids at all. */
async function checkMissing(world: World, row: Row): Promise<void> {
  const ready = await prepare(world, row)
  const missing: unknown[] = [neverExisted, 0, -1, '1.5', 'abc', '9'.repeat(16), `0${ready.target.id}`, '%00']
  const remover = rows.find(({ family, key }) => family === row.family && key === 'remove')
  if (remover && !row.endpoint.path.includes('actions/{')) {
    const { target, send } = await prepare(world, remover)
    await send(world.api)
    await world.settle()
    missing.push(target.id)
  }
  for (const id of missing) assertRefused(await ready.send(world.api, { id, actionId: id }), 'not_found')
}

forEachDatabase('every endpoint', (open) => {
  test('tells strangers, read-only tokens and other Projects nothing and lets them change nothing', async () => {
    for (const { some, day } of parts) {
      const world = await open({ runActions: false, clock: testClock(day) })
      const those = await callers(world)
      await each(some, (row) => checkCallers(world, row, those))
      await world.settle()
      await checkConsistency(world, { pendingToo: true })
    }
  })

  test('finds nothing under an id that was never given out, is no id or belongs to what is deleted', async () => {
    for (const { some, day } of parts) {
      const world = await open({ runActions: false, clock: testClock(day) })
      await each(
        some.filter(({ endpoint }) => endpoint.path.includes('{')),
        (row) => checkMissing(world, row),
      )
    }
  })

  test('a reference to what another Project has is answered like one to what never was', async () => {
    const world = await open({ runActions: false })
    await each(
      Object.entries(references).map(([name, reference]) => ({ name, ...reference })),
      async ({ name, family, body }) => {
        const { row, target } = await prepare(world, rows.find((row) => row.name === name.split(' ')[0])!)
        const foreign = await samples[family]!.prepare({ ...world, api: world.foreign })
        const before = await dump(world.db)
        const send = (id: number) => world.api.post(pathOf(row.endpoint, target), body(id))
        const [theirs, never] = [await send(foreign.id), await send(neverExisted)]
        assert.ok(theirs.status >= 400 && theirs.status < 500, theirs.text)
        assert.equal(withoutIds(theirs, foreign), withoutIds(never, { id: neverExisted }))
        assert.equal(theirs.status, never.status)
        assert.equal(await dump(world.db), before, 'a refused request had an effect')
      },
    )
  })
})

test('every sample is for an endpoint that there is', () => {
  for (const [family, { requests = {} }] of Object.entries(samples)) {
    assert.ok(
      rows.some((row) => row.family === family),
      family,
    )
    for (const key of Object.keys(requests))
      assert.ok(
        rows.some((row) => row.name === `${family}.${key}`),
        key,
      )
  }
})
