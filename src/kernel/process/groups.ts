/** Work on many that is done on a few at a time. */

/** Does `work` on all, on so many `together`. Errors: the first one of a group, after which nothing more is begun. */
export async function inGroups<T>(all: readonly T[], together: number, work: (one: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += together) await Promise.all(all.slice(from, from + together).map(work))
}
