import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { excerpt, labelKeyProblem, labelValueProblem, maxLabels, parseLabels } from './labels.ts'

const options = { vendor: 'wolke' }
const dnsLabel = fc.stringMatching(/^[a-zA-Z0-9]([a-zA-Z0-9-]{0,10}[a-zA-Z0-9])?$/)
const name = fc.stringMatching(/^[a-zA-Z0-9]([a-zA-Z0-9_.-]{0,61}[a-zA-Z0-9])?$/)
const prefix = fc.array(dnsLabel, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.'))
const key = fc.oneof(
  name,
  fc.tuple(prefix, name).map((parts) => parts.join('/')),
)
const value = fc.oneof(fc.constant(''), name)

/** Slow statement of the rules that clients check keys and values with. */
const referenceName = /^[a-z0-9A-Z](?:[a-z0-9A-Z._-]{0,61}[a-z0-9A-Z])?$/
const referenceDnsLabel = /^[a-z0-9A-Z](?:[a-z0-9A-Z-]{0,61}[a-z0-9A-Z])?$/

function referenceKey(text: string): boolean {
  const parts = text.split('/')
  if (parts.length === 1) return referenceName.test(text)
  const [before = '', after = ''] = parts
  const named = parts.length === 2 && before.length <= 253 && referenceName.test(after)
  return named && before.split('.').every((part) => referenceDnsLabel.test(part))
}

function messages(input: unknown): string[] {
  const result = parseLabels(input, options)
  if (result.ok) return []
  for (const problem of result.problems) assert.equal(problem.path, 'labels')
  return result.problems.map((problem) => problem.message)
}

describe('label keys', () => {
  const longPrefix = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`
  const valid = [
    'label1',
    'label2.de/hallo',
    'label3-test.de/hallo.welt',
    'd/d',
    'empty/label',
    'HC-Use-Staging-CA',
    'constructor',
    'a__b',
    '1',
    'A.B/c',
    'n'.repeat(63),
    `${longPrefix}/x`,
  ]
  for (const text of valid) it(`accepts ${excerpt(text)}`, () => assert.equal(labelKeyProblem(text), undefined))

  const invalid = [
    '',
    '/',
    '/a',
    'a/b/c',
    'incorrect.de/',
    'incor rect.de/',
    'incorrect.de/+',
    '-incorrect.de',
    'incorrect.de-',
    'incorrect.de/tes t',
    'incorrect.de/test-',
    '_a',
    'a_b/c',
    'a..b/c',
    '.a/c',
    'a./c',
    '-a/c',
    'a-/c',
    'ä',
    'a\n',
    'a\0b',
    '__proto__',
    'n'.repeat(64),
    `${'p'.repeat(64)}/x`,
    `${longPrefix}d/x`,
  ]
  for (const text of invalid) it(`refuses ${excerpt(text)}`, () => assert.notEqual(labelKeyProblem(text), undefined))
})

describe('label values', () => {
  for (const text of ['correct.de', '1correct2.de', '233344444443', 'd', '', 'v'.repeat(63)]) {
    it(`accepts ${excerpt(text)}`, () => assert.equal(labelValueProblem(text), undefined))
  }
  for (const text of ['incorrect .com', '-incorrect.com', 'incorrect.com-', 'incorr,ect.com-', 'a/b', 'v'.repeat(64)]) {
    it(`refuses ${excerpt(text)}`, () => assert.notEqual(labelValueProblem(text), undefined))
  }
})

describe('parseLabels', () => {
  it('returns the labels in the order given, in an object without a prototype', () => {
    const result = parseLabels({ b: '1', 'x.de/a': '', 'HC-Use-Staging-CA': 'true' }, options)
    assert.ok(result.ok)
    assert.equal(Object.getPrototypeOf(result.labels), null)
    assert.deepEqual(Object.entries(result.labels), [
      ['b', '1'],
      ['x.de/a', ''],
      ['HC-Use-Staging-CA', 'true'],
    ])
  })

  it('accepts no labels', () => assert.deepEqual(messages({}), []))

  for (const input of [null, undefined, 'a=b', 1, ['a'], true]) {
    it(`refuses ${JSON.stringify(input)} in place of an object`, () => {
      assert.deepEqual(messages(input), ['labels must be an object with string values'])
    })
  }

  const table: [unknown, string][] = [
    [{ '-x': 'a' }, 'label key "-x" must begin and end with an alphanumeric character'],
    [{ '': 'a' }, 'label key "" must not be empty'],
    [{ 'a.de/': 'a' }, 'label key "a.de/" must have a name after "/" that must not be empty'],
    [{ 'a b/c': 'a' }, 'label key "a b/c" must have a dns subdomain before "/"'],
    [{ a: 'x-' }, 'label value "x-" of key "a" must begin and end with an alphanumeric character'],
    [{ a: 1 }, 'label value of key "a" must be a string, not a number'],
    [{ a: null }, 'label value of key "a" must be a string, not null'],
    [{ a: ['b'] }, 'label value of key "a" must be a string, not an array'],
    [{ a: {} }, 'label value of key "a" must be a string, not an object'],
    [{ 'wolke.cloud/x': 'a' }, 'label key "wolke.cloud/x" uses the reserved prefix "wolke.cloud/"'],
    [{ 'Wolke.CLOUD/x': 'a' }, 'label key "Wolke.CLOUD/x" uses the reserved prefix "wolke.cloud/"'],
  ]
  for (const [input, message] of table) it(message, () => assert.deepEqual(messages(input), [message]))

  it('reserves the prefix only', () => {
    assert.deepEqual(
      messages({
        'mywolke.cloud/x': '',
        'a.b.wolke.cloud/x': '',
        'wolke.cloud.de/x': '',
        'wolke.cloud': '',
        'wolke/x': '',
      }),
      [],
    )
  })

  it('reports every faulty label', () => assert.equal(messages({ '-a': '', b: '-', c: 'fine', d: 2 }).length, 3))

  it('refuses __proto__ and leaves prototypes alone', () => {
    assert.equal(messages(JSON.parse('{"__proto__": "x"}')).length, 1)
    assert.equal(messages(JSON.parse('{"__proto__": {"polluted": "x"}}')).length, 1)
    assert.equal('polluted' in {}, false)
  })

  it('limits the number of labels', () => {
    const labels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, '']))
    assert.deepEqual(messages(labels(maxLabels)), [])
    assert.deepEqual(messages(labels(maxLabels + 1)), ['a resource cannot have more than 64 labels'])
  })

  it('echoes at most 80 characters of input', () => {
    const [message = ''] = messages({ [`-${'x'.repeat(5000)}`]: '' })
    assert.match(message, /^label key "-x{79}"\.\.\. must be at most 63 characters long$/)
  })

  it('accepts every generated label set unchanged', () => {
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 20 }), (input) => {
        const result = parseLabels(input, options)
        assert.ok(result.ok)
        assert.deepEqual(Object.entries(result.labels), Object.entries(input))
      }),
    )
  })

  it('never throws, and agrees with the reference on any text', () => {
    const nearly = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '_', '.', '/', ' ', 'é'), maxLength: 8 })
    fc.assert(
      fc.property(fc.oneof(nearly, fc.string(), key), fc.oneof(nearly, value), (someKey, someValue) => {
        assert.equal(labelKeyProblem(someKey) === undefined, referenceKey(someKey))
        assert.equal(labelValueProblem(someValue) === undefined, someValue === '' || referenceName.test(someValue))
      }),
      { numRuns: 1000 },
    )
    fc.assert(fc.property(fc.anything({ withNullPrototype: true }), (input) => void messages(input)))
  })
})
