/**
 * Statements that are compiled once and then run with other values each time: for those that many requests need, where
 * building costs as much as running.
 */
import type { Compilable, CompiledQuery } from 'kysely'
import type { Queries, Tables, Transaction } from './db.ts'
import type { Engine } from './dialect.ts'

/** Stands in a statement for a value that each run of it brings along. */
class Placeholder {
  readonly index: number

  constructor(index: number) {
    this.index = index
  }
}

const placeholders = (count: number) => Array.from({ length: count }, (_, index) => new Placeholder(index))

/** How handles run a compiled statement without what kysely does for each. */
export const shortcuts = new WeakMap<Queries, Engine['run'] & {}>()

/** Says in the API's words what a statement failed with. */
export type Explain = (error: unknown) => unknown

/** Why a statement may be refused. */
export interface Refusal {
  readonly explain: Explain
  /** The value that others may claim at the same time: it waits until they have ended. */
  readonly claims: string
}

/** How handles of transactions take a statement that may wait for the next one, to travel with it. */
export const postponements = new WeakMap<
  Queries,
  (text: string, values: readonly unknown[], refusal?: Refusal) => void
>()

/** How a statement that only inserts is run: along with the next one where that is possible. */
interface Along {
  readonly refusal?: Refusal | undefined
}

/** A statement that was compiled before. */
interface Statement {
  readonly compiled: CompiledQuery
  /** Whether it takes just the values that are brought along, in their order. */
  readonly inOrder: boolean
}

function toStatement(compiled: CompiledQuery): Statement {
  const inOrder = compiled.parameters.every((given, index) => given instanceof Placeholder && given.index === index)
  return { compiled, inOrder }
}

async function execute<Row>(
  query: Queries,
  { compiled: statement, inOrder }: Statement,
  values: readonly unknown[],
  along: Along | undefined,
): Promise<readonly Row[]> {
  const parameters = inOrder
    ? values
    : statement.parameters.map((given) => (given instanceof Placeholder ? values[given.index] : given))
  const postpone = along ? postponements.get(query) : undefined
  if (postpone) {
    postpone(statement.sql, parameters, along?.refusal)
    return []
  }
  const run = shortcuts.get(query)
  try {
    const result = run ? run(statement.sql, parameters) : query.executeQuery({ ...statement, parameters })
    return (result instanceof Promise ? await result : result).rows as readonly Row[]
  } catch (error) {
    throw along?.refusal ? along.refusal.explain(error) : error
  }
}

/** What builds a statement, in kysely's two ways. */
interface Built {
  compile(query: Queries): CompiledQuery
}

/** How many statements are remembered for an engine, and how long: some keys hold a count that may be large. */
const mostRemembered = 100
const mostParameters = 200

/** Runs statements that it remembers by a key, for each engine by itself. */
export function remembered<Row>() {
  const known = new WeakMap<object, Map<unknown, Statement>>()
  return (
    query: Queries,
    key: unknown,
    values: readonly unknown[],
    build: () => Built,
    along?: Along,
  ): Promise<readonly Row[]> => {
    // The handles of all transactions on an engine share its adapter.
    const { adapter } = query.getExecutor()
    const statements = known.get(adapter) ?? new Map<unknown, Statement>()
    const statement = statements.get(key) ?? toStatement(build().compile(query))
    if (statement.compiled.parameters.length <= mostParameters && statements.size < mostRemembered) {
      known.set(adapter, statements.set(key, statement))
    }
    return execute(query, statement, values, along)
  }
}

/**
 * A statement that is built once, on its first run; `build` gets a placeholder in the place of each value. Outside a
 * transaction it has to be a lookup that takes no time: on PostgreSQL these share one connection.
 */
export function prepared<Values extends readonly (string | number | null)[], Row>(
  build: (query: Queries, ...values: Values) => Compilable<Row>,
): (query: Queries, ...values: Values) => Promise<readonly Row[]> {
  const run = remembered<Row>()
  return (query, ...values) => {
    const first = () => build(query, ...(placeholders(values.length) as unknown as Values))
    return run(query, undefined, values, first)
  }
}

/**
 * Likewise for a statement that changes rows, of which nobody needs to hear and which nothing should refuse: where
 * statements travel it goes along with the transaction's next one.
 */
export function preparedAlong<Values extends readonly (string | number | null)[]>(
  build: (query: Queries, ...values: Values) => Compilable,
): (query: Queries, ...values: Values) => Promise<void> {
  const run = remembered<unknown>()
  return async (query, ...values) => {
    const first = () => build(query, ...(placeholders(values.length) as unknown as Values))
    await run(query, undefined, values, first, {})
  }
}

const insertions = remembered<unknown>()

/** All columns of a table, as its first row named them. */
const columnsOf = new Map<keyof Tables, readonly string[]>()

/** Inserts rows; each names every column of the table. */
export function insertRows<T extends keyof Tables>(
  { query }: Transaction,
  table: T,
  rows: readonly Tables[T][],
): Promise<void> {
  return insert(query, table, rows)
}

/**
 * Inserts rows. Where statements travel they go along with the transaction's next one, at the latest with its commit,
 * which then fails in their place, with what `refusal` calls the failure.
 */
export function insertRowsAlong<T extends keyof Tables>(
  { query }: Transaction,
  table: T,
  rows: readonly Tables[T][],
  refusal?: Refusal,
): Promise<void> {
  return insert(query, table, rows, { refusal })
}

async function insert<T extends keyof Tables>(
  query: Queries,
  table: T,
  rows: readonly Tables[T][],
  along?: Along,
): Promise<void> {
  if (rows.length === 0) return
  const columns = columnsOf.get(table) ?? Object.keys(rows[0] as object)
  columnsOf.set(table, columns)
  // Building a statement for all of them would take longer than inserting them.
  const atOnce = Math.floor(mostParameters / columns.length)
  for (let from = 0; from < rows.length; from += atOnce) {
    const some = rows.slice(from, from + atOnce) as unknown as Record<string, unknown>[]
    const isLast = from + atOnce >= rows.length
    const values: unknown[] = []
    for (const row of some) for (const column of columns) values.push(row[column])
    const build = () => insertion(query, table, columns, some.length)
    await insertions(query, `${table} ${some.length}`, values, build, isLast ? along : (along ?? {}))
  }
}

function insertion(query: Queries, table: keyof Tables, columns: readonly string[], count: number): Built {
  const values = placeholders(count * columns.length)
  const rows = Array.from({ length: count }, (_, row) =>
    Object.fromEntries(columns.map((name, column) => [name, values[row * columns.length + column]])),
  )
  return query.insertInto(table).values(rows as never)
}
