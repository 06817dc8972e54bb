import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../kernel/data/open.ts'
import { runningClock } from '../../kernel/process/clock.ts'
import type { Patient } from '../patient.ts'
import { checkClock } from './clock.ts'

/** What is seen of a database whose clock is so many milliseconds ahead of this machine. */
async function seenWith(aheadMs: number) {
  const clock = runningClock()
  const db = await openDatabase(
    { engine: 'sqlite', path: ':memory:' },
    { clock, databaseNow: () => Date.now() + aheadMs },
  )
  try {
    const seen = await checkClock({ open: async () => db, clock } as unknown as Patient)
    return seen.find(({ subject }) => subject === 'database')!
  } finally {
    await db.close()
  }
}

test('the clock of the database is held against that of the machine', async () => {
  assert.equal((await seenWith(0)).verdict, 'ok')
  const [ahead, behind] = [await seenWith(60_000), await seenWith(-3_000)]
  assert.deepEqual([ahead.verdict, behind.verdict], ['failure', 'warning'])
  assert.match(ahead.seen, /^the clock of the database is (60000|59\d{3}) ms ahead of this machine$/)
  assert.match(behind.advice!, /same time servers/)
})
