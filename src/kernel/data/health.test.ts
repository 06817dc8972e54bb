import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachBareDatabase, until } from '../../../test/kit/database/bare-database.ts'
import { openLog } from '../process/log.ts'
import { watchDatabase } from './health.ts'

forEachBareDatabase('a database in trouble', (open) => {
  test('is written to once, to see whether it can be', async () => {
    const { db } = await open()
    let tell: ((error: unknown) => void) | undefined
    let written = 0
    const watched = {
      ...db,
      transact: ((work, options) => {
        written++
        return db.transact(work, options)
      }) as typeof db.transact,
      onTrouble(listener: (error: unknown) => void) {
        tell = listener
        return () => undefined
      },
    }
    const watch = watchDatabase(watched, openLog('silent'))
    assert.equal(written, 0)
    tell!(new Error('planted'))
    await until(() => written > 0)
    assert.deepEqual(await watch.health(), { reads: 'ok', writes: 'ok', database: 'ok' })
    await watch.stop()
    assert.equal(written, 1)
  })
})
