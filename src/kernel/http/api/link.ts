/** The Link header of lists, until April 2027 (spec: Pagination and sorting rules). */

export interface PageNumbers {
  readonly previous_page: number | null
  readonly next_page: number | null
  readonly last_page: number | null
}

/** Links to the previous, next and last page of the list at `url`, as far as they exist. */
export function linkHeader(origin: string, url: string, pages: PageNumbers): string | undefined {
  const { previous_page, next_page, last_page } = pages
  if (previous_page === null && next_page === null && last_page === null) return undefined
  const { pathname, search } = new URL(url, 'http://localhost')
  const params = new URLSearchParams(search)
  const to = (page: number | null, rel: string) => {
    if (page === null) return []
    params.set('page', String(page))
    return [`<${origin}${pathname}?${params}>; rel="${rel}"`]
  }
  return [...to(previous_page, 'prev'), ...to(next_page, 'next'), ...to(last_page, 'last')].join(', ')
}
