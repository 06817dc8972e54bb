/** The form of a statement that only inserts rows, by which the same is inserted for many transactions at once. */
import { type CompiledQuery, createQueryId, InsertQueryNode, type QueryCompiler, ValuesNode } from 'kysely'

/** What an insert does with the values of each of its rows. */
export interface RowShape {
  readonly table: string
  /** The number of values. */
  readonly width: number
  /** The statement up to its values. */
  readonly target: string
  /** What becomes of the values of one row. */
  readonly expressions: string
  /** The texts that insert other rows, by what tells them apart. */
  readonly texts: Map<string | number, string>
}

const shapes = new WeakMap<CompiledQuery, RowShape | false>()
/** Those of statements that insert any number of rows, by the text for one. */
const byText = new Map<string, RowShape>()

/** The shape of the rows of a statement that only inserts some; undefined for any other. `compiler` is that of its engine. */
export function rowOf(compiled: CompiledQuery, compiler: QueryCompiler): RowShape | undefined {
  const known = shapes.get(compiled) ?? shapeOf(compiled, compiler)
  shapes.set(compiled, known)
  return known || undefined
}

function shapeOf({ query, parameters }: CompiledQuery, compiler: QueryCompiler): RowShape | false {
  if (!InsertQueryNode.is(query) || query.onConflict || query.returning) return false
  if (!query.values || !ValuesNode.is(query.values)) return false
  const { values: rows } = query.values
  const single = compiler.compileQuery({ ...query, values: ValuesNode.create([rows[0]!]) }, createQueryId())
  const [, target, table, expressions] = /^(insert into "(\w+)".*?\)) values \((.*)\)$/s.exec(single.sql) ?? []
  const width = single.parameters.length
  // Rows of other expressions would take other values.
  if (!target || !table || !expressions || width === 0 || width * rows.length !== parameters.length) return false
  if (rows.some(({ kind }) => kind !== rows[0]!.kind)) return false
  const shape = byText.get(single.sql) ?? { table, width, target, expressions, texts: new Map() }
  byText.set(single.sql, shape)
  return shape
}
