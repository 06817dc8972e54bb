/** Findings about the requests of one caller, which are taken in one after the other. */
import type { Change } from '../../kernel/contract/changes.ts'
import { searchOf } from '../../kernel/contract/urls.ts'
import { lookAtFields } from './fields.ts'
import { Pages } from './pages.ts'
import { operationOf, type Recorded, type Said } from './recorded.ts'
import { Retries } from './retries.ts'
import { Tally } from './tally.ts'

interface Answered {
  readonly operation: string
  readonly status: number
  readonly code: string | null
}

interface Deprecated {
  readonly operation: string
  /** Null where the operation itself is deprecated. */
  readonly field: string | null
  readonly change: Change
  /** Null where it is deprecated and goes on. */
  readonly stopsMs: number | null
}

interface Unknown {
  readonly operation: string
  readonly field: string
  readonly place: 'body' | 'query'
}

/** The most different fields that are told of a caller: anybody can make up names. */
const mostUnknown = 1_000

export class Findings {
  readonly token: number | null
  readonly project: number | null
  readonly answers = new Tally<Answered>()
  readonly deprecated = new Tally<Deprecated>()
  readonly unknown = new Tally<Unknown>()
  readonly retries = new Retries()
  readonly pages = new Pages()
  requests = 0
  polls = 0
  throttled = 0
  /** The time of the first request that the limit would have refused, in milliseconds since the epoch. */
  throttledFrom: number | undefined

  constructor({ token, project }: Pick<Recorded, 'token' | 'project'>) {
    this.token = token
    this.project = project
  }

  /** Takes in a request after those before it. */
  add(
    recorded: Recorded,
    { isPolling, isAdmitted }: { readonly isPolling: boolean; readonly isAdmitted: boolean },
  ): void {
    this.requests++
    if (isPolling) this.polls++
    if (!isAdmitted) {
      this.throttled++
      this.throttledFrom ??= recorded.atMs
    }
    this.retries.add(recorded)
    this.pages.add(recorded)
  }

  /** Takes in what so many requests have said, whenever each of them was. */
  count(said: Said, count: number): void {
    const { status, code = null } = said
    const operation = operationOf(said)
    this.answers.add(`${operation} ${status} ${code}`, () => ({ operation, status, code }), count)
    this.#judge(said, operation, count)
  }

  /** Holds requests against the contract of their operation. */
  #judge({ endpoint, body, url }: Said, operation: string, count: number): void {
    if (!endpoint) return
    const { removedBy, removedWithout, deprecatedBy } = endpoint
    const note = (field: string | null, change: Change, stopsMs: number | null = change.fromMs) =>
      this.deprecated.add(`${operation} ${field} ${change.name}`, () => ({ operation, field, change, stopsMs }), count)
    if (removedBy) note(null, removedBy)
    if (deprecatedBy) note(null, deprecatedBy, null)
    if (removedWithout && !new URLSearchParams(searchOf(url)).has(removedWithout.param)) note(null, removedWithout.by)
    lookAtFields(endpoint, body, url, {
      ending: note,
      unknown: (given, place) => {
        const field = this.unknown.size < mostUnknown ? given.slice(0, 80) : '(others)'
        this.unknown.add(`${operation} ${place} ${field}`, () => ({ operation, field, place }), count)
      },
    })
  }
}
