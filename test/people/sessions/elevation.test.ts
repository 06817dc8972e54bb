/** What gives others access, or ends a Project, needs a fresh proof of who one is, whatever the role. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProject } from '../../../src/kernel/access/projects.ts'
import { timestamp } from '../../../src/kernel/process/clock.ts'
import { allEndpoints, ownEndpoints } from '../../../src/pages/openapi.ts'
import { forDatabasesInTurn, type World } from '../../kit/harness.ts'
import { own, setUp } from '../kit/browser.ts'

const email = 'eva@example.com'
const ids = '{project_id}/members/{person_id}'

/** Written out, so that no row of the API loses its guard by itself. */
const guarded: readonly (readonly [operation: string, body?: object])[] = [
  // Tokens.
  ['POST /projects/{project_id}/tokens', { name: 'ci', access: 'read' }],
  ['POST /projects/{project_id}/tokens/{token_id}/rotate', {}],
  // Members, and who becomes one.
  ['POST /projects/{project_id}/members', { person_id: 1, role: 'viewer' }],
  [`PUT /projects/${ids}`, { role: 'viewer' }],
  [`DELETE /projects/${ids}`],
  ['POST /projects/{project_id}/invitations', { email, role: 'viewer' }],
  ['DELETE /projects/{project_id}/invitations/{id}'],
  // One's own credentials, and those of others.
  ['PUT /account/password', { password: 'acht grüne Tassen singen' }],
  ['DELETE /account/credentials/{id}'],
  ['POST /account/totp'],
  ['POST /account/totp/confirm', { ticket: 'x', code: '000000' }],
  ['POST /account/recovery_codes'],
  ['POST /account/passkeys/options'],
  ['POST /account/passkeys', { name: 'Laptop', response: {} }],
  ['POST /account/identities'],
  ['POST /people', { email }],
  ['PUT /people/{id}', { disabled: true }],
  ['POST /people/{id}/link'],
  // The Project itself.
  ['PUT /projects/{project_id}', { name: 'other' }],
  ['POST /projects/{project_id}/transfer', { person_id: 1 }],
  ['DELETE /projects/{project_id}'],
  ['DELETE /installation/projects/{project_id}'],
]

/** Who administers the installation and owns Project default, and how the rows of the list are asked. */
async function withOwner(world: World) {
  const { id } = await world.db.transact((tx) => createProject(tx, 'default', timestamp(tx.now)))
  const owner = await setUp(world)
  const ask = async ([operation, body]: (typeof guarded)[number]) => {
    const [method, path] = operation.split(' ') as [string, string]
    const there = path.replace('{project_id}', String(id)).replace(/\{\w+\}/, '4000000000000000')
    const { status, body: reply } = await owner.api(method, own + there, body)
    return [status, reply?.error?.code]
  }
  return { id, owner, ask }
}

forDatabasesInTurn('a fresh proof', (open) => {
  test('is needed for tokens, members, credentials, people, and for deleting and handing over a Project', async () => {
    const world = await open({ runActions: false })
    const { id, owner, ask } = await withOwner(world)
    world.clock.advance(10 * 60_000)
    for (const row of guarded) assert.deepEqual(await ask(row), [403, 'elevation_required'], row[0])
    assert.equal((await owner.api('GET', `${own}/projects/${id}/tokens`)).body.tokens.length, 0)
    assert.equal((await owner.api('GET', `${own}/people`)).body.people.length, 1)
    assert.equal((await owner.api('GET', `${own}/account/credentials`)).body.credentials.length, 1)
  })

  test('lets all of this through to where it is judged', async () => {
    const world = await open({ runActions: false })
    const { ask } = await withOwner(world)
    for (const row of guarded) assert.notEqual((await ask(row))[1], 'elevation_required', row[0])
    assert.deepEqual(await ask(['GET /account']), [200, undefined])
  })
})

test('every operation that needs a fresh proof is in the list above', () => {
  const needing = [...allEndpoints(), ...ownEndpoints()].filter(({ endpoint }) => endpoint.elevated)
  assert.deepEqual(
    needing.map(({ endpoint: { method, path } }) => `${method} ${path}`).toSorted(),
    guarded.map(([operation]) => operation).toSorted(),
  )
})
