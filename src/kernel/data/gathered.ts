/**
 * Look-ups that are asked for at the same time: equal ones run once, and those that differ in their values only are one
 * statement, which the server runs for all of their values.
 */
import type { QueryResult } from 'kysely'
import { listOf } from './arrays.ts'
import type { Statement, StatementResult } from './connection.ts'

/** A lookup that waits to be sent or answered. */
export interface Lookup extends Statement {
  resolve(result: QueryResult<unknown>): void
  reject(error: unknown): void
}

/** Look-ups with the same text, and the statement that answers them. */
export class Gathered {
  readonly statement: Statement
  /** Those with the same values are beside each other. */
  readonly #alike: readonly (readonly Lookup[])[]

  constructor(alike: readonly (readonly Lookup[])[]) {
    this.#alike = alike
    this.statement = alike.length === 1 ? alike[0]![0]! : together(alike.map(([first]) => first!))
  }

  /** The text of each of them. */
  get text(): string {
    return this.#alike[0]![0]!.text
  }

  get isForSeveral(): boolean {
    return this.#alike.length > 1
  }

  resolve({ rows, origins, ...result }: StatementResult): void {
    const found: unknown[][] = this.#alike.map(() => [])
    for (const [index, row] of rows.entries()) found[origins ? origins[index]! - 1 : 0]!.push(row)
    for (const [index, some] of this.#alike.entries()) {
      for (const { resolve } of some) resolve({ ...result, rows: found[index]! })
    }
  }

  /** What to send in its place after it failed: each by itself, of which those fail that have to. */
  apart(error: unknown): readonly Gathered[] {
    if (this.isForSeveral) return this.#alike.map((some) => new Gathered([some]))
    for (const { reject } of this.#alike[0]!) reject(error)
    return []
  }
}

/** Gathers look-ups that can run together. `areApart` tells of texts that cannot. */
export function gathered(lookups: readonly Lookup[], areApart: { has(text: string): boolean }): Gathered[] {
  const byText = new Map<string, { readonly form: string; readonly alike: Map<string, Lookup[]> }>()
  const alone: Gathered[] = []
  for (const lookup of lookups) {
    const { text, values } = lookup
    const form = formOf(values)
    const known = byText.get(text)
    if (form === undefined || (known && known.form !== form) || !text.startsWith('select ') || areApart.has(text)) {
      alone.push(new Gathered([[lookup]]))
      continue
    }
    const { alike } = known ?? { alike: new Map<string, Lookup[]>() }
    if (!known) byText.set(text, { form, alike })
    const key = JSON.stringify(values)
    const same = alike.get(key)
    if (same) same.push(lookup)
    else alike.set(key, [lookup])
  }
  return [...alone, ...[...byText.values()].map(({ alike }) => new Gathered([...alike.values()]))]
}

/** The types of values as the server has to be told them; undefined where that is not plain. */
function formOf(values: readonly unknown[]): string | undefined {
  let form = ''
  for (const value of values) {
    if (typeof value === 'string') form += 't'
    else if (Number.isSafeInteger(value)) form += 'i'
    else return undefined
  }
  return form
}

/** One statement for look-ups of one text and form. The first column of its rows counts from 1 whose they are. */
function together(lookups: readonly Lookup[]): Statement {
  const [{ text, values }] = lookups as readonly [Lookup]
  const lists = values.map((_, place) => listOf(lookups.map((lookup) => lookup.values[place])))
  return { text: textFor(text, formOf(values)!), values: lists, tellsOrigins: true }
}

/** The texts for several, by form and by the text for one. */
const texts = new Map<string, Map<string, string>>()
/** Few texts are of many forms, and there are fewer than this. */
const mostTexts = 500

function textFor(text: string, form: string): string {
  const known = texts.get(form) ?? new Map<string, string>()
  texts.set(form, known)
  if (known.size >= mostTexts) known.clear()
  const made = known.get(text) ?? forSeveral(text, form)
  known.set(text, made)
  return made
}

/** `offset 0` keeps the server from joining in another order than from the values to the rows. */
function forSeveral(text: string, form: string): string {
  const lists = [...form].map((type, place) => `$${place + 1}::${type === 't' ? 'text' : 'bigint'}[]`)
  const names = [...form].map((_, place) => `v${place + 1}`)
  const one = text.replace(/\$(\d+)/g, 'given.v$1')
  return `select given.origin, found.* from unnest(${lists.join(', ')})
    with ordinality as given (${names.join(', ')}, origin) cross join lateral (${one} offset 0) as found`
}
