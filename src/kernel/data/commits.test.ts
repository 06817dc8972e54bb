import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedCommits } from './commits.ts'
import type { Connection, Outcome, Statement } from './connection.ts'
import { OutcomeUnknown } from './db.ts'
import type { Waiting } from './merging.ts'
import type { Connections } from './pool.ts'

const refusal = Object.assign(new Error('duplicate key'), { severity: 'ERROR', code: '23505' })
const ended = new Error('Connection terminated')

/**
 * Commits on a connection that ends with the unit after `units` others. Of those the server refuses each that has the
 * statement `refused`.
 */
function commitsUntil(units: number): SharedCommits {
  let left = units
  let isBroken = false
  const connection = {
    get isBroken() {
      return isBroken
    },
    abandon() {
      isBroken = true
    },
    async send(statements: readonly Statement[]): Promise<Outcome> {
      if (left-- <= 0) {
        isBroken = true
        return { results: [], error: ended }
      }
      const failing = statements.findIndex(({ text }) => text === 'refused')
      const done = failing === -1 ? statements : statements.slice(0, failing)
      const results = done.map(({ text }) => ({ command: text.toUpperCase(), rows: [] }))
      return failing === -1 ? { results } : { results, error: refusal }
    },
  }
  const lease = async () => ({ connection: connection as unknown as Connection, release() {} })
  return new SharedCommits({ lease } as Connections)
}

const insert = (text: string): Waiting[] => [{ text, values: [], explain: () => new Error('taken'), claims: text }]

/** What became of a transaction that is in order and of one that is refused, in one group. */
async function outcomes(commits: SharedCommits): Promise<unknown[]> {
  const settled = await Promise.allSettled([commits.run(insert('inserted')), commits.run(insert('refused'))])
  return settled.map((one) => (one.status === 'fulfilled' ? 'done' : one.reason))
}

test('a group whose connection ends after one of it was refused is unavailable, and nobody else is refused', async () => {
  const [one, other] = (await outcomes(commitsUntil(1))) as { code: string }[]
  assert.deepEqual([one!.code, other!.code], ['unavailable', 'unavailable'])
})

test('who waits behind one with which the connection ends knows that nothing was written', async () => {
  const [one, other] = await outcomes(commitsUntil(2))
  assert.ok(one instanceof OutcomeUnknown)
  assert.equal((other as { code: string }).code, 'unavailable')
})

test('of a group only the one that is refused is refused', async () => {
  const [one, other] = await outcomes(commitsUntil(9))
  assert.equal(one, 'done')
  assert.equal(String(other), 'Error: taken')
})
