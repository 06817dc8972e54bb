/** Lists of values as one value of a statement, in the binary form of PostgreSQL's arrays, which neither side has to quote. */

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

/** The numbers of the types in every PostgreSQL. */
const numbers = { bigint: 20, text: 25 } as const
/** One dimension, whether there are nulls, the type, the number of elements, and the index of the first one. */
const headBytes = 20
const upper = 2 ** 32

/** The list, which is not empty; its values must have a type (`typeOf`) other than `null`. */
export function listOf(values: readonly unknown[]): Buffer {
  let size = headBytes
  let isText = false
  for (const value of values) {
    size += 4
    if (typeof value === 'number') size += 8
    else if (typeof value === 'string') {
      isText = true
      size += Buffer.byteLength(value)
    }
  }
  const list = Buffer.allocUnsafe(size)
  list.writeInt32BE(1)
  list.writeInt32BE(values.includes(null) ? 1 : 0, 4)
  list.writeInt32BE(isText ? numbers.text : numbers.bigint, 8)
  list.writeInt32BE(values.length, 12)
  list.writeInt32BE(1, 16)
  let end = headBytes
  for (const value of values) end = writeElement(list, value, end)
  return list
}

/** Writes its length and its bytes; a length of -1 is a null. Returns where it ends. */
function writeElement(list: Buffer, value: unknown, from: number): number {
  const at = from + 4
  if (typeof value === 'string') {
    const length = list.write(value, at)
    list.writeInt32BE(length, from)
    return at + length
  }
  if (typeof value !== 'number') return list.writeInt32BE(-1, from)
  list.writeInt32BE(8, from)
  list.writeInt32BE(Math.floor(value / upper), at)
  return list.writeUInt32BE(value >>> 0, at + 4)
}
