/**
 * Statements that are compiled once and then run with other values each time: for those that many requests need, where
 * building costs as much as running.
 */
import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { EveryTable, Queries, Transaction } from './db.ts'
import type { DatabaseUrl, Run } from './dialect.ts'

/** Stands in a statement for a value that each run of it brings along. */
class Placeholder {
  readonly index: number

  constructor(index: number) {
    this.index = index
  }
}

const placeholders = (count: number) => Array.from({ length: count }, (_, index) => new Placeholder(index))

/** What a handle can do with a compiled statement, without what kysely does for each. */
interface Handle {
  /** Statements are remembered for each engine, as each writes them in its own way. */
  readonly engine: DatabaseUrl['engine']
  readonly run: Run
  /** Present on transactions on PostgreSQL: takes a statement that may wait for the next one, to travel with it. */
  postpone?(text: string, values: readonly unknown[], refusal?: Refusal): void
}

const handles = new WeakMap<Queries, Handle>()

/** Makes a handle one that runs prepared statements: each that `prepared` and its like are given has to be one. */
export function runsPrepared(query: Queries, handle: Handle): void {
  handles.set(query, handle)
}

/** How a handle runs prepared statements. */
export function handleOf(query: Queries): Handle {
  const handle = handles.get(query)
  if (!handle) throw new Error('prepared statements run on the handles of a database alone')
  return handle
}

/** Says in the API's words what a statement failed with. */
export type Explain = (error: unknown) => unknown

/** Why a statement may be refused. */
export interface Refusal {
  readonly explain: Explain
  /** The value that others may claim at the same time: it waits until they have ended. */
  readonly claims: string
}

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
  handle: Handle,
  { compiled: statement, inOrder }: Statement,
  values: readonly unknown[],
  along: Along | undefined,
): Promise<readonly Row[]> {
  const parameters = inOrder
    ? values
    : statement.parameters.map((given) => (given instanceof Placeholder ? values[given.index] : given))
  if (along && handle.postpone) {
    handle.postpone(statement.sql, parameters, along.refusal)
    return []
  }
  try {
    const result = handle.run(statement.sql, parameters)
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
  const known = { sqlite: new Map<unknown, Statement>(), postgres: new Map<unknown, Statement>() }
  return (
    query: Queries,
    key: unknown,
    values: readonly unknown[],
    build: () => Built,
    along?: Along,
  ): Promise<readonly Row[]> => {
    const handle = handleOf(query)
    const statements = known[handle.engine]
    let statement = statements.get(key)
    if (!statement) {
      statement = toStatement(build().compile(query))
      if (statement.compiled.parameters.length <= mostParameters && statements.size < mostRemembered) {
        statements.set(key, statement)
      }
    }
    return execute(handle, statement, values, along)
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

/** The sets of columns that rows of a table have named; nearly always one. */
const columnsOf = new Map<keyof EveryTable, (readonly string[])[]>()

/** The columns that a row names, and which of its table's sets that is. */
function columnsIn(table: keyof EveryTable, row: object): { columns: readonly string[]; set: number } {
  const sets = columnsOf.get(table) ?? []
  const count = Object.keys(row).length
  let set = sets.findIndex((columns) => columns.length === count && columns.every((name) => name in row))
  if (set === -1) set = sets.push(Object.keys(row)) - 1
  columnsOf.set(table, sets)
  return { columns: sets[set]!, set }
}

/** Inserts rows, which all name the same columns. */
export function insertRows<T extends keyof EveryTable>(
  { query }: Transaction,
  table: T,
  rows: readonly EveryTable[T][],
): Promise<void> {
  return insert(query, table, rows)
}

/**
 * Inserts rows, which all name the same columns. Where statements travel they go along with the transaction's next one, at the latest with its commit,
 * which then fails in their place, with what `refusal` calls the failure.
 */
export function insertRowsAlong<T extends keyof EveryTable>(
  { query }: Transaction,
  table: T,
  rows: readonly EveryTable[T][],
  refusal?: Refusal,
): Promise<void> {
  return insert(query, table, rows, { refusal })
}

async function insert<T extends keyof EveryTable>(
  query: Queries,
  table: T,
  rows: readonly EveryTable[T][],
  along?: Along,
): Promise<void> {
  if (rows.length === 0) return
  const { columns, set } = columnsIn(table, rows[0]!)
  // Building a statement for all of them would take longer than inserting them.
  const atOnce = Math.floor(mostParameters / columns.length)
  for (let from = 0; from < rows.length; from += atOnce) {
    const some = rows.slice(from, from + atOnce) as unknown as Record<string, unknown>[]
    const isLast = from + atOnce >= rows.length
    const values: unknown[] = []
    for (const row of some) for (const column of columns) values.push(row[column])
    const build = () => insertion(query, table, columns, some.length)
    await insertions(query, `${table} ${set} ${some.length}`, values, build, isLast ? along : (along ?? {}))
  }
}

function insertion(query: Queries, table: keyof EveryTable, columns: readonly string[], count: number): Built {
  const values = placeholders(count * columns.length)
  const rows = Array.from({ length: count }, (_, row) =>
    Object.fromEntries(columns.map((name, column) => [name, values[row * columns.length + column]])),
  )
  return (query as unknown as Kysely<EveryTable>).insertInto(table).values(rows as never)
}
