/** Promises of framing: every object comes out whole, however the stream is cut. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Framing } from './framing.ts'

describe('framing', () => {
  test('hands out every object of a stream in pieces of any size', () => {
    const objects = fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), { maxLength: 5 })
    fc.assert(
      fc.property(objects, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (sent, sizes) => {
        const stream = Buffer.from(sent.map((object) => JSON.stringify(object)).join(''))
        const framing = new Framing(1_000_000)
        const got: unknown[] = []
        for (let from = 0, turn = 0; from < stream.length; turn++) {
          const size = sizes[turn % sizes.length]!
          got.push(...framing.take(stream.subarray(from, from + size)))
          from += size
        }
        assert.equal(JSON.stringify(got), JSON.stringify(sent))
      }),
    )
  })

  test('refuses an object that is too large before all of it is there', () => {
    const framing = new Framing(100)
    framing.take(Buffer.from(`{"a":"${'x'.repeat(50)}`))
    assert.throws(() => framing.take(Buffer.from('x'.repeat(100))), RangeError)
  })
})
