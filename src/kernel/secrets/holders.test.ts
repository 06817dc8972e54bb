import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachBareDatabase } from '../../../test/kit/database/bare-database.ts'
import { holdersOf, noteHolder } from './holders.ts'
import { randomKey, toKek } from './kek.ts'

const [current, previous] = [toKek(randomKey()), toKek(randomKey())]

forEachBareDatabase('processes that say which keys they have', (openBare) => {
  test('are known by their names until others find that they have ended', async () => {
    const { db } = await openBare()
    await noteHolder(db, 'one', { current })
    await noteHolder(db, 'one', { current, previous })
    assert.deepEqual(await holdersOf(db.query), [{ process: 'one', keks: [current.id, previous.id] }])
    // Nobody of that name is connected.
    await noteHolder(db, 'two', { current })
    assert.deepEqual(await holdersOf(db.query), [{ process: 'two', keks: [current.id] }])
  })
})
