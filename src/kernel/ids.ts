/** Identifiers: integers of at most 52 bits (spec: Common types), one sequence for everything that is created. */

/** New ids start here: above 32 bits, so that a client that cuts them off is found out on the first day. */
export const firstId = 10_000_000_000

/** No id is larger; both databases and JSON keep all of them exactly. */
export const largestId = 2 ** 52 - 1

/** Reads an id from a path or a query; undefined when the text is not one. */
export function parseId(text: string): number | undefined {
  if (!/^[1-9]\d{0,15}$/.test(text)) return undefined
  const id = Number(text)
  return id <= largestId ? id : undefined
}
