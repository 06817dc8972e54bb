/** The Link header of lists, until April 2027 (spec: Pagination and sorting rules). */

export interface PageNumbers {
  readonly previous_page: number | null
  readonly next_page: number | null
  readonly last_page: number | null
}

/** Links to the previous, next and last page of the list at `url`, as far as they exist. */
export function linkHeader(origin: string, url: string, pages: PageNumbers): string | undefined {
  const to = (page: number | null, rel: string) => {
    if (page === null) return []
    const target = new URL(url, 'http://localhost')
    target.searchParams.set('page', String(page))
    return [`<${origin}${target.pathname}${target.search}>; rel="${rel}"`]
  }
  const { previous_page, next_page, last_page } = pages
  const links = [...to(previous_page, 'prev'), ...to(next_page, 'next'), ...to(last_page, 'last')]
  return links.length > 0 ? links.join(', ') : undefined
}
