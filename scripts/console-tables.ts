/**
 * Writes what the console knows of the API into console/generated, from the tables that the server itself uses: which
 * operations there are, what their bodies look like, and which icons can be drawn; and the lists of what families have in
 * their slices of the console.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Place } from '../console/api/operations.ts'
import { families } from '../src/families.ts'
import { schemaAt } from '../src/kernel/contract/as-of.ts'
import { inEffect } from '../src/kernel/contract/changes.ts'
import type { Endpoint } from '../src/kernel/contract/contract.ts'
import { declaredCodes } from '../src/kernel/contract/errors.ts'
import { allEndpoints, ownEndpoints } from '../src/pages/openapi.ts'
import { sliceLists } from './console-slices.ts'

const folder = new URL('../console/generated/', import.meta.url)
const now = Number.POSITIVE_INFINITY

interface Row {
  readonly id: string
  readonly family: string
  readonly key: string
  readonly base: string
  /** The first part of its path: `/servers`. */
  readonly path: string
  readonly endpoint: Endpoint
}

const all: readonly Row[] = [...allEndpoints(), ...ownEndpoints()].map(({ family, base, key, endpoint }) => ({
  id: `${family}_${key}`,
  family,
  key,
  base,
  path: `/${endpoint.path.split('/')[1]}`,
  endpoint,
}))
const rows = all.filter(({ endpoint: { removedBy } }) => !(removedBy && inEffect(removedBy, now)))

/** The types of what can be deleted one by one, by family: `server` for `servers`. */
const types = new Map(
  families.filter(({ endpoints }) => 'remove' in endpoints).map(({ spelling: { path, type } }) => [path, type]),
)

/** The operations of one family below one path. */
function placeOf(some: readonly Row[]): Place {
  const { base, family, path } = some[0]!
  const operations = some.map(({ key, endpoint: { method, path: whole, needs, query = {} } }) => {
    const row = `${method} ${whole.slice(path.length)} ${needs}`
    return [key, 'per_page' in query ? `${row} paged` : row] as const
  })
  const type = path === `/${family}` ? types.get(family) : undefined
  const place = [base, path, family, Object.fromEntries(operations)] as const
  return type ? [...place, type] : place
}

const places = [...Map.groupBy(rows, ({ base, path, family }) => `${base} ${path} ${family}`).values()].map(placeOf)

/** Describes a call for the page that can make any. */
function description({ endpoint }: Row): object {
  const { summary, section, elevated, query = {}, body } = endpoint
  return {
    summary,
    section,
    ...(elevated ? { elevated } : {}),
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
export const places = ${JSON.stringify(places)} as const\n`,
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
