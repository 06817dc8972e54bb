/**
 * Statements on tables of Projects. `Queries` does not know these tables, so a statement without a Project does not
 * compile: it is written through `scoped`, which narrows every table to one Project, or through `acrossProjects`, which
 * only `host.ts` of a family and the kernel may use (test/laws/safety.test.ts).
 */
import type {
  Compilable,
  DeleteQueryBuilder,
  DeleteResult,
  InsertQueryBuilder,
  InsertResult,
  Kysely,
  SelectQueryBuilder,
  UpdateQueryBuilder,
  UpdateResult,
} from 'kysely'
import type { AtOnce } from '../process/at-once.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'
import type { EveryTable, Queries, TenantTables, Transaction } from './db.ts'
import { insertRowsAlong, prepared, preparedStatements, type Refusal } from './prepared.ts'

export type TenantTable = keyof TenantTables & string

/** Kysely's row type for a table known only by a type parameter. */
interface AnyTable {
  readonly [column: string]: string | number | null
}

/** A row as a family writes it; the Project is added. */
export type NewRow<T extends TenantTable> = Omit<TenantTables[T], 'project_id'>

/** The tables of `DB`, narrowed to one Project. */
export class Scoped<DB = TenantTables> {
  readonly #query: Kysely<Record<'table', AnyTable>>
  readonly #projectId: ProjectId

  constructor(query: Queries, { projectId }: ProjectScope) {
    this.#query = query as unknown as Kysely<Record<'table', AnyTable>>
    this.#projectId = projectId
  }

  /** Selects from tables, which a caller joins with `where`. The statement cannot name other tables. */
  selectFrom<T extends keyof DB & string>(...tables: readonly T[]) {
    const select = tables.reduce(
      (narrowed, table) => narrowed.where(`${table}.project_id` as 'project_id', '=', this.#projectId as number),
      this.#query.selectFrom(tables as readonly 'table'[]),
    )
    // biome-ignore lint/complexity/noBannedTypes: kysely's type of nothing selected yet
    return select as unknown as SelectQueryBuilder<Pick<DB, T>, T, {}>
  }

  updateTable<T extends keyof DB & string>(table: T) {
    const update = this.#query.updateTable(table as 'table').where('project_id', '=', this.#projectId as number)
    return update as unknown as UpdateQueryBuilder<Pick<DB, T>, T, T, UpdateResult>
  }

  deleteFrom<T extends keyof DB & string>(table: T) {
    const remove = this.#query.deleteFrom(table as 'table').where('project_id', '=', this.#projectId as number)
    return remove as unknown as DeleteQueryBuilder<Pick<DB, T>, T, DeleteResult>
  }

  /** Inserts rows and adds the Project. */
  insertInto<T extends keyof DB & string>(table: T, rows: readonly Omit<DB[T], 'project_id'>[]) {
    const owned = rows.map((row) => ({ ...row, project_id: this.#projectId }))
    const insert = this.#query.insertInto(table as 'table').values(owned as unknown as AnyTable[])
    return insert as unknown as InsertQueryBuilder<Pick<DB, T>, T, InsertResult>
  }
}

/** The tables of tenants, narrowed to the Project of `scope`. */
export function scoped(query: Queries, scope: ProjectScope): Scoped {
  return new Scoped(query, scope)
}

/** The tables of all Projects, for work of the installation itself and never for a tenant's request. */
export function acrossProjects(query: Queries): Kysely<EveryTable> {
  return query as unknown as Kysely<EveryTable>
}

/** A statement that is built once; `build` gets a placeholder for each value. See `prepared`. */
export function preparedScoped<Values extends readonly (string | number | null)[], Row>(
  build: (rows: Scoped, ...values: Values) => Compilable<Row>,
): (query: Queries, scope: ProjectScope, ...values: Values) => AtOnce<readonly Row[]> {
  const run = prepared<[ProjectId, ...Values], Row>((query, projectId, ...values) =>
    build(scoped(query, { projectId }), ...values),
  )
  return (query, { projectId }, ...values) => run(query, projectId, ...values)
}

/**
 * A statement about some values that is built once for each number of them, and may read many rows; `build` gets
 * placeholders. Without values there are no rows. See `preparedStatements`.
 */
export function preparedScopedMany<Value extends string | number, Row>(
  build: (rows: Scoped, values: readonly Value[]) => Compilable<Row>,
): (query: Queries, scope: ProjectScope, values: readonly Value[]) => AtOnce<readonly Row[]> {
  const run = preparedStatements<Row>()
  return (query, { projectId }, values) => {
    if (values.length === 0) return []
    const first = (given: { projectId: ProjectId; values: readonly Value[] }) =>
      build(scoped(query, given), given.values) as Compilable
    return run(query, '', { projectId, values }, first)
  }
}

/** Inserts rows, on PostgreSQL along with the transaction's next statement. See `insertRowsAlong`. */
export function insertScopedAlong<T extends TenantTable>(
  tx: Transaction,
  { projectId }: ProjectScope,
  table: T,
  rows: readonly NewRow<T>[],
  refusal?: Refusal,
): AtOnce<void> {
  const owned = rows.map((row) => ({ ...row, project_id: projectId }))
  return insertRowsAlong(tx, table as never, owned as never[], refusal)
}
