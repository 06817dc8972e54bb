/** The secrets of every family outlive the keys of their Projects. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getOrderKey, openOrder } from '../../src/families/certificates/managed/store.ts'
import { findKeyPair } from '../../src/families/certificates/store.ts'
import { serverBody } from '../../src/families/servers/proof.ts'
import { passwordPlace } from '../../src/families/servers/screens/store.ts'
import { families } from '../../src/families.ts'
import { acrossProjects } from '../../src/kernel/data/scoped.ts'
import { countOutdated, keyStateOf, renewKeys } from '../../src/kernel/secrets/data-keys.ts'
import { makeSigned } from '../dns/dnssec/kit.ts'
import { run } from '../kit/database/bare-database.ts'
import { schemaTables } from '../kit/database/schema.ts'
import { forEachDatabase, type World } from '../kit/harness.ts'
import { done } from '../kit/proof.ts'
import { chain } from '../kit/samples/certificates.ts'

const columns = families.flatMap(({ sealed }) => sealed)
const sealedForm = /^s1\.(\d+)\./

/** Every text of the database that has the form of a secret of a Project: its column, and the key that it names. */
async function sealedTexts({ db }: World): Promise<{ readonly place: string; readonly key: number }[]> {
  const found: { place: string; key: number }[] = []
  for (const { name } of schemaTables()) {
    for (const row of await run<Record<string, unknown>>(db, `select * from ${name}`)) {
      for (const [column, value] of Object.entries(row)) {
        const key = typeof value === 'string' ? sealedForm.exec(value)?.[1] : undefined
        if (key !== undefined) found.push({ place: `${name}.${column}`, key: Number(key) })
      }
    }
  }
  return found
}

forEachDatabase('keys of Projects that are replaced', (open) => {
  test('have sealed what is in the columns that families name, and all of it is sealed again', async () => {
    const world = await open({ alone: true })
    const { api, foreign, db, secrets } = world
    const { certificate, private_key } = chain(1)
    const uploaded = (await done(api.post('/certificates', { name: 'c', certificate, private_key }))).certificate
    const { server } = await done(api.post('/servers', serverBody('web')))
    await world.settle()
    const asked = await done(api.post(`/servers/${server.id}/actions/request_console`))
    const tsig_key = 'c2VjcmV0'
    const primary_nameservers = [{ address: '203.0.113.1', tsig_algorithm: 'hmac-sha256', tsig_key }]
    for (const [index, client] of [api, foreign].entries()) {
      const balancer = { name: 'lb', load_balancer_type: 'lb11', location: 'fsn1', algorithm: { type: 'round_robin' } }
      await done(client.post('/load_balancers', balancer))
      await done(client.post('/zones', { name: `z${index}.example`, mode: 'secondary', primary_nameservers }))
    }
    await makeSigned(world, [])
    await world.settle()
    const row = await acrossProjects(db.query).selectFrom('certificate').select('project_id').executeTakeFirstOrThrow()
    const scope = { projectId: row.project_id }
    const order = { url: 'https://ca.example/1', challenges: [], privateKey: 'to come' }
    await db.transact((tx) => openOrder(tx, secrets, scope, uploaded.id, order))

    const before = await sealedTexts(world)
    const declared = columns.map(({ table, column }) => `${table}.${column}`).sort()
    assert.deepEqual([...new Set(before.map(({ place }) => place))].sort(), declared)
    const cookies = await acrossProjects(db.query).selectFrom('load_balancer').selectAll().execute()
    const { keys, secrets: sealed, damaged } = await renewKeys(db, secrets, columns)
    assert.deepEqual({ keys, sealed, damaged }, { keys: 2, sealed: before.length, damaged: [] })
    const after = await sealedTexts(world)
    const old = new Set(before.map(({ key }) => key))
    assert.ok(after.every(({ key }) => !old.has(key)))
    assert.deepEqual([await countOutdated(db.query, columns), (await keyStateOf(db.query)).retired], [0, 0])

    assert.equal((await findKeyPair(db.query, secrets, scope, uploaded.id))?.privateKey, private_key)
    assert.equal(await getOrderKey(db.query, secrets, scope, uploaded.id), 'to come')
    const session = await acrossProjects(db.query).selectFrom('console_session').selectAll().executeTakeFirstOrThrow()
    const console = await secrets.open(db.query, scope, passwordPlace(session.id), session.password)
    assert.equal(console, asked.password)
    // What was read before is opened as well.
    for (const { id, project_id, cookie_secret } of cookies) {
      const place = { table: 'load_balancer', column: 'cookie_secret', key: 'id', id }
      assert.match(await secrets.open(db.query, { projectId: project_id }, place, cookie_secret), /^[\w-]{43}$/)
    }
    for (const [index, client] of [api, foreign].entries()) {
      const { zone } = await done(client.get(`/zones/z${index}.example`))
      assert.equal(zone.primary_nameservers[0].tsig_key, tsig_key)
    }
  })
})
