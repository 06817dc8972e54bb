import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Type } from 'typebox'
import { ApiError, type ErrorDetails } from '../errors.ts'
import { enumParam, IdOrName, idsParam, Labels, listing, nullable, textParam } from './contract.ts'
import { bodyCheck, maxBodyBytes, parseJson, parseQuery } from './input.ts'
import { checkJsonBounds } from './json-bounds.ts'

const closed = { additionalProperties: false }
const Rule = Type.Object({ port: Type.String(), ips: Type.Array(Type.String(), { maxItems: 2 }) }, closed)
const Body = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 5 }),
    labels: Type.Optional(Labels),
    kind: Type.Optional(Type.Enum(['x', 'y'])),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
    server: Type.Optional(IdOrName),
    note: Type.Optional(nullable(Type.String())),
    on: Type.Optional(Type.Boolean()),
    http: Type.Optional(Type.Object({ timeout: Type.Integer({ minimum: 30 }) }, closed)),
    rules: Type.Optional(Type.Array(Rule, { maxItems: 3 })),
    share: Type.Optional(nullable(Type.Integer({ minimum: 30, maximum: 300 }))),
    parts: Type.Optional(nullable(Type.Array(Type.Object({ labels: Labels }, closed)))),
  },
  closed,
)

type Fields = [name: string, ...messages: string[]][]

function refusalOf(work: () => unknown): { status: number; code: string; message: string; details: ErrorDetails } {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    const { status, code, message, details } = error
    return { status, code, message, details }
  }
  assert.fail('it was accepted')
}

function fieldsOf(details: ErrorDetails): { name: unknown; messages: unknown[] }[] {
  assert.ok(Array.isArray(details?.fields))
  return details.fields
}

function checkInvalid(work: () => unknown, message: string, fields: Fields): void {
  const details = { fields: fields.map(([name, ...messages]) => ({ name, messages })) }
  assert.deepEqual(refusalOf(work), { status: 422, code: 'invalid_input', message, details })
}

