/** Fewer statements for transactions that insert the same kinds of rows: the server runs one insert for all of them. */
import type { CompiledQuery } from 'kysely'
import { listOf, typeOf } from './arrays.ts'
import type { Statement } from './connection.ts'
import { compiler } from './postgres-kysely.ts'
import type { Locking, Refusal } from './prepared.ts'
import { type RowShape, rowOf } from './row-shapes.ts'

/** A statement that is sent along with the next one. */
export interface Waiting extends Statement, Partial<Refusal>, Locking {
  /** What it was made from; the same for all statements that differ in their values only. */
  readonly compiled?: CompiledQuery
}

/**
 * The statements of some transactions in their order. Neighbours that insert into the same columns of the same tables
 * share their inserts, in which the rows keep that order.
 */
export function withAllRows(transactions: readonly (readonly Waiting[])[]): readonly Waiting[] {
  const statements: Waiting[] = []
  for (let from = 0; from < transactions.length; ) {
    const [first, ...others] = transactions.slice(from)
    const unlike = others.findIndex((other) => !areAlike(first!, other))
    const some = transactions.slice(from, unlike === -1 ? transactions.length : from + 1 + unlike)
    statements.push(...(some.length === 1 ? first! : first!.flatMap((_, index) => together(some, index))))
    from += some.length
  }
  return statements
}

function areAlike(some: readonly Waiting[], others: readonly Waiting[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ compiled }, index) => compiled && compiled === others[index]!.compiled && rowOf(compiled, compiler))
  )
}

/** One insert for the statements at a place of alike transactions, or each of them where their values are not plain. */
function together(transactions: readonly (readonly Waiting[])[], index: number): readonly Waiting[] {
  const same = transactions.map((statements) => statements[index]!)
  const row = rowOf(same[0]!.compiled!, compiler)!
  const columns: unknown[][] = Array.from({ length: row.width }, () => [])
  for (const { values } of same) for (let i = 0; i < values.length; i++) columns[i % row.width]!.push(values[i])
  const types = columns.map(typeOf)
  if (types.includes(undefined) || types.every((type) => type === 'null')) return same
  const lists = columns.filter((_, place) => types[place] !== 'null').map(listOf)
  return [{ text: textFor(row, types as string[]), values: lists }]
}

/** A column of nothing but null stands for itself, since its type is not told. */
function textFor({ target, expressions, texts }: RowShape, types: readonly string[]): string {
  const form = types.join()
  const known = texts.get(form)
  if (known) return known
  const lists = types.flatMap((type, place) => (type === 'null' ? [] : [{ type, place }]))
  const given = lists.map(({ type, place }, list) => `unnest($${list + 1}::${type}[]) as v${place}`)
  const each = expressions.replace(/\$(\d+)/g, (_, number) =>
    types[number - 1] === 'null' ? 'null' : `given.v${number - 1}`,
  )
  const text = `${target} select ${each} from (select ${given.join(', ')}) as given`
  texts.set(form, text)
  return text
}
