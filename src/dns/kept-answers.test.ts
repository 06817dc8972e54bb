import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeptAnswers } from './kept-answers.ts'

/** A query for the A records of a name that has one label. */
function query(label: string): Buffer {
  const bytes = Buffer.alloc(12 + 1 + label.length + 5)
  bytes[5] = 1
  bytes[12] = label.length
  bytes.write(label, 13, 'latin1')
  bytes.writeUInt32BE(0x0001_0001, bytes.length - 4)
  return bytes
}

/** Answers are not read, but for their question. */
const keep = (answers: KeptAnswers, bytes: Buffer) =>
  answers.keep(bytes, { bytes, countedAs: '', sources: [], comings: undefined, lasting: undefined })
const keepTwice = (answers: KeptAnswers, bytes: Buffer) => {
  keep(answers, bytes)
  keep(answers, bytes)
}
const found = (answers: KeptAnswers, bytes: Buffer) => answers.find(bytes, 0)?.bytes

test('the answer to a question is kept once that was asked twice', () => {
  const answers = new KeptAnswers(() => 0)
  const bytes = query('www')
  keep(answers, bytes)
  assert.equal(found(answers, bytes), undefined)
  keep(answers, bytes)
  assert.deepEqual(found(answers, query('WWW')), bytes)
})

test('an answer that is kept keeps no more memory than it needs', () => {
  const answers = new KeptAnswers(() => 0)
  const bytes = Buffer.from(query('www'))
  assert.ok(bytes.buffer.byteLength > bytes.length, 'short buffers are parts of larger ones')
  keepTwice(answers, bytes)
  assert.equal(found(answers, bytes)!.buffer.byteLength, bytes.length)
})

test('names that are asked once, however many they are, do not take the places of others', () => {
  const answers = new KeptAnswers(() => 0)
  const bytes = query('www')
  keepTwice(answers, bytes)
  for (let i = 0; i < 150_000; i++) keep(answers, query(`x${i}`))
  assert.deepEqual(found(answers, bytes), bytes)
})

test('questions with the same hash are told apart', () => {
  const answers = new KeptAnswers(() => 0)
  // The second four bytes differ in just what the difference of the first four has made of the hash.
  const [one, other] = [query('aaaaaca'), query('aa\xe1aab\xe1')]
  keepTwice(answers, one)
  keepTwice(answers, other)
  assert.deepEqual(found(answers, other), other)
  assert.equal(found(answers, one), undefined, 'they have the same hash')
  keepTwice(answers, one)
  assert.equal(found(answers, other), undefined)
})
