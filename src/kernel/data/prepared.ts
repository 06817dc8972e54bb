/**
 * Statements compiled once and run with different values: for statements that many requests need, where compiling costs
 * as much as running.
 */
import type { Compilable, CompiledQuery, Kysely, QueryResult } from 'kysely'
import { type AtOnce, after, inSteps, type Steps, value } from '../process/at-once.ts'
import type { EveryTable, Queries, Transaction } from './db.ts'
import type { DatabaseUrl, Run } from './dialect.ts'

/** A placeholder for a value that is passed with each run. */
class Placeholder {
  readonly index: number

  constructor(index: number) {
    this.index = index
  }
}

const placeholders = (count: number) => Array.from({ length: count }, (_, index) => new Placeholder(index))

/** Runs compiled statements without kysely's overhead. */
interface Handle {
  /** Statements are cached per engine, because the engines' SQL differs. */
  readonly engine: DatabaseUrl['engine']
  readonly run: Run
  /** Only outside transactions on PostgreSQL: runs a statement that may read many rows on a connection of its own. */
  readonly runLarge?: Run
  /** Only for transactions on PostgreSQL: sends a statement along with the next one. */
  postpone?(statement: CompiledQuery, values: readonly unknown[], along?: Partial<Refusal> & Locking): void
  /** Only for transactions on SQLite: keeps rows to write them before the commit; false when they have to be written now. */
  late?(statement: CompiledQuery, values: readonly unknown[]): boolean
}

const handles = new WeakMap<Queries, Handle>()

/** Registers how a handle runs prepared statements; `prepared` and its variants accept only registered handles. */
export function runsPrepared(query: Queries, handle: Handle): void {
  handles.set(query, handle)
}

/** Returns the handle with which prepared statements run. */
export function handleOf(query: Queries): Handle {
  const handle = handles.get(query)
  if (!handle) throw new Error('prepared statements run only on the handles of a database')
  return handle
}

/** Translates the error of a statement into an API error. */
export type Explain = (error: unknown) => unknown

/** The possible refusal of a statement. */
export interface Refusal {
  readonly explain: Explain
  /** A unique value that concurrent transactions may also claim: the statement waits until they have ended. */
  readonly claims: string
}

/** Says of a statement that it may wait for locks of any kind, so that no other transaction may depend on it. */
export interface Locking {
  readonly locks?: boolean
}

/** Marks a statement that may be sent along with the next one, because nobody needs its result. */
interface Along {
  readonly refusal?: Refusal | undefined
  /** True for rows that may be written late on SQLite. */
  readonly isLate?: boolean
}

/** A compiled statement. */
interface Statement {
  readonly compiled: CompiledQuery
  /** True when its parameters are exactly the passed values, in order. */
  readonly inOrder: boolean
}

function toStatement(compiled: CompiledQuery): Statement {
  const inOrder = compiled.parameters.every((given, index) => given instanceof Placeholder && given.index === index)
  return { compiled, inOrder }
}

/** Runs a statement; a lookup on SQLite is done at once. */
function execute<Row>(
  handle: Handle,
  { compiled: statement, inOrder }: Statement,
  values: readonly unknown[],
  along: Along | undefined,
): AtOnce<readonly Row[]> {
  const parameters = inOrder ? values : filled(statement, values)
  if (along && handle.postpone) {
    handle.postpone(statement, parameters, along.refusal)
    return []
  }
  if (along?.isLate && handle.late?.(statement, parameters)) return []
  if (along?.refusal) return executeOr(along.refusal, handle, statement.sql, parameters)
  return after(handle.run(statement.sql, parameters), rowsOf<Row>)
}

function executeOr<Row>({ explain }: Refusal, { run }: Handle, text: string, parameters: readonly unknown[]) {
  const fail = (error: unknown) => {
    throw explain(error)
  }
  try {
    const made = run(text, parameters)
    return made instanceof Promise ? made.then(rowsOf<Row>, fail) : rowsOf<Row>(made)
  } catch (error) {
    return fail(error)
  }
}

const rowsOf = <Row>({ rows }: QueryResult<unknown>) => rows as readonly Row[]

/** A statement that can be compiled, in either of kysely's two ways. */
interface Built {
  compile(query: Queries): CompiledQuery
}

/** Bounds of the cache per engine: some keys contain a row count, which may vary widely. */
const mostRemembered = 100
const mostParameters = 200

/** Statements cached by a key, per engine. */
function cache() {
  const known = { sqlite: new Map<unknown, Statement>(), postgres: new Map<unknown, Statement>() }
  return (query: Queries, engine: DatabaseUrl['engine'], key: unknown, build: () => Built): Statement => {
    const statements = known[engine]
    const found = statements.get(key)
    if (found) return found
    const statement = toStatement(build().compile(query))
    if (statement.compiled.parameters.length <= mostParameters) {
      if (statements.size >= mostRemembered) statements.delete(statements.keys().next().value)
      statements.set(key, statement)
    }
    return statement
  }
}

