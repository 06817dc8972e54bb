/**
 * Writes docs/spec-coverage.md: each row and sentence of the spec with the tests that prove it; with --check says whether
 * the file is what the tests make. A test that is named and does not exist fails it.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { endpointRows, metadataPaths } from '../test/spec/endpoints.ts'
import { detailRows, generalRows, specificRows } from '../test/spec/errors.ts'
import { fieldRows, selectorRows } from '../test/spec/fields.ts'
import { limitRows } from '../test/spec/limits.ts'
import { nameOf } from '../test/spec/names.ts'
import { sentenceRows } from '../test/spec/sentences.ts'

interface Proof {
  readonly section: string
  readonly row: string
  /** As `file: name`. */
  readonly tests: readonly string[]
}

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
      row: code(`{metadata_url}/v1/metadata${path}`),
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
    ...generalRows.map((row) => ({
      section: 'General codes',
      row: `${code(`${row.status} ${row.code}`)}${row.unused ? `, which does not happen: ${row.unused}` : ''}`,
      tests: [here(nameOf.general(row))],
    })),
    ...detailRows.map((row) => ({
      section: 'Details shapes',
      row: code(row.code),
      tests: [here(nameOf.details(row))],
    })),
    ...specificRows.map((row) => ({
      section: 'Call-specific codes',
      row: row.operation,
      tests: [here(nameOf.specific(row))],
    })),
  ],
  Limits: limitRows.map((row) => ({ section: 'Limits', row: row.limit, tests: [here(nameOf.limit(row))] })),
  'What is said in words': sentenceRows.map(({ section, says, tests }) => ({ section, row: says, tests })),
}

const root = join(import.meta.dirname, '..')
const texts = new Map(
  globSync('{src,test}/**/*.test.ts', { cwd: root }).map((path) => [path, readFileSync(join(root, path), 'utf8')]),
)

/** The test as a line of the table. Errors: when there is none of that name in a file of that name. */
function show(proof: string): string {
  const [file = '', ...rest] = proof.split(': ')
  const name = rest.join(': ')
  const paths = [...texts.keys()].filter((path) => basename(path) === file)
  const found = paths.find((path) => path === 'test/spec.test.ts' || declares(texts.get(path)!, name))
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

const intro = `# What of the spec is proved, and where

Made from the tests by \`npm run spec-coverage\`. Each row stands for a row of a table of the spec, or for what it says in
words, and names the tests that prove it. Dated changes are walked day by day in [calendar.test.ts](../test/calendar.test.ts).
`
const file = join(root, 'docs/spec-coverage.md')
const text = [intro, ...Object.entries(tables).map(table)].join('\n')
if (!process.argv.includes('--check')) {
  writeFileSync(file, text)
} else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
  console.error('docs/spec-coverage.md differs from the tests: run `npm run spec-coverage` and commit the file')
  process.exitCode = 1
}
