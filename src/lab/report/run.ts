/** A run: the requests between two moments, and what is found out about them. */
import { localLimiter } from '../../kernel/http/admission/rate-limit.ts'
import type { EndingsOf } from './endings.ts'
import { Findings } from './findings.ts'
import type { Recorded, Said } from './recorded.ts'
import type { Ring } from './ring.ts'
import { Actions, type Caller } from './waiting.ts'

/** Requests an hour of a Project that a public cloud admits. */
export const publicLimit = 3_600

/** A moment: by the clock of the lab in milliseconds since the epoch, and what there was before it. */
export interface Moment {
  readonly atMs: number
  /** The number of requests. */
  readonly count: number
  /** The number of events in the lives of resources. */
  readonly events: number
}

/** A report is about the requests of these; leaving one out means all. */
export interface Whose {
  readonly token?: number | undefined
  readonly project?: number | undefined
}

export function isOf(
  whose: Whose,
  { token, project }: { readonly token: number | null; readonly project: number | null },
) {
  return (whose.token ?? token) === token && (whose.project ?? project) === project
}

export class Run {
  readonly id: number
  readonly name: string
  readonly started: Moment
  readonly actions = new Actions()
  readonly #findings = new Map<Caller, Findings>()
  /** The limiter of a public cloud counts on, whether or not anything limits the Projects; it refuses nobody. */
  readonly #limiter = localLimiter(publicLimit, () => this.#atMs)
  readonly #endingsOf: EndingsOf
  #atMs = 0
  #ended: Moment | undefined
  /** The number of the next request to take in. */
  #next: number

  constructor(id: number, name: string, started: Moment, endingsOf: EndingsOf) {
    this.#endingsOf = endingsOf
    this.id = id
    this.name = name
    this.started = started
    this.#next = started.count
  }

  get ended(): Moment | undefined {
    return this.#ended
  }

  /** Ends it; one that has ended stays as it was. */
  end(moment: Moment): void {
    this.#ended ??= moment
  }

  /** Tells whether the event with a number is part of the run; the first one is 1. */
  hasEvent(number: number): boolean {
    return number > this.started.events && number <= (this.#ended?.events ?? Number.POSITIVE_INFINITY)
  }

  /** Tells whether the request with a number is part of the run; the first one is 0. */
  has(count: number): boolean {
    return count >= this.started.count && count < (this.#ended?.count ?? Number.POSITIVE_INFINITY)
  }

  /** Takes in the requests that it has not seen yet. `requests` begin with the number `first`. */
  takeIn(requests: Ring, first: number): void {
    const counts = new Map<Said, number>()
    for (; this.#next < first + requests.length && this.has(this.#next); this.#next++) {
      const said = requests.said(this.#next - first)
      counts.set(said, (counts.get(said) ?? 0) + 1)
      this.#add(requests.at(this.#next - first))
    }
    for (const [said, count] of counts) this.#findings.get(said.token)!.count(said, count)
  }

  /** Returns the findings about the callers that a report is about, each with its key. */
  findings(whose: Whose): (readonly [caller: Caller, Findings])[] {
    return [...this.#findings].filter(([, findings]) => isOf(whose, findings))
  }

  #meet(recorded: Recorded): Findings {
    const findings = new Findings(recorded, this.#endingsOf)
    this.#findings.set(recorded.token, findings)
    return findings
  }

  #add(recorded: Recorded): void {
    const caller = recorded.token
    const findings = this.#findings.get(caller) ?? this.#meet(recorded)
    const isPolling = this.actions.add(recorded, caller)
    this.#atMs = Math.max(this.#atMs, recorded.atMs)
    const { project } = recorded
    const isAdmitted = project === null || (this.#limiter.take(String(project)) as { admitted: boolean }).admitted
    findings.add(recorded, { isPolling, isAdmitted })
  }
}
