/** Findings about the requests of one caller, which are taken in one after the other. */
import type { Change } from '../../kernel/contract/changes.ts'
import { searchOf } from '../../kernel/contract/urls.ts'
import type { EndingsOf } from './endings.ts'
import { lookAtFields } from './fields.ts'
import { Pages } from './pages.ts'
import { operationOf, type Recorded, type Said } from './recorded.ts'
import { Retries } from './retries.ts'
import { Tally } from './tally.ts'

interface Answered {
  readonly operation: string
  readonly status: number
  readonly code: string | null
  /** The faults that have hit it. */
  readonly injected: string | null
  /** A fault has kept the answer from the client. */
  readonly lost: boolean
}

interface Deprecated {
  readonly operation: string
  /** Null where the operation itself is deprecated. */
  readonly field: string | null
  /** What the field names in the catalogue. */
  readonly value: string | null
  /** The name of the dated change; null for what the catalogue deprecates. */
  readonly change: string | null
  readonly summary: string
  /** The time of its announcement, where that is known. */
  readonly sinceMs: number | null
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

  readonly #endingsOf: EndingsOf

  constructor({ token, project }: Pick<Recorded, 'token' | 'project'>, endingsOf: EndingsOf) {
    this.#endingsOf = endingsOf
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
    if (recorded.body !== undefined) this.#lookAtEntries(recorded)
  }

  /** Takes in what so many requests have said, whenever each of them was. */
  count(said: Said, count: number): void {
    const { status, code = null, injected = null, isLost: lost } = said
    const operation = operationOf(said)
    const answered = { operation, status, code, injected, lost }
    this.answers.add(`${operation} ${status} ${code} ${lost} ${injected}`, () => answered, count)
    this.#judge(said, operation, count)
  }

  /** Looks for deprecated entries of the catalogue that a body names. */
  #lookAtEntries({ method, endpoint, body, atMs }: Recorded): void {
    if (!endpoint) return
    const operation = operationOf({ method, endpoint })
    for (const { field, title, name: value, sinceMs, stopsMs } of this.#endingsOf(endpoint, body, atMs)) {
      const summary = `the ${title} ${value} is deprecated`
      const noted = { operation, field, value, change: null, summary, sinceMs, stopsMs }
      // A type may end on other days in other locations.
      this.deprecated.add(`${operation} ${field} ${value} ${stopsMs} ${sinceMs}`, () => noted)
    }
  }

  /** Holds requests against the contract of their operation. */
  #judge({ endpoint, body, url }: Said, operation: string, count: number): void {
    if (!endpoint) return
    const { removedBy, removedWithout, deprecatedBy } = endpoint
    const note = (field: string | null, { name: change, summary, fromMs }: Change, stopsMs: number | null = fromMs) => {
      const noted = { operation, field, value: null, change, summary, sinceMs: null, stopsMs }
      this.deprecated.add(`${operation} ${field} ${change}`, () => noted, count)
    }
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
