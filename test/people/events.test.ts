/** The audit log of what people do that is no request of the API: signing in, failing to, and joining a Project. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../bare-database.ts'
import { forEachDatabase, type World } from '../harness.ts'
import { adminEmail, own, setUp, signIn, TestBrowser } from './browser.ts'

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

forEachDatabase('the audit log of people', (open) => {
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
  })
})
