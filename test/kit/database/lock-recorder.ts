/** Compares the locks of a transaction with the global order of locks (src/kernel/data/locks.ts). */
import type { CompiledQuery } from 'kysely'
import { familyLocks } from '../../../src/families.ts'
import { kindOfKey, orderLocks } from '../../../src/kernel/data/locks.ts'
import { schemaTables } from './schema.ts'
import type { Watch } from './watched-database.ts'

/** The locks that a statement may have to wait for. */
interface Locking {
  readonly table: string
  readonly mode: 'share' | 'update'
  readonly verb: 'lock' | 'update' | 'delete' | 'insert'
  /** Whether the statement skips locked rows. */
  readonly skips: boolean
  /** The locked keys, as far as the statement shows them. */
  readonly keys: readonly unknown[] | undefined
}

const { order, belonging } = orderLocks(familyLocks)
const keyColumns = new Map(schemaTables().map(({ name, key }) => [name, key]))
const keyColumnOf = (table: string) => keyColumns.get(table) ?? 'id'

/** Parses a statement; undefined for a statement without locks that others wait for. */
function readLocking({ sql, parameters }: CompiledQuery): Locking | undefined {
  const locking = /\bfor (no key update|share)( skip locked)?/.exec(sql)
  const write = /\b(update) "?(\w+)"? set\b|\b(insert) into "?(\w+)"?|\b(delete) from "?(\w+)"?/.exec(sql)
  const skips = locking?.[2] !== undefined
  if (locking && (skips || !write)) {
    // `extract(epoch from clock_timestamp())` does not read a table.
    const table = /\bfrom "?(\w+)\b(?!\()/.exec(sql)![1]!
    const mode = locking[1] === 'share' ? 'share' : 'update'
    return { table, mode, verb: 'lock', skips, keys: wantedKeys(sql, parameters, keyColumnOf(table)) }
  }
  if (!write) return undefined
  const [, update, updated, insert, inserted, , deleted] = write
  const table = (updated ?? inserted ?? deleted)!
  const column = keyColumnOf(table)
  // Dependent rows, and a new action that nobody else can see yet.
  if (table in belonging || (insert && table === 'action')) return undefined
  const keys = insert ? insertedKeys(sql, parameters, column) : wantedKeys(sql, parameters, column)
  return { table, mode: 'update', verb: update ? 'update' : insert ? 'insert' : 'delete', skips: false, keys }
}

function wantedKeys(sql: string, parameters: readonly unknown[], column: string): unknown[] | undefined {
  const match = new RegExp(`(?<![\\w."])"?${column}"? (?:= (\\$\\d+)|in \\(([$\\d, ]+)\\))`).exec(sql)
  return (match?.[1] ?? match?.[2])?.split(', ').map((place) => parameters[Number(place.slice(1)) - 1])
}

function insertedKeys(sql: string, parameters: readonly unknown[], column: string): unknown[] | undefined {
  const [, columns = '', values = ''] = /^insert into "?\w+"? \(([^)]*)\) values (.*)/.exec(sql) ?? []
  const at = columns.split(', ').findIndex((name) => name.replaceAll('"', '') === column)
  const rows = [...values.matchAll(/\(([$\d, ]+)\)/g)].map(([, row]) => row!.split(', ')[at])
  return at === -1 || rows.length === 0 ? undefined : rows.map((place) => parameters[Number(place?.slice(1)) - 1])
}

const ranks: ReadonlyMap<string, number> = new Map(order.map((what, index) => [what, index]))

const sharedAlready = 'the transaction has it shared, and two who do so wait for each other'

/** Watches one transaction and reports each lock that is taken out of order. */
export function recordLocks(report: (violation: Error) => void): Watch {
  const held = new Map<string, Map<unknown, Locking['mode']>>()
  let last = { rank: -1, what: 'nothing' }

  const refuse = (what: string, why: string) => report(new Error(`locks out of order: ${what}: ${why}`))
  const reach = (name: string, what: string) => {
    const rank = ranks.get(name)
    if (rank === undefined) return refuse(what, `${name} has no place in the order (src/kernel/data/locks.ts)`)
    if (rank >= last.rank) last = { rank, what }
    else refuse(what, `it comes before ${last.what}, which the transaction has already (src/kernel/data/locks.ts)`)
  }
  const rowsOf = (table: string) => {
    const rows = held.get(table) ?? new Map<unknown, Locking['mode']>()
    held.set(table, rows)
    return rows
  }
  const check = ({ table, mode, verb, keys }: Locking) => {
    const rows = rowsOf(table)
    const what = `${verb} ${table} ${keys?.join(', ') ?? '(some)'}`
    if (mode === 'update' && keys?.some((key) => rows.get(key) === 'share')) {
      refuse(what, sharedAlready)
    }
    const fresh = keys?.filter((key) => !rows.has(key))
    if (fresh?.length === 0) return
    reach(table, what)
    const highest = Math.max(...[...rows.keys()].map(Number))
    if (fresh?.some((key) => Number(key) < highest)) {
      refuse(what, `rows are locked in the order of their ids, and it has ${highest} already`)
    }
  }

  return {
    keys(keys, mode) {
      const taken = rowsOf('keys')
      for (const key of keys) {
        const before = taken.get(key)
        if (before === 'share' && mode === 'update') refuse(`key '${key}'`, sharedAlready)
        if (before === undefined) reach(kindOfKey(key), `key '${key}'`)
        if (before !== 'update') taken.set(key, mode)
      }
    },
    before(statement) {
      const locking = readLocking(statement)
      if (locking && !locking.skips) check(locking)
    },
    after(statement, found) {
      const locking = readLocking(statement)
      if (!locking) return
      const { table, mode, keys = [] } = locking
      const column = keyColumnOf(table)
      const rows = rowsOf(table)
      for (const key of found.length > 0 && column in found[0]! ? found.map((row) => row[column]) : keys) {
        if (rows.get(key) !== 'update') rows.set(key, mode)
      }
    },
  }
}
