/** No family is forgotten: what people create can stand in a seed file. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { families } from '../../../src/families.ts'
import { allKinds } from '../../../src/lab/seed/kinds.ts'

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

test('one of everything has every field, but for what files tell in another way or never', () => {
  const [project] = parse(readFileSync(join(import.meta.dirname, 'everything.yaml'), 'utf8')).projects
  const missing = allKinds().flatMap(({ path, schema }) => {
    const told = new Set((project[path] ?? []).flatMap(Object.keys))
    return Object.keys(schema.properties).flatMap((field) => (told.has(field) ? [] : [`${path}.${field}`]))
  })
  assert.deepEqual(missing, [
    // These are secrets, or nothing without one.
    ...['certificates.certificate', 'certificates.private_key'],
    // Volumes and firewalls say at which servers they are.
    ...['servers.volumes', 'servers.automount', 'servers.firewalls'],
    // Nobody sees later how a volume was mounted, and of which text RRSets were made.
    ...['volumes.automount', 'zones.zonefile'],
  ])
})
