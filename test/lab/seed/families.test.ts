/** No family is forgotten: what people create can stand in a seed file. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { families } from '../../../src/families.ts'
import { secretFields } from '../../../src/kernel/contract/marks.ts'
import { allKinds, kindOfType, type SeedKind } from '../../../src/lab/seed/kinds.ts'

test('each family whose resources people create says how they stand in seed files', () => {
  const created = families.filter(({ endpoints, name }) =>
    Object.values(endpoints).some(({ method, path }) => method === 'POST' && path === `/${name}`),
  )
  assert.ok(created.length > 5)
  for (const { name, seed } of created) assert.ok(seed, `${name} has no seed.ts`)
})

test('an entry has every field of the body that creates it, but for those that others stand for', () => {
  for (const { path, create, schema, seed } of allKinds()) {
    const fields = Object.keys(create.endpoint.body!.properties)
    for (const field of fields)
      assert.ok(field in schema.properties || seed.without?.includes(field), `${path} lack ${field}`)
    for (const field of seed.without ?? []) assert.ok(fields.includes(field), `${path} have no ${field} to leave out`)
  }
})

/** Secrets, what is nothing without one, and what nobody sees later. */
const untold = new Set(['certificate', 'private_key', 'automount', 'zonefile'])

/** Tells whether the resources that a field names say so themselves: at which servers they are. */
function isToldThere({ type, refers }: SeedKind, field: string): boolean {
  const named = Object.entries(refers).flatMap(([path, { of }]) =>
    path === `.${field}[]` || path.startsWith(`.${field}[].`) ? of : [],
  )
  return named.some((other) => Object.values(kindOfType(other)?.refers ?? {}).some(({ of }) => of.includes(type)))
}

/** Tells whether nobody can make one again without a secret that no reply shows. */
function needsSecret({ create: { endpoint } }: SeedKind): boolean {
  const secrets = secretFields([endpoint])
  return (endpoint.body!.required ?? []).some((field) => secrets.has(field))
}

test('one of everything has every field, but for what files tell in another way or never', () => {
  const [project] = parse(readFileSync(join(import.meta.dirname, 'everything.yaml'), 'utf8')).projects
  const told = allKinds().filter((kind) => !needsSecret(kind))
  assert.ok(told.length > 10)
  const missing = told.flatMap((kind) => {
    const entries = new Set((project[kind.path] ?? []).flatMap(Object.keys))
    const fields = Object.keys(kind.schema.properties).filter((field) => !entries.has(field) && !untold.has(field))
    return fields.filter((field) => !isToldThere(kind, field)).map((field) => `${kind.path}.${field}`)
  })
  assert.deepEqual(missing, [])
})
