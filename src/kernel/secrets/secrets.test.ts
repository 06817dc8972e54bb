import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { forEachBareDatabase, run } from '../../../test/kit/database/bare-database.ts'
import { dump } from '../../../test/kit/database/dump.ts'
import { mistyped } from '../../../test/kit/samples/mistyped.ts'
import { createProject, deleteProject, findProject } from '../access/projects.ts'
import type { Database } from '../data/db.ts'
import type { ProjectScope } from '../scope.ts'
import { rotateKek, unlock, WrongKey } from './installation.ts'
import { randomKey, toKek } from './kek.ts'
import { createKeyFile, readKeyFile } from './key-file.ts'
import type { SecretPlace } from './secrets.ts'

const place: SecretPlace = { table: 'certificate_key', column: 'private_key', key: 'certificate_id', id: 7 }
const [first, second] = [toKek(randomKey()), toKek(randomKey())]
const secret = 'a secret that nobody finds in a backup'

/** A database whose nth transaction, from 1, fails before it begins. */
function failing(db: Database, nth: number): Database {
  let count = 0
  const transact: Database['transact'] = (work) =>
    ++count === nth ? Promise.reject(new Error('killed')) : db.transact(work)
  return Object.create(db, { transact: { value: transact } }) as Database
}

forEachBareDatabase('Secrets', (open) => {
  const sealed = async (db: Database, scope: ProjectScope, text = secret) => {
    const secrets = await unlock(db, { current: first })
    return { secrets, blob: await db.transact((tx) => secrets.seal(tx, scope, place, text)) }
  }
  const newProject = async (db: Database, name: string): Promise<ProjectScope> => {
    const { id } = await db.transact((tx) => createProject(tx, name, '2026-11-21T12:00:00Z'))
    return { projectId: id }
  }

  test('a secret opens where it was sealed, and nowhere else', async () => {
    const { db, scope } = await open()
    const { secrets, blob } = await sealed(db, scope)
    assert.equal(await secrets.open(db.query, scope, place, blob), secret)
    const other = await newProject(db, 'other')
    await db.transact((tx) => secrets.seal(tx, other, place, 'theirs'))
    const elsewhere: [ProjectScope, SecretPlace, string][] = [
      [scope, { ...place, id: 8 }, blob],
      [scope, { ...place, column: 'name' }, blob],
      [scope, { ...place, table: 'certificate' }, blob],
      [other, place, blob],
      [scope, place, mistyped(blob.slice(0, -4)) + blob.slice(-4)],
      [scope, place, blob.replace(/^s1/, 's2')],
      [scope, place, blob.slice(0, 20)],
      [scope, place, ''],
    ]
    for (const [whose, where, text] of elsewhere) await assert.rejects(secrets.open(db.query, whose, where, text))
  })

  test('the same secret is never written twice alike, and the database alone does not tell it', async () => {
    const { db, scope } = await open()
    const [one, two] = [await sealed(db, scope), await sealed(db, scope)]
    assert.notEqual(one.blob, two.blob)
    assert.equal((await run(db, 'select id from project_key')).length, 1)
    const all = `${await dump(db)} ${one.blob}`
    for (const text of [secret, Buffer.from(secret).toString('base64url'), first.key.export().toString('base64url')]) {
      assert.ok(!all.includes(text.slice(0, 20)))
    }
  })

  test('rivals for the first secret of a Project share one key', async () => {
    const { db, scope } = await open()
    const secrets = await unlock(db, { current: first })
    const seal = (id: number) => db.transact((tx) => secrets.seal(tx, scope, { ...place, id }, secret))
    const blobs = await Promise.all([1, 2, 3, 4, 5, 6].map(seal))
    assert.equal((await run(db, 'select id from project_key')).length, 1)
    for (const [index, blob] of blobs.entries()) {
      assert.equal(await secrets.open(db.query, scope, { ...place, id: index + 1 }, blob), secret)
    }
  })

  test('a deleted Project takes its key with it', async () => {
    const { db } = await open()
    const scope = await newProject(db, 'short-lived')
    const { secrets, blob } = await sealed(db, scope)
    assert.equal(await deleteProject(db, (await findProject(db.query, 'short-lived'))!), true)
    assert.equal((await run(db, 'select id from project_key')).length, 0)
    await assert.rejects(secrets.open(db.query, scope, place, blob), /is gone/)
  })

  test('the wrong key is refused before anything is sealed with it', async () => {
    const { db } = await open()
    await unlock(db, { current: first })
    const before = await dump(db)
    await assert.rejects(unlock(db, { current: second }), (error) => {
      return error instanceof WrongKey && error.message.includes(first.id)
    })
    assert.equal(await dump(db), before)
    // A key that only says that it is the right one.
    await assert.rejects(unlock(db, { current: { ...second, id: first.id } }))
  })

  test('a rotation that is cut off anywhere can be ended, and loses nothing on the way', async () => {
    const { db } = await open()
    const scopes: ProjectScope[] = []
    const blobs: string[] = []
    for (const name of ['a', 'b', 'c']) {
      const scope = await newProject(db, name)
      scopes.push(scope)
      blobs.push((await sealed(db, scope, name)).blob)
    }
    const both = { current: second, previous: first }
    const opensAll = async (secrets: Awaited<ReturnType<typeof unlock>>) => {
      const texts = scopes.map((scope, index) => secrets.open(db.query, scope, place, blobs[index]!))
      assert.deepEqual(await Promise.all(texts), ['a', 'b', 'c'])
      assert.equal(await secrets.ofInstallation(db, 'own', () => assert.fail('it is there')), 'own secret')
    }
    assert.equal(
      await (await unlock(db, { current: first })).ofInstallation(db, 'own', async () => 'own secret'),
      'own secret',
    )
    for (const nth of [1, 2, 3]) {
      await assert.rejects(rotateKek(failing(db, nth), both), /killed/)
      await opensAll(await unlock(db, both))
      await assert.rejects(unlock(db, { current: second }), WrongKey)
    }
    assert.equal(await rotateKek(db, both), 0)
    await opensAll(await unlock(db, { current: second }))
    await assert.rejects(unlock(db, { current: first }), WrongKey)
  })

  test('a rotation takes all Projects, however many there are', async () => {
    const { db, scope } = await open()
    await sealed(db, scope)
    const [key] = await run<Record<string, unknown>>(db, 'select * from project_key')
    const ids = Array.from({ length: 230 }, (_, index) => index + 1)
    const ring = { current: first }
    const secrets = await unlock(db, ring)
    for (const id of ids) {
      const whose = await newProject(db, `p${id}`)
      await db.transact((tx) => secrets.seal(tx, whose, place, secret))
    }
    assert.equal(await rotateKek(db, { current: second, previous: first }), 231)
    const left = await run(db, `select id from project_key where kek_id = '${key!.kek_id}'`)
    assert.deepEqual(left, [])
  })
})

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'wolke-keys-'))
  t.after(() => rm(path, { recursive: true }))
  return path
}

test('a key file is made for its owner alone, once, and read back', async (t) => {
  const path = join(await folder(t), 'below/key')
  assert.equal(readKeyFile(path), undefined)
  const made = createKeyFile(path)
  assert.equal((await stat(path)).mode & 0o777, 0o400)
  assert.match(await readFile(path, 'utf8'), /^[A-Za-z0-9+/]{43}=\n$/)
  assert.equal(readKeyFile(path)?.id, made.id)
  assert.equal(createKeyFile(path).id, made.id)
})

test('a key file holds 32 bytes, as they are or in base64, and not everybody reads it', async (t) => {
  const path = join(await folder(t), 'key')
  const key = randomKey()
  for (const content of [key, key.toString('base64'), `${key.toString('base64')}\n`]) {
    await writeFile(path, content, { mode: 0o600 })
    assert.equal(readKeyFile(path)?.id, toKek(key).id)
  }
  for (const content of ['', 'short', key.subarray(1), `${key.toString('hex')}\n`]) {
    await writeFile(path, content)
    assert.throws(() => readKeyFile(path), /does not hold a key/)
  }
  await writeFile(path, key)
  await chmod(path, 0o644)
  assert.throws(() => readKeyFile(path), /can be read by everybody/)
})
