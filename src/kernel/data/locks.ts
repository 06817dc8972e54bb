/**
 * The one order in which transactions take locks that they may have to wait for: from what is wide to what is in it, and
 * what requests take last, last. Two that keep to it never wait for each other. It is an order of tables and of kinds of
 * keys (`lockKeys`), put together from what the kernel and each family say of their own transactions; rows of one table
 * are locked in the order of their ids, all of them in one statement or one after the other, and nobody who holds a row
 * shared wants it alone later. Statements count that lock rows (`lockRows`), update, delete and insert them: an insert
 * waits for whoever is writing the same name. Rows locked with `skip` are not waited for and may be taken at any time, as
 * free addresses are: of those that a server gets, IPv4 comes first. Tests on PostgreSQL hold every transaction against
 * the order (test/lock-recorder.ts).
 */
import type { EveryTable } from './db.ts'

/** A table or a kind of key. */
export type Lock = keyof EveryTable | `key ${string}`

/** What one part of the tree says of the order. */
export interface Locks {
  /** Locks in the order in which a transaction takes them. A family's lie between names and the Project's row. */
  readonly order: readonly (readonly Lock[])[]
  /**
   * Tables whose rows are written only by who holds what they belong to, or by nobody but who inserted them: nobody ever
   * waits for these, so that they may be written at any time.
   */
  readonly belonging?: Readonly<Partial<Record<keyof EveryTable, string>>>
}

const first = 'key name'
const last = 'project'

const kernelLocks: Locks = {
  order: [
    [
      // Of the whole installation, each in a transaction that does nothing else.
      'key migration',
      'migration',
      'key_canary',
      'installation_secret',
      'write_probe',
      'rate_limit',
      // A step is recorded as fence, effects, end: who comes too late stops here.
      'action',
      'key once',
      'key project',
      'project_limit',
      // What has a name: rivals that rename take both names.
      first,
    ],
    // Whoever seals the first secret of a Project makes its key.
    [first, 'key secrets', 'project_key', last],
    [
      // Whose mail it is.
      last,
      'mail',
      // What an action holds while it runs: taken last when it is started, given back last when it ends.
      'key queue',
      'resource_lock',
    ],
  ],
  belonging: {
    token: 'the Project',
    label: 'the resource',
    action_history: 'the action',
    action_unfiled: 'the action; whoever deletes it leaves out what others hold',
    action_serial: 'the action',
  },
}

/** The one order of all locks, and all tables that need no place in it. Throws when two parts contradict each other. */
export function orderLocks(families: readonly Locks[]): {
  order: readonly Lock[]
  belonging: Required<Locks>['belonging']
} {
  const parts = [kernelLocks, ...families]
  const before = new Map<Lock, Set<Lock>>()
  const kernels = new Set(kernelLocks.order.flat())
  for (const chain of parts.flatMap(({ order }) => order)) {
    for (const [index, lock] of chain.entries()) {
      const known = before.get(lock) ?? new Set(kernels.has(lock) ? [] : [first as Lock])
      before.set(lock, index === 0 ? known : known.add(chain[index - 1]!))
      if (!kernels.has(lock)) before.get(last)!.add(lock)
    }
  }
  return {
    order: sorted(before),
    belonging: Object.assign({}, ...parts.map(({ belonging }) => belonging)),
  }
}

/** Each after all that come before it, otherwise in the order of the map. */
function sorted(before: ReadonlyMap<Lock, ReadonlySet<Lock>>): Lock[] {
  const order: Lock[] = []
  const left = new Set(before.keys())
  while (left.size > 0) {
    const next = [...left].find((lock) => [...before.get(lock)!].every((earlier) => !left.has(earlier)))
    if (next === undefined) throw new Error(`these locks wait for each other: ${[...left].join(', ')}`)
    left.delete(next)
    order.push(next)
  }
  return order
}

/** The kind of a key that `lockKeys` takes: its first word, and `queue` for those of actions that wait for each other. */
export function kindOfKey(key: string): string {
  return /^\w+:\d+$/.test(key) ? 'key queue' : `key ${key.split(' ', 1)[0]}`
}
