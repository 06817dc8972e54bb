/** Assertions about refusals. */
import assert from 'node:assert/strict'
import { type ErrorCode, statusOf } from '../../src/kernel/errors.ts'
import type { Answer } from './harness.ts'

/** Asserts that the answer is a refusal with the code, in the error envelope. */
export function assertRefused(answer: Answer, code: ErrorCode, status: number = statusOf(code)): void {
  assert.deepEqual([answer.status, answer.body?.error?.code], [status, code], answer.text)
  assert.deepEqual(Object.keys(answer.body), ['error'])
  assert.deepEqual(Object.keys(answer.body.error), ['code', 'message', 'details'])
  if (code === 'resource_limit_exceeded') assertNamesLimit(answer)
  if (code === 'invalid_input') assert.ok(Array.isArray(answer.body.error.details.fields), 'details.fields is missing')
}

/** Asserts that the message says how many there can be, and of what: many programs print nothing else. */
export function assertNamesLimit({ body: { error }, text }: Answer): void {
  assert.match(error.message, /cannot (have|send|get) more than \d+ [a-zA-Z]/, text)
  assert.match(error.details?.limits?.[0]?.name ?? '', /^[a-z_]+$/, text)
}

/** Asserts that the answer is `invalid_input` for the field or a part of it. */
export function assertNames(answer: Answer, field: string): void {
  assertRefused(answer, 'invalid_input')
  const { fields } = answer.body.error.details as { fields: { name: string; messages: string[] }[] }
  const named = fields.filter(({ name }) => name === field || /^[.[]/.test(name.slice(field.length)))
  assert.ok(
    named.some(({ messages }) => !messages.includes('unknown field')),
    answer.text,
  )
}
