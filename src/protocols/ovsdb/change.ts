/** A transaction in the making, and the attempts that it takes when others write the same rows. */
import { DriverError } from '../driver-error.ts'
import { type Database, Overtaken } from './database.ts'
import {
  type Atom,
  type ColumnOf,
  type Condition,
  called,
  named,
  type Operation,
  type Part,
  type RowOf,
  set,
  type TableOf,
  type Uuid,
} from './rows.ts'
import { Unreachable } from './session.ts'

/** The elements of a set. */
type Element<Value> = Value extends readonly ['set', readonly (infer Of extends Atom)[]] ? Of : never

/** Operations that take place together or not at all. */
export class Change<Schema> {
  readonly operations: Operation[] = []
  #inserted = 0

  /** Gives up unless these are the rows that a condition finds: another writer may have been faster. */
  expect<Table extends TableOf<Schema>, Column extends ColumnOf<Schema, Table>>(
    table: Table,
    where: readonly Condition<RowOf<Schema, Table>>[],
    columns: readonly Column[],
    rows: readonly Part<Schema, Table, Column>[],
  ): void {
    this.operations.push({ op: 'wait', table, where, columns, until: '==', rows, timeout: 0 })
  }

  insert<Table extends TableOf<Schema>>(table: Table, row: Partial<Schema[Table]>): Uuid {
    const name = `new${++this.#inserted}`
    this.operations.push({ op: 'insert', table, row, 'uuid-name': name })
    return named(name)
  }

  update<Table extends TableOf<Schema>>(
    table: Table,
    where: readonly Condition<RowOf<Schema, Table>>[],
    row: Partial<Schema[Table]>,
  ): void {
    this.operations.push({ op: 'update', table, where, row })
  }

  /** Adds to a set of a named row, or takes away from it; what is there already, or is not, stays so. */
  amend<Table extends TableOf<Schema>, Column extends ColumnOf<Schema, Table>>(
    table: Table,
    name: string,
    column: Column,
    mutator: 'insert' | 'delete',
    atoms: readonly Element<RowOf<Schema, Table>[Column]>[],
  ): void {
    if (atoms.length === 0) return
    this.operations.push({ op: 'mutate', table, where: [called(name)], mutations: [[column, mutator, set(atoms)]] })
  }

  delete<Table extends TableOf<Schema>>(table: Table, where: readonly Condition<RowOf<Schema, Table>>[]): void {
    this.operations.push({ op: 'delete', table, where })
  }
}

const mostAttempts = { overtaken: 50, unreachable: 2 }

/**
 * Decides on rows and writes, again and again until nobody else was faster. A connection that is lost meanwhile is tried
 * once more: what was written after all is found then. A decision that writes nothing makes no change. Errors: a transient
 * `DriverError` when the rows never rest, or the database cannot be reached.
 */
export async function carryOut<Schema, T>(
  database: Database<Schema>,
  decide: (change: Change<Schema>) => Promise<T>,
): Promise<T> {
  const attempts = { overtaken: 0, unreachable: 0 }
  for (;;) {
    try {
      const change = new Change<Schema>()
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
