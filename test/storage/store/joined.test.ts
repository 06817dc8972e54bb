/** Long calls to the storage of an installation: whoever asks for the same while it is under way gets its end. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openStorage, type Storage } from '../../../src/drivers/storage/storage.ts'
import { box, makeGround } from './kit/grounds.ts'

async function driverOn(t: TestContext) {
  let storage: Storage | undefined
  // It ends before the files that it keeps.
  t.after(() => storage?.close())
  const directory = await makeGround(t, 'plain')
  const log = { info: () => undefined, warn: (fields: object, message: string) => console.error(message, fields) }
  const places = { directory: join(directory, 'store'), doorsDirectory: join(directory, 'doors') }
  storage = await openStorage({ ...places, ssh: undefined, webdav: undefined, log })
  return storage.driver
}

const failureOf = (done: Promise<unknown>) =>
  done.then(
    () => assert.fail('it has not failed'),
    (error: unknown) => error,
  )

test('a long call that is asked for again while it runs is done once, and then anew', async (t) => {
  const driver = await driverOn(t)
  await driver.apply({ ...box(1), accounts: [] })
  await Promise.all([driver.createSnapshot(1, 'one'), driver.createSnapshot(1, 'one')])
  const [first, second] = await Promise.all([driver.snapshots(1), driver.snapshots(1)])
  assert.deepEqual(first, ['one'])
  // What was done twice would have two results that are alike.
  assert.equal(first, second)
  await Promise.all([driver.createSnapshot(1, 'two'), driver.createSnapshot(1, 'three')])
  const later = await driver.snapshots(1)
  assert.deepEqual(later.toSorted(), ['one', 'three', 'two'])
})

test('a long call that fails fails for all who asked for it, and not for who asks afterwards', async (t) => {
  const driver = await driverOn(t)
  const asked = [driver.createSnapshot(1, 'one'), driver.createSnapshot(1, 'one'), driver.createSnapshot(1, 'other')]
  const [first, second, other] = await Promise.all(asked.map(failureOf))
  assert.equal(first, second)
  assert.notEqual(first, other)
  assert.equal((first as { code?: string }).code, 'not_found')
  await driver.apply({ ...box(1), accounts: [] })
  await driver.createSnapshot(1, 'one')
  assert.deepEqual(await driver.snapshots(1), ['one'])
})
