/** A transaction in the making, and the attempts that it takes when others write the same rows. */
import { DriverError } from '../driver-error.ts'
import { type Database, Overtaken } from './database.ts'
import { type Atom, type Condition, called, named, type Operation, type Row, set } from './rows.ts'
import { Unreachable } from './session.ts'

/** Operations that take place together or not at all. */
export class Change {
  readonly operations: Operation[] = []
  #inserted = 0

  /** Gives up unless these are the rows that a condition finds: another writer may have been faster. */
  expect(table: string, where: readonly Condition[], columns: readonly string[], rows: readonly Row[]): void {
    this.operations.push({ op: 'wait', table, where, columns, until: '==', rows, timeout: 0 })
  }

  insert(table: string, row: Row): Atom {
    const name = `new${++this.#inserted}`
    this.operations.push({ op: 'insert', table, row, 'uuid-name': name })
    return named(name)
  }

  update(table: string, where: readonly Condition[], row: Row): void {
    this.operations.push({ op: 'update', table, where, row })
  }

  /** Adds to a set of a named row, or takes away from it; what is there already, or is not, stays so. */
  amend(table: string, name: string, column: string, mutator: 'insert' | 'delete', atoms: readonly Atom[]): void {
    if (atoms.length === 0) return
    this.operations.push({ op: 'mutate', table, where: [called(name)], mutations: [[column, mutator, set(atoms)]] })
  }

  delete(table: string, where: readonly Condition[]): void {
    this.operations.push({ op: 'delete', table, where })
  }
}

const mostAttempts = { overtaken: 50, unreachable: 2 }

/**
 * Decides on rows and writes, again and again until nobody else was faster. A connection that is lost meanwhile is tried
 * once more: what was written after all is found then. A decision that writes nothing makes no change. Errors: a transient
 * `DriverError` when the rows never rest, or the database cannot be reached.
 */
export async function carryOut<T>(database: Database, decide: (change: Change) => Promise<T>): Promise<T> {
  const attempts = { overtaken: 0, unreachable: 0 }
  for (;;) {
    try {
      const change = new Change()
      const decision = await decide(change)
      if (change.operations.length > 0) await database.transact(change.operations)
      return decision
    } catch (error) {
      const kind = error instanceof Overtaken ? 'overtaken' : error instanceof Unreachable ? 'unreachable' : undefined
      if (kind === undefined) throw error
      if (++attempts[kind] < mostAttempts[kind]) continue
      if (kind === 'unreachable') throw error
      const { message } = error as Error
      throw new DriverError(`OVN's rows change too often: ${message}`, { transient: true, cause: error })
    }
  }
}
