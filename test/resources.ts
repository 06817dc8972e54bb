/** Common requests; each fails the test unless it gets the expected answer. */
import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Answer, World } from './harness.ts'

/** Asserts the status and returns the answer. */
export function expect(answer: Answer, status: number, code?: string): Answer {
  assert.equal(answer.status, status, answer.text)
  if (code !== undefined) assert.equal(answer.body.error.code, code, answer.text)
  return answer
}

/** Runs the actions of all processes of one installation to their end, on whichever process they run. */
export async function settleAll(...worlds: readonly World[]): Promise<void> {
  for (;;) {
    await Promise.all(worlds.map((world) => world.settle()))
    const { rows } = await sql<{ running: number }>`
      select count(*) as running from action where status = 'running'
    `.execute(worlds[0]!.db.query)
    if (Number(rows[0]?.running) === 0) return
  }
}
