/** Databases of earlier versions, which each wrote one through its API: this program serves all that they told of. */
import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { closeAdmin } from '../../kit/database/postgres.ts'
import { engines } from '../../kit/engines.ts'
import { signIn, TestBrowser } from '../../people/kit/browser.ts'
import { program } from '../kit/program.ts'
import { copyOf } from './kit/copies.ts'
import { readFixture, schemas, type UpgradeFixture } from './kit/fixture.ts'
import { migrateKilled, placesToDie } from './kit/killing.ts'
import { asking, asPerson, missing, tellAgain } from './kit/told.ts'

const { folder, serve } = program('upgrades')

after(closeAdmin)

/** Checks that a server tells all that the version told that wrote its database, and lets the same people in. */
async function checkServed({ told, toldPerson, tokens, person, unfinished }: UpgradeFixture, baseUrl: string) {
  const [given = '', ...others] = tokens.valid
  const ask = asking(baseUrl, given)
  assert.deepEqual(missing(told, await tellAgain(ask, told)), [])
  for (const token of others) assert.equal((await asking(baseUrl, token)('/servers')).status, 200)
  for (const token of tokens.revoked) assert.equal((await asking(baseUrl, token)('/servers')).status, 401)
  await succeeds(ask, unfinished)
  if (!person) return
  const browser = new TestBrowser({ baseUrl })
  assert.equal((await signIn(browser, person.email, person.password)).status, 303)
  assert.deepEqual(missing(toldPerson, await tellAgain(asPerson(browser), toldPerson)), [])
}

/** Waits until an action has ended well. */
async function succeeds(ask: ReturnType<typeof asking>, id: number): Promise<void> {
  for (;;) {
    const { action } = (await ask(`/actions/${id}`)).body as { action: { status: string } }
    if (action.status === 'success') return
    assert.equal(action.status, 'running', JSON.stringify(action))
    await delay(20)
  }
}

for (const engine of engines) {
  suite(`A database of an earlier version on ${engine}`, () => {
    for (const schema of schemas) {
      test(`is served as that version served it: ${schema}`, async (t) => {
        const fixture = readFixture(schema, engine)
        const copy = await copyOf(fixture, { engine, folder, t })
        const server = await serve(copy.url, ...copy.options)
        await checkServed(fixture, server.baseUrl)
        await server.stop()
      })
    }

    const [oldest = ''] = schemas
    test('is migrated although each process is killed that does it, at each statement', async (t) => {
      const fixture = readFixture(oldest, engine)
      const copy = await copyOf(fixture, { engine, folder, t })
      const places = await placesToDie(copy.url)
      const { url, kills } = await migrateKilled(copy.url, folder)
      assert.equal(kills, places)
      assert.ok(kills > 250)
      const server = await serve(url, ...copy.options)
      await checkServed(fixture, server.baseUrl)
      await server.stop()
    })
  })
}