/** Runs statements cached by a key, per engine. */
export function remembered<Row>() {
  const cached = cache()
  return (
    query: Queries,
    key: unknown,
    values: readonly unknown[],
    build: () => Built,
    along?: Along,
  ): AtOnce<readonly Row[]> => {
    const handle = handleOf(query)
    return execute(handle, cached(query, handle.engine, key, build), values, along)
  }
}

/** Values of a statement, by name: numbers and texts, and lists and records of them. */
type Given = Readonly<Record<string, unknown>>

/** Runs the statement of a kind and of the form of what is given. */
type RunForm<Result> = <G extends Given>(
  query: Queries,
  kind: string,
  given: G,
  build: (given: G) => Built,
) => AtOnce<Result>

/** Statements built once for each kind and for each form of what is given, with what is wanted of their results. */
function forms<Result>(by: (handle: Handle) => Run, wanted: (result: QueryResult<unknown>) => Result): RunForm<Result> {
  const cached = cache()
  return (query, kind, given, build) => {
    const values: unknown[] = []
    const shape = `${kind} ${flatten(given, values)}`
    const first = () => build(placed(given, placeholders(values.length).values()) as typeof given)
    const handle = handleOf(query)
    const { compiled, inOrder } = cached(query, handle.engine, shape, first)
    return after(by(handle)(compiled.sql, inOrder ? values : filled(compiled, values)), wanted)
  }
}

/**
 * Statements built once for each kind and for each form of what is given: `build` gets the same names and lists, with
 * placeholders for values. Outside a transaction each has a connection to itself on PostgreSQL, where lookups share one, so
 * that it may read many rows.
 */
export function preparedStatements<Row>() {
  const run = forms(({ run, runLarge = run }) => runLarge, rowsOf<Row>)
  return <G extends Given>(...asked: Parameters<typeof run<G>>): AtOnce<readonly Row[]> => run(...asked)
}

/**
 * The same for statements that change rows: returns how many did. A statement that returned the rows would write them down
 * first.
 */
export function preparedChanges() {
  const run = forms(
    ({ run }) => run,
    ({ numAffectedRows = 0n }) => Number(numAffectedRows),
  )
  return async <G extends Given>(...asked: Parameters<typeof run<G>>): Promise<number> => run(...asked)
}

/** Appends all values below something to `values`, and gives the form that it has apart from them. */
function flatten(given: unknown, values: unknown[]): string {
  if (Array.isArray(given)) {
    values.push(...given)
    return `[${given.length}]`
  }
  if (typeof given === 'object' && given !== null) {
    let form = ''
    for (const key in given) form += `${key}${flatten((given as Given)[key], values)},`
    return `{${form}}`
  }
  if (given === undefined) return '-'
  values.push(given)
  return ''
}

/** The same with placeholders for the values, in the order of `flatten`. */
function placed(given: unknown, next: Iterator<Placeholder>): unknown {
  const place = () => next.next().value
  if (Array.isArray(given)) return given.map(place)
  if (typeof given !== 'object' || given === null) return given === undefined ? undefined : place()
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, placed(value, next)]))
}

/** The parameters of a statement with values in the places of their placeholders. */
function filled({ parameters }: CompiledQuery, values: readonly unknown[]): unknown[] {
  return parameters.map((given) => (given instanceof Placeholder ? values[given.index] : given))
}

/**
 * A statement that is built once, on its first run; `build` gets a placeholder for each value. Outside a transaction it
 * must be a fast lookup: on PostgreSQL all lookups share one connection.
 */
export function prepared<Values extends readonly (string | number | null)[], Row>(
  build: (query: Queries, ...values: Values) => Compilable<Row>,
): (query: Queries, ...values: Values) => AtOnce<readonly Row[]> {
  const run = remembered<Row>()
  return (query, ...values) => {
    const first = () => build(query, ...(placeholders(values.length) as unknown as Values))
    return run(query, undefined, values, first)
  }
}

/**
 * The same for a statement that changes rows, is never refused, and whose result nobody needs: on PostgreSQL it is sent
 * along with the transaction's next statement.
 */
export function preparedAlong<Values extends readonly (string | number | null)[]>(
  build: (query: Queries, ...values: Values) => Compilable,
): (query: Queries, ...values: Values) => AtOnce<void> {
  return unanswered(build, {})
}

/** The same for one that inserts a row as `insertRowsLate` does. */
export function preparedLate<Values extends readonly (string | number | null)[]>(
  build: (query: Queries, ...values: Values) => Compilable,
): (query: Queries, ...values: Values) => AtOnce<void> {
  return unanswered(build, { isLate: true })
}

