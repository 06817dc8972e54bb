/** The pages of a long list after its first one. */

const atOnce = 6

export async function furtherPages<P extends Page>(first: P, ask: (page: number) => Promise<P>): Promise<P[]> {
  const pages: P[] = []
  const last = first.meta?.pagination.last_page ?? null
  if (last !== null) {
    for (let page = 2; page <= last; page += atOnce) {
      const numbers = Array.from({ length: Math.min(atOnce, last - page + 1) }, (_, index) => page + index)
      pages.push(...(await Promise.all(numbers.map(ask))))
    }
    return pages
  }
  // Lists that do not count their entries only tell whether there are more.
  for (let next = first.meta?.pagination.next_page; next; next = pages.at(-1)?.meta?.pagination.next_page) {
    pages.push(await ask(next))
  }
  return pages
}

/** The pagination in the reply of a list. */
export interface Page {
  readonly meta?: { readonly pagination: { readonly last_page: number | null; readonly next_page: number | null } }
}
