/** Fewer statements for transactions that insert the same kinds of rows: the server runs one insert for all of them. */
import { type CompiledQuery, createQueryId, InsertQueryNode, ValuesNode } from 'kysely'
import type { Statement } from './connection.ts'
import { compiler } from './postgres-kysely.ts'
import type { Locking, Refusal } from './prepared.ts'

/** A statement that is sent along with the next one. */
export interface Waiting extends Statement, Partial<Refusal>, Locking {
  /** What it was made from; the same for all statements that differ in their values only. */
  readonly compiled?: CompiledQuery
}

/**
 * The statements of some transactions in their order. Neighbours that insert into the same columns of the same tables
 * share their inserts, in which the rows keep that order. So many are two, four, eight and so on, since each number of
 * rows is a statement that every connection prepares.
 */
export function withAllRows(transactions: readonly (readonly Waiting[])[]): readonly Waiting[] {
  const statements: Waiting[] = []
  for (let from = 0; from < transactions.length; ) {
    const [first, ...others] = transactions.slice(from)
    const unlike = others.findIndex((other) => !areAlike(first!, other))
    const alike = unlike === -1 ? others.length + 1 : unlike + 1
    const some = transactions.slice(from, from + 2 ** Math.floor(Math.log2(alike)))
    statements.push(...(some.length === 1 ? first! : first!.map((_, index) => together(some, index))))
    from += some.length
  }
  return statements
}

function areAlike(some: readonly Waiting[], others: readonly Waiting[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ compiled }, index) => compiled && compiled === others[index]!.compiled && isOfRows(compiled))
  )
}

/** Tells whether a statement only inserts rows of values. */
function isOfRows({ query }: CompiledQuery): boolean {
  if (!InsertQueryNode.is(query) || query.onConflict || query.returning) return false
  return query.values !== undefined && ValuesNode.is(query.values)
}

/** One insert for the statements at a place of alike transactions. */
function together(transactions: readonly (readonly Waiting[])[], index: number): Waiting {
  const same = transactions.map((statements) => statements[index]!)
  return { text: textFor(same[0]!.compiled!, same.length), values: same.flatMap(({ values }) => values) }
}

/** The texts of statements with the rows of several, by their number. */
const texts = new WeakMap<CompiledQuery, Map<number, string>>()

function textFor(compiled: CompiledQuery, times: number): string {
  const known = texts.get(compiled) ?? new Map<number, string>()
  texts.set(compiled, known)
  const text = known.get(times) ?? repeated(compiled, times)
  known.set(times, text)
  return text
}

function repeated({ query }: CompiledQuery, times: number): string {
  const insert = query as InsertQueryNode & { values: ValuesNode }
  const rows = Array.from({ length: times }, () => insert.values.values).flat()
  return compiler.compileQuery({ ...insert, values: ValuesNode.create(rows) }, createQueryId()).sql
}
