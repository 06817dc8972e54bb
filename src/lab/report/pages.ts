/** Lists whose next page nobody asked for. */
import { pathOf, searchOf } from '../../kernel/contract/urls.ts'
import { pathWithout, queryWithout, SecretNames } from './masks.ts'
import { operationOf, type Recorded } from './recorded.ts'

export interface Unfollowed {
  readonly operation: string
  /** The list as it was asked for, without its page. */
  readonly list: string
  readonly next_page: number
}

/** The most lists of a caller that are waited for. */
const mostWaiting = 1_000

export class Pages {
  readonly #waiting = new Map<string, Unfollowed>()

  add(recorded: Recorded): void {
    const { endpoint, nextPage, url, method } = recorded
    if (method !== 'GET' || !endpoint?.query?.page || recorded.status !== 200 || recorded.isLost) return
    const list = listAt(url, endpoint.query)
    const waiting = this.#waiting.get(list)
    if (nextPage !== undefined) {
      const operation = operationOf(recorded)
      // Whoever begins anew has still not read what comes after the page that was read last.
      if (!waiting || waiting.next_page <= nextPage) this.#note({ operation, list, next_page: nextPage })
    } else if (waiting) this.#waiting.delete(list)
  }

  #note(unfollowed: Unfollowed): void {
    this.#waiting.delete(unfollowed.list)
    this.#waiting.set(unfollowed.list, unfollowed)
    if (this.#waiting.size > mostWaiting) this.#waiting.delete(this.#waiting.keys().next().value as string)
  }

  list(): readonly Unfollowed[] {
    return [...this.#waiting.values()].sort((a, b) => (a.list < b.list ? -1 : 1))
  }
}

const secret = new SecretNames()

/** A list is the same whatever else was sent that nothing reads. */
function listAt(url: string, query: object): string {
  const params = new URLSearchParams(searchOf(url))
  for (const name of new Set(params.keys())) if (name === 'page' || !Object.hasOwn(query, name)) params.delete(name)
  params.sort()
  const search = queryWithout(params.toString(), secret)
    .map(({ text }) => text)
    .join('&')
  return pathWithout(pathOf(url)) + (search && `?${search}`)
}
