/**
 * Writes docs/operations.md: every operation of the public API in February 2026, whether it is served, and which real
 * clients drive it in the tests. `--check` fails when the file is out of date.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { allEndpoints } from '../src/pages/openapi.ts'
import { readDriven } from '../test/clients/kit/driven.ts'

const { operations: described } = JSON.parse(
  readFileSync(new URL('../test/fixtures/openapi-2026-02-extract.json', import.meta.url), 'utf8'),
) as { operations: Record<string, unknown> }

const endpoints = new Map(allEndpoints().map(({ endpoint }) => [`${endpoint.method} ${endpoint.path}`, endpoint]))
const familyOf = (operation: string) => operation.split('/')[1]!
const later = [...endpoints.keys()].filter((operation) => !(operation in described))
const byFamily = Map.groupBy([...Object.keys(described), ...later], familyOf)

/** The clients that drive an operation, each with the first test that shows it. */
function drivers(operation: string): string {
  const found = new Map<string, string>()
  for (const [file, clients] of Object.entries(readDriven())) {
    for (const [client, some] of Object.entries(clients)) {
      if (some.includes(operation) && !found.has(client)) found.set(client, file)
    }
  }
  return [...found].map(([client, file]) => `[${client}](../test/clients/${file})`).join(', ')
}

function state(operation: string): string {
  const endpoint = endpoints.get(operation)
  if (endpoint?.removedBy) return `until ${endpoint.removedBy.from}, then \`deprecated_api_endpoint\``
  if (!endpoint) return 'not yet: `not_found`'
  return endpoint.addedBy ? `since ${endpoint.addedBy.from}` : 'yes'
}

function table([family, operations]: [string, string[]]): string {
  const served = operations.filter((operation) => endpoints.has(operation)).length
  const lines = operations.map((operation) => `| \`${operation}\` | ${state(operation)} | ${drivers(operation)} |`)
  const title = `## ${family} (${served} of ${operations.length})`
  return [title, '', '| Operation | Served | Driven by |', '|---|---|---|', ...lines, ''].join('\n')
}

const count = Object.keys(described).filter((operation) => endpoints.has(operation)).length
const driven = [...endpoints.keys()].filter((operation) => drivers(operation) !== '').length
const intro = `# Operations

Made by \`npm run operations\`. Of the ${Object.keys(described).length} operations that the public API had in February 2026, ${count} are served, and
unmodified clients drive ${driven} in the tests named here. The others are tested with plain requests only.
`
const file = new URL('../docs/operations.md', import.meta.url)
const text = [intro, ...[...byFamily].sort().map(table)].join('\n')
if (!process.argv.includes('--check')) {
  writeFileSync(file, text)
} else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
  console.error(
    'docs/operations.md differs from the endpoints and clients: run `node scripts/operations.ts` and commit the file',
  )
  process.exitCode = 1
}
