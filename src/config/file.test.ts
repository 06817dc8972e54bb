import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveOptions } from './config.ts'
import { parseConfigFile } from './file.ts'
import { nameOf } from './names.ts'

const read = (text: string | Uint8Array) => parseConfigFile(Buffer.from(text as string), serveOptions())

/** The mistakes of a file as LINE:COLUMN and what is said. */
const mistakes = (text: string | Uint8Array) =>
  read(text).mistakes.map(({ line, column, message }) => `${line}:${column} ${message}`)

/** The value that a file gives for an option. */
const given = (text: string, name: string) => read(text).entries.get(name)?.texts

test('options have their names, and values are what a command line would have', () => {
  assert.deepEqual(given('listen: 127.0.0.1:80', 'listen'), ['127.0.0.1:80'])
  assert.deepEqual(given('rate-limit: 3600', 'rate-limit'), ['3600'])
  assert.deepEqual(given('rate-limit: off', 'rate-limit'), ['off'])
  assert.deepEqual(given('now: 2026-11-21', 'now'), ['2026-11-21'])
  assert.deepEqual(given('lab: true', 'lab'), [''])
  assert.deepEqual(given('lab: false', 'lab'), [])
  assert.deepEqual(given('address-pool: 10.0.0.0/8,192.0.2.0/24', 'address-pool'), ['10.0.0.0/8,192.0.2.0/24'])
  assert.deepEqual(given('address-pool: [10.0.0.0/8, 192.0.2.0/24]', 'address-pool'), ['10.0.0.0/8,192.0.2.0/24'])
  assert.deepEqual(given('limits:\n  servers: 10\n  networks: 5\n', 'limits'), ['servers=10,networks=5'])
  assert.deepEqual(given('scenario: [one, two]', 'scenario'), ['one', 'two'])
  assert.deepEqual(given('"listen": "[::1]:80"', 'listen'), ['[::1]:80'])
})

test('a file may say nothing', () => {
  for (const text of ['', '# nothing\n', '---\n', '\n\n'])
    assert.deepEqual(read(text), { entries: new Map(), mistakes: [] })
})

test('all mistakes are told at once, each with its place and what is expected', () => {
  const text = `# A comment.
listen: 127.0.0.1
rate_limit: 5
frobnicate: 1
limits:
  servers: 10
  frobs: 3
address-pool:
  - 10.0.0.0/8
  - nonsense
lab: yes
log-level: loud
log-level: info
vendor: [a]
reverse-domain: true
database:
`
  const expected = [
    /^2:9 listen: Expected HOST:PORT/,
    /^3:1 rate_limit: is not an option; rate-limit is one$/,
    /^4:1 frobnicate: is not an option$/,
    /^7:3 limits: unknown kind 'frobs'/,
    /^10:5 address-pool: nonsense: /,
    /^11:6 lab: expected true or false$/,
    /^12:12 log-level: Allowed choices are /,
    /^13:1 log-level: is here again, after line 12$/,
    /^14:9 vendor: expected name, not a list$/,
    /^15:17 reverse-domain: expected domain, not true$/,
    /^16:10 database: expected url, not nothing$/,
  ]
  const found = mistakes(text)
  assert.equal(found.length, expected.length, found.join('\n'))
  for (const [at, pattern] of expected.entries()) assert.match(found[at]!, pattern)
})

test('secrets are refused, and never repeated', () => {
  const text = `token: hush
acme-eab-key: hush
smtp: smtp://u:hush@mail.example
database: postgres://u:hush@h/d
oidc-client-secret: hush
`
  const found = mistakes(text)
  assert.deepEqual(
    found.map((one) => one.split(' ', 1)[0]),
    ['1:1', '2:1', '3:7', '4:11', '5:1'],
  )
  assert.match(found[0]!, /WOLKE_TOKEN$/)
  assert.match(found[2]!, /WOLKE_SMTP$/)
  assert.match(found[4]!, /oidc-client-secret-file/)
  assert.ok(!found.join().includes('hush'))
  assert.equal(read(text).entries.size, 0)
})

test('what is no plain list of options is refused in one pass', () => {
  const bomb = `a: &a [x, x]\n${[...'bcdefgh'].map((name, at) => `${name}: &${name} [*${'abcdefg'[at]}, *${'abcdefg'[at]}]`).join('\n')}`
  const cases: readonly (readonly [string | Uint8Array, RegExp])[] = [
    [bomb, /^1:1 a: is not an option/],
    ['vendor: &a x', /^1:12 anchors and aliases are not used here/],
    ['vendor: *a', /^1:9 /],
    ['<<: {listen: x}', /^1:1 <<: is not an option/],
    ['listen: x: y', /^1:\d+ /],
    ['\tlisten: x', /^1:1 /],
    ['limits:\n\tservers: 1', /^2:1 /],
    ['listen: a\0b', /^1:10 has the control character U\+0000$/],
    [Buffer.from([...Buffer.from('# a\nvendor: '), 0xff, 0xfe]), /^2:1 is not UTF-8$/],
    ['[1, 2]', /^1:1 expected options by their names/],
    ['just text', /^1:1 expected options by their names/],
    ['? [a]\n: b', /^1:3 expected the name of an option$/],
    ['1: 2', /^1:1 expected the name of an option$/],
    ['vendor: a\n---\nvendor: b', /^2:1 /],
    ['vendor: !!binary aGk=', /^1:18 vendor: expected name/],
    ['vendor: !own x', /^1:9 /],
    ['%YAML 9.9\n---\nvendor: a', /^1:\d+ /],
    ['__proto__: 1', /^1:1 __proto__: is not an option$/],
    ['constructor: 1', /^1:1 constructor: is not an option$/],
    ['address-pool: [[10.0.0.0/8]]', /^1:16 address-pool: expected cidr, not more than one value$/],
    ['address-pool: ["10.0.0.0/8,192.0.2.0/24"]', /^1:16 address-pool: expected cidr/],
    ['limits: {servers: "1,networks=2"}', /^1:10 limits: expected kind=n$/],
    ['limits: [servers: 1]', /^1:10 limits: expected kind=n/],
    ['vendor: |\n  a\n  b\n', /^1:9 vendor: Expected a DNS label/],
    ['{'.repeat(30_000), /^1:\d+ /],
    ['['.repeat(60_000), /^1:\d+ /],
    ['- '.repeat(30_000), /^1:\d+ /],
    [`vendor: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, /^1:\d+ /],
  ]
  for (const [text, says] of cases) assert.match(mistakes(text)[0] ?? 'nothing', says, String(text).slice(0, 60))
})

test('many keys take one pass', () => {
  const text = Array.from({ length: 8_000 }, (_, at) => `k${at}: 1`).join('\n')
  assert.equal(read(text).mistakes.length, 8_000)
  assert.equal(read('vendor: a\n'.repeat(6_000)).mistakes.length, 5_999)
})

test('every option can be in a file but secrets', () => {
  for (const option of serveOptions().filter((one) => one.isBoolean()))
    assert.deepEqual(mistakes(`${nameOf(option)}: true`), [], nameOf(option))
})
