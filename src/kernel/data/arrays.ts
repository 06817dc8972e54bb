/** Lists of values as one value of a statement, in the form in which PostgreSQL reads arrays. */

/** The type of the elements of a list; `null` for a list of nothing else, and undefined where it is not plain. */
export function typeOf(values: readonly unknown[]): 'bigint' | 'text' | 'null' | undefined {
  let type: 'bigint' | 'text' | 'null' = 'null'
  for (const value of values) {
    if (value === null) continue
    const own = typeof value === 'string' ? 'text' : Number.isSafeInteger(value) ? 'bigint' : undefined
    if (own === undefined || (type !== 'null' && own !== type)) return undefined
    type = own
  }
  return type
}

/** The list; its values must have a type (`typeOf`). */
export function listOf(values: readonly unknown[]): string {
  return `{${values.map((value) => (typeof value === 'string' ? quoted(value) : String(value))).join()}}`
}

function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`
}
