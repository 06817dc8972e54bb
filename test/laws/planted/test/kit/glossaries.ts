/** What the whole house knows of a family of which it has no more than a folder and a few lines. Runs in a copy of the tree. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makerOf, stateOf, writeKinds } from '../../attack/crash/writes.ts'
import { kindsOf, readOperations } from '../../attack/fuzz/operations.ts'
import { familyOf, type OperationId, operationOf, typeOf } from '../../console/api/operations.ts'
import { limitedPaths } from '../../src/families.ts'
import { declaredCodes } from '../../src/kernel/contract/errors.ts'
import { grantedFamilies, verbs } from '../../src/management/scopes.ts'
import { openApiDocument } from '../../src/pages/openapi.ts'
import { listen } from '../stubs/event-stream.ts'
import { ofProject } from './audit-log.ts'
import { checkConsistency } from './consistency.ts'
import { forEachDatabase, type World } from './harness.ts'
import { scopedClient } from './http/scoped-clients.ts'
import { done, unique } from './proof.ts'
import { proofs } from './proofs.ts'
import { assertRefused } from './refusals.ts'
import { each, openStage, prepare, reach, rowOf, rows } from './requests.ts'
import { requestKinds } from './traffic.ts'

const base = '/dict/v1'
const ours = rows.filter(({ family }) => family === 'glossaries')

const make = async ({ api }: World, labels = {}) =>
  (await done(api.post('/glossaries', { name: unique('glossary'), labels }))).glossary.id as number

forEachDatabase('a family with a root of its own', (open) => {
  test('is made, listed, shown and deleted below its root, and nowhere else', async () => {
    const world = await open()
    const origin = new URL(world.baseUrl).origin
    const at = (path: string) => `${origin}${base}${path}`
    const { glossary } = await done(world.api.post(at('/glossaries'), { name: 'terms' }))
    assert.deepEqual((await done(world.api.get(at('/glossaries')))).glossaries, [glossary])
    assert.deepEqual((await done(world.api.get(at(`/glossaries/${glossary.id}`)))).glossary, glossary)
    assertRefused(await world.api.get(`${world.baseUrl}/glossaries`), 'not_found')
    assertRefused(await world.api.get(at('/servers')), 'not_found')
    const unknown = await world.api.get(at('/glossaries/x'))
    assert.equal(unknown.body.error.message, "glossary with ID 'x' not found")
    const wrong = await world.api.request('PATCH', at('/glossaries'))
    assert.equal(wrong.headers.get('allow'), 'GET, HEAD, POST')
    await done(world.api.delete(at(`/glossaries/${glossary.id}`)))
    assertRefused(await world.api.get(at(`/glossaries/${glossary.id}`)), 'not_found')
  })

  test('is there at the door of the console', async () => {
    const world = await open()
    const id = await make(world)
    const member = world.as('viewer')
    assert.equal((await done(member.get(`/glossaries/${id}`))).glossary.id, id)
  })

  test('shows its actions to tokens that are granted it, by families, commands and labels', async () => {
    const world = await open()
    const id = await make(world, { env: 'prod' })
    const other = await make(world)
    const granted = await scopedClient(world, { families: ['glossaries'], verbs: ['read', 'publish'] })
    const { action } = await done(granted.post(`/glossaries/${id}/actions/publish`))
    await world.settle()
    const seen = async (client: World['api']) => (await done(client.get(`/actions?id=${action.id}`))).actions.length
    assert.equal(await seen(granted), 1)
    assert.equal((await done(granted.get(`/glossaries/${id}`))).glossary.status, 'published')
    assertRefused(await granted.delete(`/glossaries/${id}`), 'forbidden')
    const elsewhere = await scopedClient(world, { families: [grantedFamilies.find((one) => one !== 'glossaries')!] })
    assert.equal(await seen(elsewhere), 0)
    assertRefused(await elsewhere.get('/glossaries'), 'forbidden')
    const labelled = await scopedClient(world, { label_selector: 'env=prod' })
    assert.deepEqual(
      (await done(labelled.get('/glossaries'))).glossaries.map((one: { id: number }) => one.id),
      [id],
    )
    assertRefused(await labelled.get(`/glossaries/${other}`), 'not_found')
    assertRefused(await labelled.post('/glossaries', { name: 'hidden' }), 'forbidden')
    assert.equal(await seen(labelled), 1)
  })

  test('is told of by its name in events and in the audit log', async () => {
    const world = await open()
    const listener = await listen(world, world.signIn('viewer'))
    const id = await make(world)
    const { action } = await done(world.api.post(`/glossaries/${id}/actions/publish`))
    const told = await listener.until(({ data }) => data.action?.id === action.id)
    assert.deepEqual([told.data.family, told.data.ids], ['glossaries', [id]])
    listener.leave()
    await world.app.auditLog.flush()
    const reader = world.signIn('admin')
    const page = await fetch(await ofProject(world, '/audit?family=glossaries'), { headers: reader.headers })
    const { audit } = (await page.json()) as { audit: { operation: string; resources: number[] }[] }
    const operations = audit.map(({ operation, resources }) => [operation, resources])
    assert.deepEqual(operations.sort(), [
      [`POST ${base}/glossaries`, [id]],
      [`POST ${base}/glossaries/{id}/actions/publish`, [id]],
    ])
  })

  test('is asked by the helpers of all families: each endpoint works, and gives each error that it declares', async () => {
    const world = await open()
    await each(ours, async (row) => {
      const ready = await prepare(world, row)
      assert.equal((await ready.send(world.api)).status, row.endpoint.status)
    })
    const { world: asked, stage, met } = await openStage(open)
    const declared = ours.flatMap((row) =>
      [...declaredCodes(row.endpoint)].map((code) => ({ name: row.name, row, code })),
    )
    await each(
      // Who has asked too often is told so by no scenario of a family.
      declared.filter(({ code }) => code !== 'rate_limit_exceeded'),
      async (one) => {
        const answers = await reach(asked, stage, one)
        met.clear()
        assert.notEqual(answers.length, 0, 'nothing was tried')
        for (const answer of answers) assertRefused(answer, one.code)
        await asked.settle()
      },
    )
    await checkConsistency(asked, { pendingToo: true })
  })
})

test('is known to the document of the API, to limits, scopes, random requests and the console', () => {
  const { paths, tags } = openApiDocument() as {
    paths: Record<string, { servers?: unknown }>
    tags: { name: string; 'x-displayName': string }[]
  }
  const places = Object.entries(paths).filter(([path]) => path.startsWith('/glossaries'))
  assert.equal(new Set(ours.map(({ endpoint }) => endpoint.path)).size, places.length)
  for (const [, { servers }] of places) assert.deepEqual(servers, [{ url: base }])
  assert.equal(paths['/servers']!.servers, undefined)
  assert.ok(tags.some((tag) => tag.name === 'glossaries' && tag['x-displayName'] === 'glossaries'))
  assert.ok(limitedPaths.includes('glossaries'))
  assert.ok(grantedFamilies.includes('glossaries') && verbs.includes('publish'))
  assert.ok(proofs.has('glossaries') && requestKinds.some(({ name }) => name === 'POST /glossaries'))
  for (const { key, endpoint } of ours) {
    const { method, path, base: root } = operationOf(`glossaries_${key}` as OperationId)
    assert.deepEqual([method, path, root], [endpoint.method, endpoint.path, base])
  }
  assert.deepEqual([familyOf('glossary'), typeOf('glossaries')], ['glossaries', 'glossary'])
})

test('is attacked at each of its endpoints', async () => {
  const fuzzed = readOperations().filter(({ path }) => path.startsWith('/glossaries'))
  assert.equal(fuzzed.length, ours.length)
  const writing = ours.filter(({ endpoint }) => endpoint.method !== 'GET').map(({ name }) => name)
  const written = (names: readonly string[]) =>
    names.map((name) => rowOf(name).name).filter((name) => writing.includes(name))
  const randomly = fuzzed.flatMap((operation) => kindsOf(operation).map(({ name }) => name))
  assert.deepEqual(written(randomly).sort(), [...writing].sort())
  assert.deepEqual(written(writeKinds.map(({ name }) => name)).sort(), [...writing].sort())
  assert.equal(makerOf('glossaries').name, 'POST /glossaries')
  const shown = { id: 7, name: 'v1', labels: { version: 'v1' }, status: 'draft' }
  assert.deepEqual(await stateOf('glossaries', shown, {} as never), { name: 'v1', label: 'v1', status: 'draft' })
})
