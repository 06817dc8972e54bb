/**
 * Writes docs/spec-coverage.md: each statement of the spec with the tests that prove it, and the statements that wait for
 * a proof. `--check` fails when the file is out of date. A test that is named but does not exist is an error.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { families } from '../src/families.ts'
import { metadataBase } from '../src/kernel/contract/bases.ts'
import { allEndpoints } from '../src/pages/openapi.ts'
import { endpointRows, metadataPaths } from '../test/walks/spec/endpoints.ts'
import { detailRows, generalRows, specificRows } from '../test/walks/spec/errors.ts'
import { fieldRows, selectorRows } from '../test/walks/spec/fields.ts'
import { limitRows } from '../test/walks/spec/limits.ts'
import { nameOf } from '../test/walks/spec/names.ts'
import { sentenceRows } from '../test/walks/spec/sentences.ts'

interface Proof {
  readonly section: string
  readonly row: string
  /** Tests as `file: name`. */
  readonly tests: readonly string[]
}

const notYet = 'not there yet'
const here = (name: string) => `spec.test.ts: ${name}`
const code = (text: string) => `\`${text}\``

const tables: Readonly<Record<string, readonly Proof[]>> = {
  Endpoints: [
    ...endpointRows.map((row) => ({
      section: row.section,
      row: code(row.endpoint),
      tests: [here(nameOf.endpoint(row)), ...(row.also ?? [])],
    })),
    ...metadataPaths.map((path) => ({
      section: 'Server metadata service',
      row: code(`{metadata_url}${metadataBase}/metadata${path}`),
      tests: ['metadata.test.ts: answers all paths of the spec byte for byte, with and without its prefix'],
    })),
  ],
  'Fields and selectors': [
    ...fieldRows.map((row) => ({ section: row.resource, row: 'every field', tests: [here(nameOf.fields(row))] })),
    ...selectorRows.map((row) => ({
      section: 'Label selector',
      row: code(row.expression),
      tests: [here(nameOf.selector(row))],
    })),
  ],
  Errors: [
    ...generalRows
      .filter(({ unused }) => unused === undefined)
      .map((row) => ({
        section: 'General codes',
        row: code(`${row.status} ${row.code}`),
        tests: [here(nameOf.general(row))],
      })),
    ...detailRows.map((row) => ({
      section: 'Details shapes',
      row: code(row.code),
      tests: [here(nameOf.details(row))],
    })),
    ...specificRows
      .filter(({ codes }) => codes.length > 0)
      .map((row) => ({
        section: 'Call-specific codes',
        row: `${row.operation}: ${row.codes.map((one) => code(`${one.status} ${one.code}`)).join(', ')}`,
        tests: [here(nameOf.specific(row))],
      })),
  ],
  Limits: limitRows.map((row) => ({ section: 'Limits', row: row.limit, tests: [here(nameOf.limit(row))] })),
  'What is said in words': sentenceRows.map(({ section, says, tests }) => ({ section, row: says, tests })),
}

/** A section without a proof because it is not there, with the reason. */
interface Absence {
  readonly section: string
  readonly what: string
  readonly why: string
}

const whole = new Set(families.map(({ name }) => name))
const operations = new Set(allEndpoints().map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`))
const { operations: described } = JSON.parse(
  readFileSync(new URL('../test/fixtures/openapi-2026-02-extract.json', import.meta.url), 'utf8'),
) as { operations: Record<string, unknown> }

const absences: readonly Absence[] = [
  ...Object.keys(described)
    .filter((operation) => whole.has(operation.split('/')[1]!) && !operations.has(operation))
    .map((operation) => ({ section: 'Endpoints', what: code(operation), why: notYet })),
  ...generalRows
    .filter(({ unused }) => unused !== undefined)
    .map((row) => ({ section: 'General codes', what: code(`${row.status} ${row.code}`), why: `${row.unused}` })),
  ...specificRows.flatMap(({ operation, unused = {} }) =>
    Object.entries(unused).map(([name, why]) => ({
      section: 'Call-specific codes',
      what: `${operation}: ${code(name)}`,
      why,
    })),
  ),
]

const root = join(import.meta.dirname, '..')
const texts = new Map(
  globSync('{src,test}/**/*.test.ts', { cwd: root }).map((path) => [path, readFileSync(join(root, path), 'utf8')]),
)

/** Formats a test for the table. Throws when the file has no test of that name. */
function show(proof: string): string {
  const [file = '', ...rest] = proof.split(': ')
  const name = rest.join(': ')
  const paths = [...texts.keys()].filter((path) => basename(path) === file)
  const found = paths.find((path) => path === 'test/walks/spec.test.ts' || declares(texts.get(path)!, name))
  if (!found) throw new Error(`docs/spec-coverage.md names a test that does not exist: ${proof}`)
  return `${name} ([${file}](../${found}))`
}

function declares(text: string, name: string): boolean {
  return ["'", '"', '`'].some((quote) => text.includes(`test(${quote}${name}${quote}`))
}

const cell = (text: string) => text.replaceAll('|', '\\|')

function table([title, proofs]: [string, readonly Proof[]]): string {
  const lines = proofs.map(
    ({ section, row, tests }) => `| ${cell(section)} | ${cell(row)} | ${tests.map(show).map(cell).join('<br>')} |`,
  )
  return [`## ${title}`, '', '| Section | Row | Tests |', '|---|---|---|', ...lines, ''].join('\n')
}

function absenceTable(): string {
  const lines = absences.map(({ section, what, why }) => `| ${cell(section)} | ${cell(what)} | ${cell(why)} |`)
  return ['## What waits, or does not happen', '', '| Section | What | Why |', '|---|---|---|', ...lines, ''].join('\n')
}

const intro = `# What of the contract is proved, and where

Made from the tests by \`npm run spec-coverage\`. Each row stands for a row of a table of the public API's description, or for what
the [contract](contract.md) says in words, and names the tests that prove it. What is not there, or cannot happen, is in the last
table and claims no test. Dated changes are walked day by day in [calendar.test.ts](../test/walks/calendar.test.ts).
`
const file = join(root, 'docs/spec-coverage.md')
const text = [intro, ...Object.entries(tables).map(table), absenceTable()].join('\n')
if (!process.argv.includes('--check')) {
  writeFileSync(file, text)
} else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
  console.error('docs/spec-coverage.md differs from the tests: run `npm run spec-coverage` and commit the file')
  process.exitCode = 1
}
