import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { domainToASCII, domainToUnicode } from 'node:url'
import fc from 'fast-check'
import { isUnicodeLabel } from './punycode.ts'

describe('isUnicodeLabel', () => {
  const examples = {
    'xn--bcher-kva': true,
    'xn--an': false,
    'xn--': false,
    bcher: true,
    'xn---hd6n': true,
    'xn--a': false,
  }
  for (const [label, expected] of Object.entries(examples)) {
    it(`${expected ? 'takes' : 'refuses'} ${label}`, () => assert.equal(isUnicodeLabel(label), expected))
  }

  it('judges as the system does', () => {
    const random = fc.stringMatching(/^[a-z0-9-]{0,9}[a-z0-9]$/).map((code) => `xn--${code}`)
    const name = fc.string({ unit: fc.constantFrom(...'abcxyzäöüßñ日本중абвςﬁאب۱ั\u200d'), minLength: 1, maxLength: 8 })
    const real = name.map(domainToASCII).filter((label) => label.startsWith('xn--') && !label.includes('.'))
    const bent = fc.tuple(real, fc.nat(), random).map(([label, at, { length }]) => {
      const index = 4 + (at % (label.length - 4))
      return label.slice(0, index) + String.fromCharCode(97 + (length % 26)) + label.slice(index + 1)
    })
    fc.assert(
      fc.property(fc.oneof(random, real, bent), (label) => {
        fc.pre(!label.endsWith('-'))
        assert.equal(isUnicodeLabel(label), domainToUnicode(label) !== label)
      }),
      { numRuns: 3_000 },
    )
  })
})
