/** The Link header of lists, until April 2027 (spec: Pagination and sorting rules). */

import { remembering } from '../../process/remembered.ts'

export interface PageNumbers {
  readonly previous_page: number | null
  readonly next_page: number | null
  readonly last_page: number | null
}

/** The path and the query of a page, given with its number before the URL of another one. */
const pathOfPage = remembering((numberAndUrl: string) => {
  const end = numberAndUrl.indexOf(' ')
  const { pathname, searchParams } = new URL(numberAndUrl.slice(end + 1), 'http://localhost')
  searchParams.set('page', numberAndUrl.slice(0, end))
  return `${pathname}?${searchParams}`
})

/** Links to the previous, next and last page of the list at `url`, as far as they exist. */
export function linkHeader(origin: string, url: string, pages: PageNumbers): string | undefined {
  const { previous_page, next_page, last_page } = pages
  if (previous_page === null && next_page === null && last_page === null) return undefined
  const to = (page: number | null, rel: string) =>
    page === null ? [] : [`<${origin}${pathOfPage(`${page} ${url}`)}>; rel="${rel}"`]
  return [...to(previous_page, 'prev'), ...to(next_page, 'next'), ...to(last_page, 'last')].join(', ')
}
