/** Values of rows as OVSDB writes them, and names that a schema does not have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Change } from './change.ts'
import { atomsOf, called, entriesOf, idsOf, map, operationsOn, type SetOf, set, type Uuid, uuid } from './rows.ts'

interface Tables {
  readonly Switch: { readonly name: string; readonly ports: SetOf<Uuid>; readonly addresses: SetOf<string> }
}

const { select } = operationsOn<Tables>()

test('a set of one is its element, and columns that are not there are empty', () => {
  assert.deepEqual(atomsOf(set(['a', 'b'])), ['a', 'b'])
  assert.deepEqual(atomsOf<string>('a'), ['a'])
  assert.deepEqual(idsOf(uuid('7')), ['7'])
  assert.deepEqual(idsOf(set([uuid('7'), uuid('8')])), ['7', '8'])
  assert.deepEqual(entriesOf(map({ a: '1' })), { a: '1' })
  assert.deepEqual([atomsOf(undefined), idsOf(undefined), entriesOf(undefined)], [[], [], {}])
})

test('a table, a column or a value that the schema does not have does not compile', () => {
  const change = new Change<Tables>()
  // @ts-expect-error: there is no such table.
  select('Router', [called('a')], [])
  // @ts-expect-error: there is no such column to read.
  select('Switch', [called('a')], ['port'])
  // @ts-expect-error: there is no such column to find by.
  select('Switch', [['nam', '==', 'a']], ['name'])
  // @ts-expect-error: there is no such column to write.
  change.insert('Switch', { name: 'a', port: set([]) })
  // @ts-expect-error: a name is a text.
  change.update('Switch', [called('a')], { name: 7 })
  // @ts-expect-error: ports are ids of rows.
  change.amend('Switch', 'a', 'ports', 'insert', ['7'])
  change.amend('Switch', 'a', 'addresses', 'insert', ['::1'])
  assert.equal(change.operations.length, 4)
})
