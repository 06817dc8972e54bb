/** Ids: integers of at most 52 bits (spec: Common types), drawn from one sequence for all resources. */

/** The first id is above 32 bits, so that a client that truncates ids fails on its first day. */
export const firstId = 10_000_000_000

/** The largest id; both databases and JSON represent all ids exactly. */
export const largestId = 2 ** 52 - 1

/** Parses an id from a path or a query; undefined when the text is not one. */
export function parseId(text: string): number | undefined {
  if (!/^[1-9]\d{0,15}$/.test(text)) return undefined
  const id = Number(text)
  return id <= largestId ? id : undefined
}
