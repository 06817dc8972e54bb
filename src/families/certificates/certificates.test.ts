import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dump } from '../../../test/kit/database/dump.ts'
import { forEachDatabase, type World } from '../../../test/kit/harness.ts'
import { chain, pem, selfSigned, sequence } from '../../../test/kit/samples/certificates.ts'
import { warnOfRetries } from '../../kernel/data/retries.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { replaceUses } from './effects.ts'
import { findKeyPair } from './reads.ts'

const pair = selfSigned('www.example.com', '*.example.com')

async function upload({ api }: Pick<World, 'api'>, name: string, more: object = {}) {
  const { status, body, text } = await api.post('/certificates', { name, ...pair, ...more })
  assert.equal(status, 201, text)
  assert.equal(body.action, null)
  return body.certificate
}

/** The two Projects of a world. */
async function scopes({ db }: World): Promise<[ProjectScope, ProjectScope]> {
  const rows = await acrossProjects(db.query).selectFrom('project').select('id').orderBy('id').execute()
  return rows.map(({ id }) => ({ projectId: id })) as [ProjectScope, ProjectScope]
}

const balancer = (id: number) => ({ type: 'load_balancer', id }) as const

forEachDatabase('Certificates', (open) => {
  test('an uploaded one comes back byte for byte, with what its leaf says and without its private key', async () => {
    const { api } = await open()
    const { certificates, ...five } = chain(5)
    const sent = `a comment\r\n${five.certificate}\n`
    const { status, body, text } = await api.post('/certificates', {
      name: 'web',
      labels: { env: 'prod' },
      type: 'uploaded',
      certificate: sent,
      private_key: five.private_key,
    })
    assert.equal(status, 201, text)
    const { certificate } = body
    assert.match(certificate.fingerprint, /^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/)
    assert.deepEqual(body, {
      certificate: {
        id: certificate.id,
        name: 'web',
        labels: { env: 'prod' },
        type: 'uploaded',
        certificate: sent,
        created: '2026-11-21T12:00:00Z',
        not_valid_before: '2026-01-01T00:00:00Z',
        not_valid_after: '2036-01-01T00:00:00Z',
        domain_names: ['www.example.com'],
        fingerprint: certificate.fingerprint,
        status: null,
        used_by: [],
      },
      action: null,
    })
    assert.deepEqual((await api.get(`/certificates/${certificate.id}`)).body, { certificate })
    assert.equal(certificates.length, 5)
  })

  test('the same certificate may be there twice in a Project, the same name may not', async () => {
    const world = await open()
    const { fingerprint } = await upload(world, 'a')
    assert.equal((await upload(world, 'b')).fingerprint, fingerprint)
    const { status, body } = await world.api.post('/certificates', { name: 'a', ...pair })
    assert.equal(status, 409)
    assert.deepEqual(body.error.details, { fields: [{ name: 'name' }] })
    await upload({ api: world.foreign }, 'a')
  })

  test('what cannot be used is refused by the name of the field, in words', async () => {
    const { api } = await open()
    const { certificates, private_key } = chain(3)
    const [leaf = '', second = '', third = ''] = certificates
    const cases: [object, Record<string, string>][] = [
      [{}, { certificate: 'is required', private_key: 'is required' }],
      [{ certificate: leaf, private_key, domain_names: ['a'] }, { domain_names: 'is for managed certificates only' }],
      [
        { certificate: leaf + third + second, private_key },
        { certificate: 'the second certificate does not certify the first certificate' },
      ],
      [{ certificate: second, private_key }, { private_key: 'does not belong to the first certificate' }],
      [
        { certificate: pem('CERTIFICATE', sequence()), private_key },
        { certificate: 'the first certificate cannot be read' },
      ],
      [
        { certificate: leaf.padEnd(30_001), private_key: private_key.padEnd(5_001) },
        {
          certificate: 'a chain of certificates cannot have more than 30000 bytes',
          private_key: 'a private key cannot have more than 5000 bytes',
        },
      ],
    ]
    for (const [given, says] of cases) {
      const { status, body, text } = await api.post('/certificates', { name: 'x', ...given })
      assert.deepEqual([status, body.error.code], [422, 'invalid_input'], text)
      const fields = Object.entries(says).map(([name, message]) => ({ name, messages: [message] }))
      assert.deepEqual(body.error.details.fields, fields)
    }
    assert.deepEqual((await api.get('/certificates')).body.certificates, [])
  })

  test('the private key lies sealed in the database, and only who needs it reads it back', async () => {
    const world = await open()
    const { id } = await upload(world, 'a')
    const secret = pair.private_key.split('\n')[1]!
    const everything = await dump(world.db)
    assert.ok(everything.includes(pair.certificate.split('\n')[1]!))
    assert.ok(!everything.includes(secret))
    const [own, other] = await scopes(world)
    const { secrets } = world
    const found = await findKeyPair(world.db.query, secrets, own, id)
    assert.deepEqual(found, { certificate: pair.certificate, privateKey: pair.private_key })
    assert.equal(await findKeyPair(world.db.query, secrets, other, id), undefined)
    assert.equal((await world.api.delete(`/certificates/${id}`)).status, 204)
    assert.equal((await acrossProjects(world.db.query).selectFrom('certificate_key').selectAll().execute()).length, 0)
  })

  test('lists filter by name, type and labels, and sort by id, name and creation', async () => {
    const world = await open()
    for (const name of ['b', 'a']) {
      await upload(world, name, { labels: { is: name } })
      world.clock.advance(1_000)
    }
    const names = async (search: string) =>
      (await world.api.get(`/certificates?${search}`)).body.certificates.map(({ name }: { name: string }) => name)
    assert.deepEqual(await names(''), ['b', 'a'])
    assert.deepEqual(await names('sort=name'), ['a', 'b'])
    assert.deepEqual(await names('sort=created:desc'), ['a', 'b'])
    assert.deepEqual(await names('name=a'), ['a'])
    assert.deepEqual(await names('label_selector=is=b'), ['b'])
    assert.deepEqual(await names('type=uploaded&type=managed'), ['b', 'a'])
    assert.deepEqual(await names('type=managed'), [])
    assert.equal((await world.api.get('/certificates?type=other')).status, 422)
  })

  test('an update changes what it names', async () => {
    const world = await open()
    const { id, ...before } = await upload(world, 'a', { labels: { x: '1' } })
    const { certificate } = (await world.api.put(`/certificates/${id}`, { name: 'b' })).body
    assert.deepEqual(certificate, { id, ...before, name: 'b' })
    const labelled = (await world.api.put(`/certificates/${id}`, { labels: { y: '2' } })).body.certificate
    assert.deepEqual(labelled, { id, ...before, name: 'b', labels: { y: '2' } })
    assert.equal((await world.api.get('/certificates?label_selector=x')).body.certificates.length, 0)
  })

  test('it says what uses it, and stays until nothing does', async () => {
    const world = await open()
    const [{ id: a }, { id: b }] = [await upload(world, 'a'), await upload(world, 'b')]
    const [own, other] = await scopes(world)
    const use = (scope: ProjectScope, user: number, ids: number[]) =>
      world.db.transact((tx) => replaceUses(tx, scope, balancer(user), ids))
    const usedBy = async () => {
      const { certificates } = (await world.api.get('/certificates')).body
      return certificates.map((one: { used_by: { id: number }[] }) => one.used_by)
    }
    await use(own, 20, [b, a, a])
    await use(own, 10, [a])
    assert.deepEqual(await usedBy(), [[balancer(10), balancer(20)], [balancer(20)]])
    await use(own, 20, [a])
    assert.deepEqual(await usedBy(), [[balancer(10), balancer(20)], []])
    const refused = await world.api.delete(`/certificates/${a}`)
    assert.equal(refused.status, 422)
    assert.deepEqual(
      [refused.body.error.code, refused.body.error.message],
      ['service_error', 'certificate still in use'],
    )
    assert.deepEqual((await world.api.put(`/certificates/${a}`, { name: 'c' })).body.certificate.used_by.length, 2)
    for (const [scope, id] of [
      [other, a],
      [own, 1],
    ] as const)
      await assert.rejects(use(scope, 30, [id]), /not found/)
    await use(own, 10, [])
    await use(own, 20, [])
    assert.equal((await world.api.delete(`/certificates/${a}`)).status, 204)
    assert.equal((await world.api.delete(`/certificates/${b}`)).status, 204)
  })

  test('who begins to use one while it is deleted either keeps it or hears that it is gone', async () => {
    const world = await open()
    const [own] = await scopes(world)
    for (let round = 0; round < 10; round++) {
      const { id } = await upload(world, `c${round}`)
      const using = world.db.transact((tx) => replaceUses(tx, own, balancer(1), [id]))
      const [used, deleted] = await Promise.allSettled([using, world.api.delete(`/certificates/${id}`)])
      assert.equal(deleted.status, 'fulfilled')
      const status = deleted.status === 'fulfilled' ? deleted.value.status : 0
      assert.equal(status, used.status === 'fulfilled' ? 422 : 204)
    }
  })

  test('who deletes some while their user takes them anew does not wait for him in a circle', async () => {
    const warnings: object[] = []
    const world = await open({
      wrapDatabase: (db) => warnOfRetries(db, { warn: (warning: object) => void warnings.push(warning) } as never),
    })
    const [own] = await scopes(world)
    const ids: number[] = []
    for (const name of ['a', 'b', 'c', 'd', 'e']) ids.push((await upload(world, name)).id)
    const use = () => world.db.transact((tx) => replaceUses(tx, own, balancer(1), ids))
    await use()
    for (let round = 0; round < 10; round++) {
      const deletions = ids.map((id) => world.api.delete(`/certificates/${id}`))
      await use()
      for (const { status } of await Promise.all(deletions)) assert.equal(status, 422)
    }
    assert.deepEqual(warnings, [])
  })

  test('uploaded ones have no actions and are not retried', async () => {
    const world = await open()
    const { id } = await upload(world, 'a')
    assert.deepEqual((await world.api.get(`/certificates/${id}/actions`)).body.actions, [])
    assert.deepEqual((await world.api.get('/certificates/actions')).body.actions, [])
    const { status, body } = await world.api.post(`/certificates/${id}/actions/retry`)
    assert.equal(status, 422)
    assert.deepEqual([body.error.code, body.error.message], ['unsupported_error', 'certificate not retryable'])
  })
})
