import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as actions from '../../src/kernel/actions/claims.ts'
import type { Database } from '../../src/kernel/data/db.ts'
import { claimMail, recordAttempt } from '../../src/kernel/mail/deliveries.ts'
import { LeaseLost, releaseHeld, type Search, writeHeld } from '../../src/kernel/queue/leases.ts'
import { claimPersonMail, endMail, personMails } from '../../src/people/mail/mail-store.ts'
import { forEachBareDatabase } from '../kit/database/bare-database.ts'

const claimant = { worker: 'one', definitions: ['server.create'], leaseMs: 1_000, longestMs: 60_000 }

const claims: Readonly<Record<string, (db: Database, search: Search) => Promise<readonly unknown[]>>> = {
  actions: (db, search) => actions.claimActions(db, claimant, 1, search),
  'actions, all of which it knows': (db, search) =>
    actions.claimActions(db, { ...claimant, knowsAll: true }, 1, search),
  mail: (db, search) => claimMail(db, 1_000, 1, search),
  'mail of Projects to people': (db, search) =>
    claimPersonMail(db, { whose: 'projects', leaseMs: 1_000, limit: 1, search }),
  'other mail to people': (db, search) => claimPersonMail(db, { whose: 'nobodys', leaseMs: 1_000, limit: 1, search }),
}

/**
 * How workers look for work, and what becomes of a claim, goes by time in all other tests: whether one of them makes a
 * statement on a database is chance. Here each is made on both, as the ledger of statements wants (test/run/ledger.ts).
 */
forEachBareDatabase('a database without work', (open) => {
  for (const [work, claim] of Object.entries(claims)) {
    test(`has no ${work}, however a worker looks`, async () => {
      const { db, scope } = await open()
      const searches = [{}, { underWay: [1, 2] }, { among: [1, 2] }, { fullProjects: [scope.projectId] }]
      for (const search of [...searches, Object.assign({}, ...searches)]) assert.deepEqual(await claim(db, search), [])
    })
  }

  test('lets nobody write what another worker has taken over', async () => {
    const { db, scope } = await open()
    const held = { id: 1, fence: 1, project_id: scope.projectId }
    for (const counts of [true, false]) {
      const how = { delayMs: 1, counts }
      await assert.rejects(
        db.transact((tx) => actions.release(tx, held, how)),
        LeaseLost,
      )
      await assert.rejects(
        db.transact((tx) => releaseHeld(tx, personMails, held, how)),
        LeaseLost,
      )
    }
    const change = {
      step: 1,
      phase: 'forward',
      attempts: 0,
      progress: 50,
      error_code: 'e',
      error_message: 'm',
    } as const
    await assert.rejects(
      db.transact((tx) => actions.advance(tx, held, change)),
      LeaseLost,
    )
    await assert.rejects(
      db.transact((tx) => writeHeld(tx, personMails, held, { sealed: 's', expires: 1 })),
      LeaseLost,
    )
    for (const outcome of [
      { state: 'sent' },
      { state: 'given_up', error: 'e' },
      { state: 'waiting', error: 'e', pauseMs: 1 },
    ] as const)
      await assert.rejects(recordAttempt(db, held, outcome), LeaseLost)
    await db.transact((tx) => endMail(tx, held))
  })

  test('knows of nobody who still holds work, and of none to repeat', async () => {
    const { db } = await open()
    assert.deepEqual(await actions.extendLeases(db, claimant, [1, 2]), new Set())
    assert.equal(await actions.nextRepetition(db, claimant.definitions), undefined)
    assert.deepEqual(await actions.countUnknown(db, claimant.definitions), new Map())
  })
})
