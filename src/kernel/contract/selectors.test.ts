import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Labels } from './labels.ts'
import type { Selector, Term } from './selectors.ts'
import {
  canonical,
  conditionOf,
  conditionsMet,
  drivingTerms,
  matches,
  maxSelectorBytes,
  parseSelector,
} from './selectors.ts'

function parsed(text: string): Selector {
  const result = parseSelector(text)
  assert.ok(result.ok, `${text}: ${result.ok ? '' : result.message}`)
  return result.selector
}

function refusal(text: string): { position: number; message: string } {
  const result = parseSelector(text)
  assert.ok(!result.ok, `${text} is accepted`)
  assert.ok(result.position >= 0 && result.position <= text.length)
  return { position: result.position, message: result.message }
}

const term = (op: Term['op'], key: string, ...values: string[]): Term => ({ op, key, values })

describe('parseSelector', () => {
  const table: [string, Term[]][] = [
    ['', []],
    [' \t\r\n', []],
    ['k==v', [term('in', 'k', 'v')]],
    ['k=v', [term('in', 'k', 'v')]],
    ['k!=v', [term('notin', 'k', 'v')]],
    ['k', [term('exists', 'k')]],
    ['!k', [term('absent', 'k')]],
    [' ! k ', [term('absent', 'k')]],
    ['k in (v1,v2,v3)', [term('in', 'k', 'v1', 'v2', 'v3')]],
    ['k notin (v1,v2,v3)', [term('notin', 'k', 'v1', 'v2', 'v3')]],
    ['k1==v,!k2', [term('in', 'k1', 'v'), term('absent', 'k2')]],
    [' a =\tb , c  !=  d ', [term('in', 'a', 'b'), term('notin', 'c', 'd')]],
    ['k in( a , b )', [term('in', 'k', 'a', 'b')]],
    ['k=', [term('in', 'k', '')]],
    ['k==', [term('in', 'k', '')]],
    ['k!= ', [term('notin', 'k', '')]],
    ['k=,j', [term('in', 'k', ''), term('exists', 'j')]],
    ['k in (a,)', [term('in', 'k', 'a', '')]],
    ['k in (,)', [term('in', 'k', '')]],
    ['k in (a,a,b)', [term('in', 'k', 'a', 'b')]],
    ['in', [term('exists', 'in')]],
    ['notin', [term('exists', 'notin')]],
    ['!in', [term('absent', 'in')]],
    ['in=x', [term('in', 'in', 'x')]],
    ['in!=notin', [term('notin', 'in', 'notin')]],
    ['in in (a)', [term('in', 'in', 'a')]],
    ['notin notin (in)', [term('notin', 'notin', 'in')]],
    ['wolke.cloud/x=y', [term('in', 'wolke.cloud/x', 'y')]],
    ['label3-test.de/hallo.welt', [term('exists', 'label3-test.de/hallo.welt')]],
  ]
  for (const [text, terms] of table) {
    it(`reads ${JSON.stringify(text)}`, () => assert.deepEqual(parsed(text), { text, terms }))
  }

  const refused: [string, number, string][] = [
    [',', 0, 'expected a label key at position 0'],
    ['a,', 2, 'expected a label key at position 2'],
    ['a,,b', 2, 'expected a label key at position 2'],
    ['=v', 0, 'expected a label key at position 0'],
    ['!', 1, 'expected a label key at position 1'],
    ['!!a', 1, 'expected a label key at position 1'],
    ['(a)', 0, 'expected a label key at position 0'],
    ['!a=b', 2, "expected ',' at position 2"],
    ['a b', 2, "expected an operator or ',' at position 2"],
    ['a!', 1, "expected an operator or ',' at position 1"],
    ['a! =b', 1, "expected an operator or ',' at position 1"],
    ['a (b)', 2, "expected an operator or ',' at position 2"],
    ['in(a)', 2, "expected an operator or ',' at position 2"],
    ['a IN (b)', 2, "expected an operator or ',' at position 2"],
    ['a=b c', 4, "expected ',' at position 4"],
    ['a===b', 3, "expected ',' at position 3"],
    ['a= =b', 3, "expected ',' at position 3"],
    ['a=!b', 2, "expected ',' at position 2"],
    ['a=(b)', 2, "expected ',' at position 2"],
    ['a in', 4, "expected '(' at position 4"],
    ['a in b', 5, "expected '(' at position 5"],
    ['a in ()', 6, 'expected a value at position 6'],
    ['a in (b', 7, "expected ')' or ',' at position 7"],
    ['a in (bcde f)', 11, "expected ')' or ',' at position 11"],
    ['a in (b))', 8, "expected ',' at position 8"],
    ['a in ((b))', 6, "expected ')' or ',' at position 6"],
    ['-a', 0, 'label key "-a" at position 0 must begin and end with an alphanumeric character'],
    ['a=b,c=d-', 6, 'label value "d-" at position 6 must begin and end with an alphanumeric character'],
    ['a>1', 0, 'label key "a>1" at position 0 must contain only alphanumeric characters, dashes, underscores and dots'],
  ]
  for (const [text, position, message] of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.deepEqual(refusal(text), { position, message }))
  }

  it('limits bytes, terms and values', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`).join()
    parsed('a'.padEnd(maxSelectorBytes))
    assert.match(refusal('a'.padEnd(maxSelectorBytes + 1)).message, /cannot have more than 1024 bytes/)
    assert.match(refusal('é'.repeat(513)).message, /cannot have more than 1024 bytes/)
    assert.equal(parsed(many(16)).terms.length, 16)
    assert.match(refusal(many(17)).message, /cannot have more than 16 terms/)
    assert.equal(parsed(`a in (${many(32)})`).terms[0]?.values.length, 32)
    assert.match(refusal(`a in (${many(33)})`).message, /cannot have more than 32 values in a list/)
    assert.match(refusal(`a in (${','.repeat(32)})`).message, /cannot have more than 32 values in a list/)
  })

  it('echoes at most 80 characters of input', () => assert.ok(refusal('x'.repeat(1000)).message.length < 180))
})

describe('matches', () => {
  const labels = { env: 'prod', tier: '', in: 'x' }
  const table: [string, boolean][] = [
    ['', true],
    ['env', true],
    ['!env', false],
    ['env=prod', true],
    ['env=test', false],
    ['env!=prod', false],
    ['env!=test', true],
    ['other!=test', false],
    ['other notin (a,b)', false],
    ['other=', false],
    ['other!=', false],
    ['tier=', true],
    ['tier!=', false],
    ['env in (test,prod)', true],
    ['env notin (test,prod)', false],
    ['env=prod,!other', true],
    ['env=prod,other', false],
    ['in in (x,y)', true],
    ['constructor', false],
    ['!toString', true],
    ['constructor!=x', false],
  ]
  for (const [text, answer] of table) {
    it(`${JSON.stringify(text)} is ${answer}`, () => assert.equal(matches(parsed(text), labels), answer))
  }
})

describe('canonical', () => {
  const table: [string, string][] = [
    ['a = b , !c', '!c,a=b'],
    ['!c,a==b', '!c,a=b'],
    ['k in (b,a,b)', 'k in(a,b)'],
    ['k in (a)', 'k=a'],
    ['k notin (a)', 'k!=a'],
    ['k in (a,)', 'k in(,a)'],
    ['b,a,b', 'a,b'],
    ['', ''],
  ]
  for (const [text, form] of table) {
    it(`writes ${JSON.stringify(text)}`, () => assert.equal(canonical(parsed(text)), form))
  }
})

describe('drivingTerms', () => {
  const table: [string, Term[]][] = [
    ['', []],
    ['!a', []],
    ['!a,b!=c,d notin (e,f)', [term('notin', 'b', 'c'), term('notin', 'd', 'e', 'f')]],
    ['b!=c,d=e', [term('in', 'd', 'e'), term('notin', 'b', 'c')]],
    ['!a,b', [term('exists', 'b')]],
    ['b,c in (x,y,z),d in (x,y)', [term('in', 'd', 'x', 'y'), term('in', 'c', 'x', 'y', 'z'), term('exists', 'b')]],
    ['c in (x,y),d=z,e=f', [term('in', 'd', 'z'), term('in', 'e', 'f'), term('in', 'c', 'x', 'y')]],
  ]
  for (const [text, answer] of table) {
    it(`of ${JSON.stringify(text)}`, () => assert.deepEqual(drivingTerms(parsed(text)), answer))
  }
})

/** One generated term: its text, and whether labels satisfy it according to the definition. */
type Sample = { text: string; holds: (labels: Labels) => boolean }

const word = fc.constantFrom('a', 'b', 'in', 'notin', 'A-1_b.c')
const key = fc.oneof(
  word,
  word.map((name) => `x-y.de/${name}`),
)
const value = fc.oneof(word, fc.constant(''))
const space = fc.constantFrom('', '', ' ', '\t \n')
const get = (labels: Labels, name: string): string | undefined => new Map(Object.entries(labels)).get(name)
const has = (labels: Labels, name: string): boolean => get(labels, name) !== undefined

const equality = fc.tuple(key, space, fc.constantFrom('=', '==', '!='), space, value).map(([name, s, op, t, text]) => ({
  text: `${name}${s}${op}${t}${text}`,
  holds: (labels: Labels) => has(labels, name) && (get(labels, name) === text) === (op !== '!='),
}))
const membership = fc
  .tuple(key, fc.constantFrom('in', 'notin'), space, space, fc.array(value, { minLength: 1, maxLength: 4 }))
  .filter(([, , , , values]) => values.length > 1 || values[0] !== '')
  .map(([name, op, s, t, values]) => ({
    text: `${name} ${op}${s}(${s}${values.join(`${t},${s}`)}${t})`,
    holds: (labels: Labels) => has(labels, name) && values.some((text) => get(labels, name) === text) === (op === 'in'),
  }))
const presence = fc.tuple(key, fc.constantFrom('', '!'), space).map(([name, bang, s]) => ({
  text: `${bang}${s}${name}`,
  holds: (labels: Labels) => (get(labels, name) !== undefined) === (bang === ''),
}))
const samples = fc.array(fc.oneof<fc.Arbitrary<Sample>[]>(equality, membership, presence), { maxLength: 6 })
const textOf = (terms: Sample[], s: string) => terms.map((sample) => `${s}${sample.text}${s}`).join(',')

describe('any selector', () => {
  it('matches as its terms are defined, before and after normalisation', () => {
    fc.assert(
      fc.property(samples, space, fc.dictionary(key, value, { maxKeys: 6 }), (terms, s, labels) => {
        const selector = parsed(textOf(terms, s))
        const wanted = terms.every((sample) => sample.holds(labels))
        assert.equal(matches(selector, labels), wanted)
        const form = canonical(selector)
        assert.ok(form.length <= selector.text.length)
        assert.equal(matches(parsed(form), labels), wanted)
        assert.equal(canonical(parsed(form)), form)
        assert.equal(canonical(parsed(textOf(terms.toReversed(), ''))), form)
      }),
      { numRuns: 500 },
    )
  })

  it('is driven by terms that every match satisfies', () => {
    fc.assert(
      fc.property(samples, fc.dictionary(key, value, { maxKeys: 6 }), (terms, labels) => {
        const selector = parsed(textOf(terms, ''))
        if (!matches(selector, labels)) return
        const met = conditionsMet(labels)
        for (const driver of drivingTerms(selector)) {
          assert.ok(met.includes(conditionOf(driver)))
          assert.ok(Object.hasOwn(labels, driver.key))
          assert.ok(driver.op !== 'in' || driver.values.includes(labels[driver.key] ?? '?'))
        }
      }),
    )
  })

  it('is read without throwing, even when damaged', () => {
    const damage = fc.tuple(fc.nat(), fc.nat(3), fc.string({ unit: 'grapheme', maxLength: 3 }))
    const noise = fc.string({ unit: fc.constantFrom(...'ab!=(), \tin'), maxLength: 20 })
    const damaged = fc.tuple(samples, damage).map(([terms, [at, length, insert]]) => {
      const text = textOf(terms, ' ')
      const start = at % (text.length + 1)
      return text.slice(0, start) + insert + text.slice(start + length)
    })
    fc.assert(
      fc.property(fc.oneof(damaged, noise, fc.string()), (text) => {
        if (parseSelector(text).ok) parsed(canonical(parsed(text)))
        else refusal(text)
      }),
      { numRuns: 1000 },
    )
  })

  it('is read in a number of steps proportional to its length', () => {
    const units = ['a', ' ', ',', '!', '=', '(', 'a,', 'a =', 'a in (', 'a in (,', 'a=b , ', 'x.y/', '!a,', 'a\t', 'é']
    fc.assert(
      fc.property(fc.constantFrom(...units), fc.constantFrom(...units), fc.integer({ min: 1, max: 600 }), (a, b, n) => {
        const text = (a + b.repeat(n)).slice(0, maxSelectorBytes)
        const steps = countSteps(() => parseSelector(text))
        assert.ok(steps <= 8 * text.length + 16, `${steps} steps for ${text.length} characters`)
      }),
      { numRuns: 300 },
    )
  })
})

/** Counts the characters that `action` looks at; wall time would say more about the machine. */
function countSteps(action: () => void): number {
  const original = String.prototype.charCodeAt
  let steps = 0
  String.prototype.charCodeAt = function (this: string, index: number): number {
    steps++
    return original.call(this, index)
  }
  try {
    action()
  } finally {
    String.prototype.charCodeAt = original
  }
  return steps
}