describe('A body that breaks its schema is refused', () => {
  const check = bodyCheck(Body, 'wolke')
  const one = (field: string) => `invalid input in field '${field}'`
  const unknown = (field: string) => `invalid input: unknown field name '${field}'`
  const cases: [body: unknown, message: string, ...fields: Fields][] = [
    [{}, one('name'), ['name', 'is required']],
    [{ name: '' }, one('name'), ['name', 'must not have fewer than 1 characters']],
    [
      { name: '123456' },
      `${one('name')}: must not have more than 5 characters`,
      ['name', 'must not have more than 5 characters'],
    ],
    [{ name: 22 }, one('name'), ['name', 'must be string']],
    [{ name: ['22'] }, one('name'), ['name', 'must be string']],
    [{ name: null }, one('name'), ['name', 'must be string']],
    [[], one('body'), ['body', 'must be object']],
    ['x', one('body'), ['body', 'must be object']],
    [null, one('body'), ['body', 'must be object']],
    [5, one('body'), ['body', 'must be object']],
    [{ name: 'a', extra: 1 }, unknown('extra'), ['extra', 'unknown field']],
    [{ name: 'a', b: 1, c: 2 }, unknown('b'), ['b', 'unknown field'], ['c', 'unknown field']],
    [{ nam: 'a' }, unknown('nam'), ['name', 'is required'], ['nam', 'unknown field']],
    [{ name: 'a', http: { timeout: 30, x: 1 } }, unknown('http.x'), ['http.x', 'unknown field']],
    [{ name: 'a', kind: 'z' }, one('kind'), ['kind', "must be one of 'x', 'y'"]],
    [{ name: 'a', count: 0 }, one('count'), ['count', 'must be >= 1']],
    [{ name: 'a', count: 1.5 }, one('count'), ['count', 'must be integer']],
    [{ name: 'a', count: '1' }, one('count'), ['count', 'must be integer']],
    [{ name: 'a', count: 1e300 }, one('count'), ['count', 'must be <= 5']],
    [{ name: 'a', on: 'true' }, one('on'), ['on', 'must be boolean']],
    [{ name: 'a', server: true }, one('server'), ['server', 'has a value that is not allowed here']],
    [{ name: 'a', server: '' }, one('server'), ['server', 'has a value that is not allowed here']],
    [{ name: 'a', note: 5 }, one('note'), ['note', 'has a value that is not allowed here']],
    [{ name: 'a', share: 5 }, one('share'), ['share', 'must be >= 30']],
    [{ name: 'a', share: 'x' }, one('share'), ['share', 'has a value that is not allowed here']],
    [{ name: 'a', http: { timeout: 5 } }, one('http'), ['http.timeout', 'must be >= 30']],
    [{ name: 'a', http: {} }, one('http'), ['http.timeout', 'is required']],
    [{ name: 'a', rules: {} }, one('rules'), ['rules', 'must be array']],
    [
      {
        name: 'a',
        rules: [
          { port: '1', ips: [] },
          { port: 1, ips: ['a', 2] },
        ],
      },
      one('rules'),
      ['rules[1].port', 'must be string'],
      ['rules[1].ips[1]', 'must be string'],
    ],
    [
      { name: 'a', rules: [{ port: '1', ips: ['a', 'b', 'c'] }] },
      `${one('rules')}: must not have more than 2 items`,
      ['rules[0].ips', 'must not have more than 2 items'],
    ],
    [
      { kind: 'z', count: 9 },
      "invalid input in fields 'name', 'kind', 'count'",
      ['name', 'is required'],
      ['kind', "must be one of 'x', 'y'"],
      ['count', 'must be <= 5'],
    ],
    [{ name: 'a', labels: [] }, one('labels'), ['labels', 'must be object']],
    [
      { name: 'a', labels: { '-a': 'b', c: 'd e' } },
      one('labels'),
      [
        'labels',
        'label key "-a" must begin and end with an alphanumeric character',
        'label value "d e" of key "c" must contain only alphanumeric characters, dashes, underscores and dots',
      ],
    ],
    [
      { name: 'a', labels: { 'wolke.cloud/x': '1' } },
      one('labels'),
      ['labels', 'label key "wolke.cloud/x" uses the reserved prefix "wolke.cloud/"'],
    ],
    [
      { name: 'a', parts: [{ labels: { a: 'b' } }, { labels: { '': 'c' } }] },
      one('parts'),
      ['parts[1].labels', 'label key "" must not be empty'],
    ],
  ]
  for (const [body, message, ...fields] of cases) {
    test(JSON.stringify(body), () => checkInvalid(() => check(body), message, fields))
  }

  test('also when it has hundreds of unknown fields, of which it names some', () => {
    for (const count of [7, 8, 9, 30, 900]) {
      const extra = Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 1]))
      const { message, details } = refusalOf(() => check({ name: 'a', ...extra }))
      assert.equal(message, unknown('f0'))
      assert.equal(fieldsOf(details).length, Math.min(count, 20))
    }
  })

  test('with names of fields cut to 80 characters', () => {
    const { message } = refusalOf(() => check({ name: 'a', ['x'.repeat(500)]: 1 }))
    assert.equal(message, unknown('x'.repeat(80)))
  })

  test('and whatever it is, in the same shape', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (body) => {
        const { status, details } = refusalOf(() => check({ impossible: body }))
        assert.equal(status, 422)
        for (const { name, messages } of fieldsOf(details)) {
          assert.equal(typeof name, 'string')
          assert.ok(messages.length > 0 && messages.every((text) => typeof text === 'string' && text !== ''))
        }
      }),
    )
  })

  test('but null says that a field is not given, unless it is required or may be null', () => {
    const body = {
      name: 'a',
      labels: null,
      server: null,
      note: null,
      http: { timeout: 30 },
      rules: [{ port: '80', ips: [] }],
      parts: null,
    }
    check(body)
    const { name, note, parts, http, rules } = body
    assert.deepEqual(body, { name, note, parts, http, rules })
    checkInvalid(() => check({ name: null }), one('name'), [['name', 'must be string']])
    checkInvalid(() => check({ name: 'a', http: { timeout: null } }), one('http'), [
      ['http.timeout', 'must be integer'],
    ])
    checkInvalid(() => check({ name: 'a', extra: null }), unknown('extra'), [['extra', 'unknown field']])
  })

  test('but not when it keeps to it', () => {
    check({ name: 'a' })
    check({
      name: 'abcde',
      labels: { 'example.org/a': '', b: 'c' },
      kind: 'y',
      count: 5,
      server: 7,
      note: null,
      on: false,
      http: { timeout: 30 },
      rules: [{ port: '80', ips: [] }],
    })
  })
})

