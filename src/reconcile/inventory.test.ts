/** The lists of what is reconciled: nothing that is on hosts can be forgotten in them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { families } from '../families.ts'
import type { MachineDrivers } from '../kernel/actions/define.ts'
import type { DesiredTable } from '../kernel/resource/desired.ts'
import { marked, subjects } from './kinds.ts'

test('a driver of machines or a desired state that is left out does not compile', () => {
  const { loadBalancers: _driver, ...drivers } = marked
  // @ts-expect-error: one driver is in no list.
  drivers satisfies Readonly<Record<keyof MachineDrivers, string | null>>
  const { load_balancer_state: _state, ...states } = subjects
  // @ts-expect-error: one state is in no list.
  states satisfies Readonly<Record<DesiredTable, string | null>>
})

test('the desired states of all families are compared, each with what it is about, but for those that no host has', () => {
  const all = families.flatMap(({ desired }) => desired)
  assert.ok(all.length > 0)
  const about = new Map<string, string | null>(Object.entries(subjects))
  for (const { table, target } of all) assert.ok([target, null].includes(about.get(table)!), table)
  assert.deepEqual([...about.keys()].sort(), all.map(({ table }) => table).sort())
})
