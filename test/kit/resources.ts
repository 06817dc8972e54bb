/** Common requests; each fails the test unless it gets the expected answer. */
import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Answer, Client, World } from './harness.ts'

/** Asserts the status and returns the answer. */
export function expect(answer: Answer, status: number, code?: string): Answer {
  assert.equal(answer.status, status, answer.text)
  if (code !== undefined) assert.equal(answer.body.error.code, code, answer.text)
  return answer
}

/** The names and the first messages of the fields that an answer complains about. */
export function messagesOf({ body }: Answer): [name: string, message: string][] {
  return body.error.details.fields.map(({ name, messages }: { name: string; messages: string[] }) => [
    name,
    messages[0],
  ])
}

/** Asserts that a request was refused because of exactly these fields. */
export function refused(answer: Answer, ...fields: string[]): void {
  expect(answer, 422, 'invalid_input')
  assert.deepEqual(
    messagesOf(answer).map(([name]) => name),
    fields,
  )
}

/** What became of an action. */
export async function outcomeOf(api: Client, { id }: { readonly id: number }): Promise<Answer['body']> {
  return (await api.get(`/actions/${id}`)).body.action
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

/** How many answers there were of each kind. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) {
    const kind = body?.error ? `${status} ${body.error.code}` : String(status)
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}