describe('JSON', () => {
  const parse = (text: string) => parseJson(Buffer.from(text))
  const refused: [name: string, text: string][] = [
    ['half', '{"a":'],
    ['two values', '{} {}'],
    ['single quotes', "{'a':1}"],
    ['a trailing comma', '{"a":1,}'],
    ['NaN', '{"a":NaN}'],
    ['a comment', '{} // x'],
    ['__proto__', '{"__proto__":{}}'],
    ['__proto__ deep inside', '{"a":[{"b":{"__proto__":1}}]}'],
    ['17 levels', '['.repeat(17) + ']'.repeat(17)],
    ['1,001 keys', `[${Array.from({ length: 1_001 }, (_, i) => `{"k":${i}}`)}]`],
    ['20,001 entries', `[${Array.from({ length: 20_001 }, () => 0)}]`],
    ['20,001 empty arrays', `[${Array.from({ length: 20_001 }, () => '[]')}]`],
    [
      '20,001 entries in two arrays',
      `[[${Array.from({ length: 19_990 }, () => 0)}],[${Array.from({ length: 9 }, () => 0)}]]`,
    ],
    ['a text that does not end', '{"a":"\\"}'],
    ['NUL in a text', '["a\\u0000"]'],
    ['NUL in a key', '{"\\u0000":1}'],
    ['half a surrogate pair in a text', '["\\udc00"]'],
    ['half a surrogate pair in a key', '{"\\ud800":1}'],
  ]
  for (const [name, text] of refused) {
    test(`with ${name} is refused`, () => {
      const { status, code, details } = refusalOf(() => parse(text))
      assert.deepEqual([status, code, details], [400, 'json_error', null])
    })
  }

  test('within the bounds is a value, and nothing is undefined', () => {
    assert.equal(parse(''), undefined)
    assert.equal(parse(' \r\n\t'), undefined)
    assert.deepEqual(parse('null'), null)
    assert.deepEqual(parse('{"constructor":1,"toString":2,"\\ud83d\\ude00":"😀"}'), {
      constructor: 1,
      toString: 2,
      '😀': '😀',
    })
    parse('['.repeat(16) + ']'.repeat(16))
    parse(`[${Array.from({ length: 1_000 }, (_, i) => `{"k":${i}}`)}]`)
    parse(`[${Array.from({ length: 20_000 }, () => 0)}]`)
    parse(` [ ${Array.from({ length: 20_000 }, () => '[ ]')} ]`)
    parse(`[[${Array.from({ length: 19_990 }, () => 0)}],[${Array.from({ length: 8 }, () => 0)}]]`)
    const texts = { a: '[[[[[[[[[[[[[[[[[[{"', b: '\\', c: '\\"', d: ',:'.repeat(30_000), e: '__proto__' }
    assert.deepEqual(parse(JSON.stringify(texts)), texts)
    assert.equal(maxBodyBytes, 131_072)
  })
})

describe('A query string', () => {
  const params = {
    ...listing(['id', 'name']),
    id: idsParam(''),
    status: enumParam('', ['running', 'success']),
    text: textParam(''),
  }
  const refused: [search: string, ...fields: Fields][] = [
    ['page=0', ['page', 'must be an integer from 1 to 2147483648']],
    ['per_page=-1', ['per_page', 'must be an integer from 1 to 50']],
    ['sort=size', ['sort', 'must be one of id, name, optionally followed by :asc or :desc']],
    ['id=1&id=0', ['id', 'must be an id']],
    ['status=done', ['status', "must be one of 'running', 'success'"]],
    ['label_selector=,', ['label_selector', 'expected a label key at position 0']],
    ['text=a%00', ['text', 'must not contain a NUL character']],
    ['id=x&page=x', ['page', 'must be an integer from 1 to 2147483648'], ['id', 'must be an id']],
  ]
  for (const [search, ...fields] of refused) {
    test(`${search} is refused`, () => {
      const names = fields.map(([name]) => `'${name}'`).join(', ')
      const message = fields.length === 1 ? `invalid input in field ${names}` : `invalid input in fields ${names}`
      checkInvalid(() => parseQuery(params, search, 0), message, fields)
    })
  }

  test('is read once for all: defaults, repetition, order, unknown names', () => {
    const none = { page: 1, per_page: 25, sort: [], name: undefined, label_selector: undefined }
    assert.deepEqual(parseQuery(params, '', 0), { ...none, id: undefined, status: undefined, text: undefined })
    const search = 'sort=name:desc&sort=id&id=2&id=1&id=2&status=success&name=a+b%2B&page=3&page=2&unknown=%00'
    assert.deepEqual(parseQuery(params, search, 0), {
      ...none,
      page: 2,
      sort: [
        { field: 'name', descending: true },
        { field: 'id', descending: false },
      ],
      name: 'a b+',
      id: [2, 1],
      status: ['success'],
      text: undefined,
    })
  })
})

describe('Bounds of JSON', () => {
  test('hold whatever it is, exactly as what is parsed from it counts', () => {
    const count = (value: unknown): { depth: number; keys: number; entries: number } => {
      if (typeof value !== 'object' || value === null) return { depth: 0, keys: 0, entries: 0 }
      const own = { depth: 1, keys: Array.isArray(value) ? 0 : Object.keys(value).length, entries: 0 }
      return Object.values(value)
        .map(count)
        .reduce(
          (sum, inner) => ({
            depth: Math.max(sum.depth, inner.depth + 1),
            keys: sum.keys + inner.keys,
            entries: sum.entries + inner.entries,
          }),
          { ...own, entries: Object.values(value).length },
        )
    }
    const value = fc.jsonValue({ maxDepth: 20, depthSize: 'xlarge' })
    fc.assert(
      fc.property(value, fc.integer({ min: 0, max: 2 }), (json, indent) => {
        const { depth, keys, entries } = count(json)
        const isWithin = depth <= 16 && keys <= 1_000 && entries <= 20_000
        const bytes = Buffer.from(JSON.stringify(json, null, indent))
        const check = () => [...checkJsonBounds(bytes)]
        if (isWithin) check()
        else refusalOf(check)
      }),
    )
  })
})
