/** Whatever refers to a section of docs/contract.md refers to one that is there, and the page has every dated change. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { calendar } from '../../src/calendar.ts'
import { declaredCodes } from '../../src/kernel/contract/errors.ts'
import { allEndpoints } from '../../src/pages/openapi.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/contract.md'), 'utf8')
const headings = [...page.matchAll(/^##+ (.+)$/gm)].map(([, heading]) => heading!)

/** Each line of a comment begins with its sign, which a reference that goes on in the next line does not mean. */
const joined = (text: string) => text.replace(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ')

/** The sections that a text refers to: `(spec: A, B)` in words, `section: 'A'` in data. */
function referencesIn(text: string): string[] {
  const inWords = [...joined(text).matchAll(/\(spec: ([^)]*)\)/g)].flatMap(([, list]) => list!.split(', '))
  const inData = [...text.matchAll(/\bsection(?::| =) '([^']*)'/g)].map(([, section]) => section!)
  return [...inWords, ...inData]
}

/** References in other forms, which lead nowhere, and into texts that are not in the tree. */
const strays = /\bSpec: |\bspec sections? |\(facts: [^)]*\)(?!:| =>)|\bfacts\/|\(design\b/g

function violations(texts: Readonly<Record<string, string>>): string[] {
  return Object.entries(texts).flatMap(([path, text]) => {
    const unknown = referencesIn(text).filter((section) => !headings.includes(section))
    const stray = [...text.matchAll(strays)].map(([found]) => found)
    return [...unknown, ...stray].map((found) => `${path}: ${found}`)
  })
}

function readTexts(): Record<string, string> {
  const paths = globSync(['{src,test,scripts,bench,attack}/**/*.ts', '*.{md,mjs}', 'docs/**/*.md'], { cwd: root })
  const others = paths.filter((path) => !path.endsWith('contract.test.ts'))
  return Object.fromEntries(others.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

test('every reference leads to a section of docs/contract.md', () => {
  const texts = readTexts()
  assert.deepEqual(violations(texts), [])
  assert.ok(Object.values(texts).flatMap(referencesIn).length > 150, 'references are found')
})

test('a reference that leads nowhere is found, wherever it stands', () => {
  const planted = [
    '/** Labels of resources (spec: Lables). */',
    '/** One (spec: Labels, Nowhere). */',
    '/**\n * What is refused (spec: Errors,\n * Nowhere).\n */',
    '  // As it says (spec:\n  // Nowhere).',
    "const section = 'Endpoints, Images'",
    "  { section: 'Firewals', row: '' },",
    '/** Labels. Spec: Labels. */',
    '/** What may be set (spec section Labels). */',
    '/** Servers on the wire (facts: Servers 3). */',
    '/** As clients send it (facts/conventions 3). */',
    '/** Who calls (design: T12). */',
  ]
  for (const text of planted) assert.equal(violations({ 'src/a.ts': text }).length, 1, text)
  const fine =
    "/** Labels (spec: Labels,\n * Label selector). */\nconst section = 'Floating IPs'\nconst spec: Rows = {}"
  assert.deepEqual(violations({ 'src/a.ts': fine }), [])
})

test('sections have one name each', () => {
  assert.deepEqual(headings, [...new Set(headings)])
})

test('every section that data names is one of the page, whatever put the data together', () => {
  const named = [...allEndpoints().map(({ endpoint }) => endpoint.section), ...calendar.map(({ section }) => section)]
  for (const section of named) assert.ok(headings.includes(section), section)
})

test('the page has every dated change with its day, and no other', () => {
  const rows = [...page.matchAll(/^\| (\d{4}-\d\d-\d\d) \| (.+?) \| (.*?) ?\|$/gm)].map((row) => row.slice(1))
  const expected = calendar.map(({ from, summary, standing }) => [from, summary, standing ?? ''])
  assert.deepEqual(rows, expected)
})

test('the page has every endpoint below its family, and every code that an endpoint declares', () => {
  for (const { endpoint } of allEndpoints()) {
    for (const code of declaredCodes(endpoint)) assert.ok(page.includes(`\`${code}\``), code)
    const [, action] = /\/actions\/([a-z_]+)$/.exec(endpoint.path) ?? []
    if (action) assert.match(page, new RegExp(`\\b${action}\\b`), endpoint.path)
  }
})
