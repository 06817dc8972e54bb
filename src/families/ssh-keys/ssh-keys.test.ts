import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachDatabase } from '../../../test/kit/harness.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl user@host\n'
const fingerprint = '65:96:2d:fc:e8:d5:a9:11:64:0c:0f:ea:00:6e:5b:bd'
const other = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiI'

forEachDatabase('SSH keys', (open) => {
  test('a key comes back byte for byte, with its MD5 fingerprint, under an id of more than 32 bits', async () => {
    const { api } = await open()
    const created = await api.post('/ssh_keys', { name: 'laptop', public_key: key, labels: { env: 'dev' } })
    assert.equal(created.status, 201)
    const { ssh_key } = created.body
    assert.ok(ssh_key.id > 2 ** 32)
    assert.deepEqual(ssh_key, {
      id: ssh_key.id,
      name: 'laptop',
      fingerprint,
      public_key: key,
      labels: { env: 'dev' },
      created: '2026-11-21T12:00:00Z',
    })
    assert.deepEqual((await api.get(`/ssh_keys/${ssh_key.id}`)).body, created.body)
  })

  test('neither the name nor the key material can be used twice in a Project, but in another one they can', async () => {
    const { api, foreign } = await open()
    await api.post('/ssh_keys', { name: 'a', public_key: key })
    const sameKey = await api.post('/ssh_keys', { name: 'b', public_key: key.replace('user@host', 'comment') })
    assert.equal(sameKey.status, 409)
    assert.deepEqual(sameKey.body.error, {
      code: 'uniqueness_error',
      message: 'SSH key not unique: the public key is there already',
      details: { fields: [{ name: 'public_key' }] },
    })
    const sameName = await api.post('/ssh_keys', { name: 'a', public_key: other })
    assert.equal(sameName.body.error.message, 'SSH key name is already used')
    assert.deepEqual(sameName.body.error.details, { fields: [{ name: 'name' }] })
    assert.equal((await foreign.post('/ssh_keys', { name: 'a', public_key: key })).status, 201)
  })

  test('white space before the key, and what is no key, is refused by the name of the field', async () => {
    const { api } = await open()
    for (const public_key of [` ${key}`, '\nssh-ed25519 AAAA', 'hello', 'ssh-ed25519 AAAA', `${key}${key}`]) {
      const { status, body } = await api.post('/ssh_keys', { name: 'x', public_key })
      assert.equal(status, 422, public_key)
      assert.equal(body.error.code, 'invalid_input')
      assert.equal(body.error.message, "invalid input in field 'public_key'")
    }
    const empty = await api.post('/ssh_keys')
    assert.equal(empty.body.error.message, "invalid input in fields 'name', 'public_key'")
  })

  test('lists filter by name, fingerprint and labels', async () => {
    const { api } = await open()
    await api.post('/ssh_keys', { name: 'a', public_key: key, labels: { env: 'dev' } })
    await api.post('/ssh_keys', { name: 'b', public_key: other })
    const names = async (search: string) =>
      (await api.get(`/ssh_keys?${search}`)).body.ssh_keys.map((found: { name: string }) => found.name)
    assert.deepEqual(await names(''), ['a', 'b'])
    assert.deepEqual(await names('sort=name:desc'), ['b', 'a'])
    assert.deepEqual(await names('name=b'), ['b'])
    assert.deepEqual(await names('name=c'), [])
    assert.deepEqual(await names(`fingerprint=${fingerprint}`), ['a'])
    assert.deepEqual(await names('label_selector=env'), ['a'])
    assert.deepEqual(await names('label_selector=!env'), ['b'])
    assert.deepEqual(await names('label_selector=env!=dev'), [])
    assert.deepEqual(await names('label_selector=env!=prod'), ['a'])
  })

  test('an update changes what it names, and labels as a whole', async () => {
    const { api } = await open()
    const { id } = (await api.post('/ssh_keys', { name: 'a', public_key: key, labels: { x: '1', y: '2' } })).body
      .ssh_key
    assert.deepEqual((await api.put(`/ssh_keys/${id}`, {})).body.ssh_key.labels, { x: '1', y: '2' })
    const updated = (await api.put(`/ssh_keys/${id}`, { name: 'b', labels: { y: '3' } })).body.ssh_key
    assert.deepEqual([updated.name, updated.labels], ['b', { y: '3' }])
    assert.equal((await api.get('/ssh_keys?label_selector=x')).body.ssh_keys.length, 0)
    assert.equal((await api.get('/ssh_keys?label_selector=y%3D3')).body.ssh_keys.length, 1)
    assert.equal((await api.delete(`/ssh_keys/${id}`)).status, 204)
    assert.equal((await api.get(`/ssh_keys/${id}`)).status, 404)
    assert.equal((await api.get('/ssh_keys?label_selector=y')).body.ssh_keys.length, 0)
  })

  test('who keeps losing against rivals hears conflict, and nothing of theirs is written', async () => {
    let rival: (() => Promise<unknown>) | undefined
    const faults = { reach: async (place: string) => void (place.startsWith('update/') && (await rival?.())) }
    const { api, db } = await open({ faults })
    const { id } = (await api.post('/ssh_keys', { name: 'a', public_key: key })).body.ssh_key
    let writes = 0
    rival = () =>
      db.transact((tx) =>
        acrossProjects(tx.query)
          .updateTable('ssh_key')
          .set({ name: `rival-${++writes}`, version: 1 + writes })
          .where('id', '=', id)
          .execute(),
      )
    const { status, body } = await api.put(`/ssh_keys/${id}`, { name: 'mine' })
    assert.deepEqual([status, body.error.code, writes], [409, 'conflict', 3])
    assert.equal((await api.get(`/ssh_keys/${id}`)).body.ssh_key.name, 'rival-3')
  })
})
