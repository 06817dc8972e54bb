/**
 * The global order in which transactions take locks that they may have to wait for: from wide locks to narrow ones, and
 * those that requests take last at the end. Transactions that follow it never deadlock. It orders tables and kinds of
 * keys (`lockKeys`), and is assembled from the orders that the kernel and each family declare. Rows of one table are
 * locked in the order of their ids, in one statement or one by one, and a shared row lock is never upgraded. All
 * statements that lock rows count (`lockRows`), as do update, delete and insert: an insert waits for a transaction that
 * writes the same unique value. Rows locked with `skip` cause no waiting and may be locked at any time, like free
 * addresses; a server takes IPv4 before IPv6. Tests on PostgreSQL check every transaction against this order
 * (test/kit/database/lock-recorder.ts).
 */
import type { EveryTable } from './db.ts'

/** A table or a kind of key. */
export type Lock = keyof EveryTable | `key ${string}`

/** The lock order of the kernel or of one family. */
export interface Locks {
  /**
   * Chains of locks in the order in which a transaction takes them. Those of families come after names and before the
   * Project's row.
   */
  readonly order: readonly (readonly Lock[])[]
  /**
   * Tables whose rows are written only under the lock of their owner, or only by the transaction that inserted them.
   * Nobody ever waits for these, so they may be written at any time.
   */
  readonly belonging?: Readonly<Partial<Record<keyof EveryTable, string>>>
}

const first = 'key name'
const last = 'project'

const kernelLocks: Locks = {
  order: [
    [
      // Locks of the whole installation, each taken by a transaction that does nothing else.
      'key migration',
      'migration',
      'schema_floor',
      'console_origin',
      'write_probe',
      'key_holder',
      'rate_limit',
      // A step is recorded as fence, effects, end; a late worker stops at the fence.
      'action',
      'key once',
      'key project',
      'project_limit',
      // Names: a transaction that renames locks both names.
      first,
    ],
    // The transaction that seals the first secret of a Project creates its key, with the key-encryption key in use.
    [first, 'key secrets', 'key_canary', 'installation_secret', 'project_key', last],
    // People: what is spent first, then who it is, then what they are let into.
    [
      'key setup',
      'key recipient',
      'person_mail_sent',
      'invitation',
      'person_link',
      'ceremony',
      'guess',
      'sign_in',
      'key person',
      'person',
      'credential',
      'session',
      last,
      'membership',
      'person_mail',
    ],
    [
      // The Project that owns the mail.
      last,
      'mail',
      // Locks that an action holds while it runs: taken last when it starts, released last when it ends.
      'key queue',
      'resource_lock',
    ],
  ],
  belonging: {
    audit: 'the transaction that writes it; whoever deletes it leaves out what others hold',
    token: 'the Project',
    management_token: 'nobody: one statement writes one row',
    token_action: 'the action',
    label: 'the resource',
    action_history: 'the action',
    action_unfiled: 'the action; whoever deletes it leaves out what others hold',
    action_serial: 'the action',
  },
}

/** The order of all locks, and all tables that need no place in it. Throws when two parts contradict each other. */
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

/** Topological sort that otherwise keeps the order of the map. */
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

/** The kind of a key for `lockKeys`: its first word, or `queue` for the serial queues of actions. */
export function kindOfKey(key: string): string {
  return /^\w+:\d+$/.test(key) ? 'key queue' : `key ${key.split(' ', 1)[0]}`
}