function unanswered<Values extends readonly (string | number | null)[]>(
  build: (query: Queries, ...values: Values) => Compilable,
  along: Along,
): (query: Queries, ...values: Values) => AtOnce<void> {
  const run = remembered<unknown>()
  return (query, ...values) => {
    const first = () => build(query, ...(placeholders(values.length) as unknown as Values))
    return after(run(query, undefined, values, first, along), () => undefined)
  }
}

/**
 * Runs a statement that takes locks and is never refused; on PostgreSQL it is sent along with the transaction's next
 * statement, which runs once they are held. What is done outside of the transaction does not wait for them.
 */
export async function lockAlong(query: Queries, statement: Built): Promise<void> {
  const { postpone, run } = handleOf(query)
  const compiled = statement.compile(query)
  if (postpone) postpone(compiled, compiled.parameters, { locks: true })
  else await run(compiled.sql, compiled.parameters)
}

const insertions = remembered<unknown>()

/** A set of columns that rows of a table have. */
interface Columns {
  readonly names: readonly string[]
  /** The keys of the statements that insert a number of such rows. */
  readonly keys: string[]
}

/** The column sets used by rows of each table; nearly always one. */
const columnsOf = new Map<keyof EveryTable, Columns[]>()

function columnsIn(table: keyof EveryTable, row: object): Columns {
  const sets = columnsOf.get(table) ?? []
  let count = 0
  for (const _ in row) count++
  const found = sets.find(({ names }) => names.length === count && names.every((name) => name in row))
  if (found) return found
  const columns = { names: Object.keys(row), keys: [] }
  columnsOf.set(table, [...sets, columns])
  return columns
}

/** Inserts rows, which must all have the same columns. */
export function insertRows<T extends keyof EveryTable>(
  { query }: Transaction,
  table: T,
  rows: readonly EveryTable[T][],
): AtOnce<void> {
  return insert(query, table, rows)
}

/**
 * Inserts rows, which must all have the same columns. On PostgreSQL they are sent along with the transaction's next
 * statement, at the latest with its commit; that statement then fails in their place, with the error that `refusal`
 * gives.
 */
export function insertRowsAlong<T extends keyof EveryTable>(
  { query }: Transaction,
  table: T,
  rows: readonly EveryTable[T][],
  refusal?: Refusal,
): AtOnce<void> {
  return insert(query, table, rows, { refusal })
}

/**
 * The same for rows that are never refused. On SQLite they are written with those of other transactions (late-rows.ts).
 * Columns that refer to such a table have to be named after it.
 */
export function insertRowsLate<T extends keyof EveryTable>(
  { query }: Transaction,
  table: T,
  rows: readonly EveryTable[T][],
): AtOnce<void> {
  return insert(query, table, rows, { isLate: true })
}

function insert<T extends keyof EveryTable>(
  query: Queries,
  table: T,
  rows: readonly EveryTable[T][],
  along?: Along,
): AtOnce<void> {
  if (rows.length === 0) return
  const columns = columnsIn(table, rows[0]!)
  // A single statement for many rows would take longer to build than to run.
  const atOnce = Math.floor(mostParameters / columns.names.length)
  if (rows.length <= atOnce) return insertSome(query, table, columns, rows, along)
  return inSteps(insertMany(query, table, columns, rows, atOnce, along))
}

function* insertMany<T extends keyof EveryTable>(
  query: Queries,
  table: T,
  columns: Columns,
  rows: readonly EveryTable[T][],
  atOnce: number,
  along: Along | undefined,
): Steps<void> {
  for (let from = 0; from < rows.length; from += atOnce) {
    const isLast = from + atOnce >= rows.length
    const some = rows.slice(from, from + atOnce)
    yield* value(insertSome(query, table, columns, some, isLast ? along : (along ?? {})))
  }
}

function insertSome<T extends keyof EveryTable>(
  query: Queries,
  table: T,
  { names, keys }: Columns,
  rows: readonly EveryTable[T][],
  along: Along | undefined,
): AtOnce<void> {
  const values: unknown[] = []
  for (const row of rows as readonly object[] as readonly Record<string, unknown>[])
    for (const name of names) values.push(row[name])
  keys[rows.length] ??= `${table} ${rows.length} ${names}`
  const build = () => insertion(query, table, names, rows.length)
  return after(insertions(query, keys[rows.length], values, build, along), () => undefined)
}

function insertion(query: Queries, table: keyof EveryTable, columns: readonly string[], count: number): Built {
  const values = placeholders(count * columns.length)
  const rows = Array.from({ length: count }, (_, row) =>
    Object.fromEntries(columns.map((name, column) => [name, values[row * columns.length + column]])),
  )
  return (query as unknown as Kysely<EveryTable>).insertInto(table).values(rows as never)
}
