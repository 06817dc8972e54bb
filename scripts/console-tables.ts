/**
 * Writes what the console knows of the API into console/generated, from the tables that the server itself uses: which
 * operations there are, what their bodies look like, and which icons can be drawn; and the lists of what families have in
 * their slices of the console.
 */
import { deepEqual } from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readOperations, writeOperations } from '../console/api/operation-table.ts'
import { families } from '../src/families.ts'
import { schemaAt } from '../src/kernel/contract/as-of.ts'
import { inEffect } from '../src/kernel/contract/changes.ts'
import { declaredCodes, type Endpoint } from '../src/kernel/contract/contract.ts'
import { allEndpoints, ownEndpoints } from '../src/pages/openapi.ts'
import { sliceLists } from './console-slices.ts'

const folder = new URL('../console/generated/', import.meta.url)
const now = Number.POSITIVE_INFINITY

interface Row {
  readonly id: string
  readonly base: string
  readonly endpoint: Endpoint
}

const all: readonly Row[] = [...allEndpoints(), ...ownEndpoints()].map(({ family, base, key, endpoint }) => ({
  id: `${family}_${key}`,
  base,
  endpoint,
}))
const rows = all.filter(({ endpoint: { removedBy } }) => !(removedBy && inEffect(removedBy, now)))

const operations = new Map(
  rows.map(({ id, base, endpoint: { method, path, needs, query = {}, elevated = false } }) => [
    id,
    { method, path, needs, isPaged: 'per_page' in query, base, elevated },
  ]),
)
/** The types of what can be deleted one by one, by family. */
const types = new Map(
  families.filter(({ endpoints }) => 'remove' in endpoints).map(({ spelling: { path, type } }) => [path, type]),
)
const written = writeOperations({ operations, types })
deepEqual(readOperations(written), { operations, types })

/** Describes a call for the page that can make any. */
function description({ endpoint }: Row): object {
  const { summary, section, query = {}, body } = endpoint
  return {
    summary,
    section,
    errors: [...declaredCodes(endpoint)].sort(),
    query: Object.fromEntries(
      Object.entries(query).map(([name, { schema, description, repeatable }]) => [
        name,
        { schema, description, repeatable },
      ]),
    ),
    ...(body ? { body: schemaAt(body, now) } : {}),
  }
}

const made = '/** Made by scripts/console-tables.ts. */\n'
const icons = [...readFileSync('console/look/sprite.svg', 'utf8').matchAll(/id="i-(\w+)"/g)].map(([, name]) => name)
const files = {
  'operations.ts': `${made}export type OperationId =${rows.map(({ id }) => `\n  | '${id}'`).join('')}\n
export type TypeOf = { ${[...types].map(([path, type]) => `${path}: '${type}'`).join('; ')} }\n
export const operationsText = ${JSON.stringify(written)}\n`,
  'descriptions.json': JSON.stringify(Object.fromEntries(rows.map((row) => [row.id, description(row)]))),
  ...Object.fromEntries(Object.entries(sliceLists).map(([name, text]) => [name, made + text])),
  'icons.ts': `${made}export type IconName = ${icons.map((name) => `'${name}'`).join(' | ')}\n`,
}
mkdirSync(folder, { recursive: true })
for (const [name, text] of Object.entries(files)) {
  const file = new URL(name, folder)
  try {
    if (readFileSync(file, 'utf8') === text) continue
  } catch {
    // It is not there yet.
  }
  writeFileSync(file, text)
}
