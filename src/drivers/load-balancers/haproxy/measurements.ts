/** What is known of one balancer's targets and traffic, kept on disk so that every process and every worker knows it. */
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { TargetHealth } from '../../../families/load-balancers/driver.ts'
import { sampleSeconds, TrafficHistory } from '../history.ts'
import { folderOf, readJson, replaceNote } from './configuration/files.ts'
import { failuresAmong, healthOfAll, type KnownFailures } from './health.ts'
import { type CheckRow, type Counters, sumCounters } from './statistics.ts'

/** Where it is read what the workers of one HAProxy know. Errors: one when it does not answer. */
export interface Source {
  /** What the worker that takes connections says of targets. */
  checks(): Promise<CheckRow[]>
  /** What each worker has counted so far, by process id. */
  counters(): Promise<Readonly<Record<string, Counters>>>
}

/** What the workers had counted at a time, by process id. */
interface LastSample {
  /** In seconds since the epoch. */
  readonly at: number
  readonly workers: Readonly<Record<string, Counters>>
}

/** How old an answer may be, in milliseconds. */
const cacheMs = 1_000
const none: Counters = { openConnections: 0, connections: 0, requests: 0, ingoing: 0, outgoing: 0 }

export class Measurements {
  readonly #directory: string
  readonly #id: number
  readonly #source: Source
  /** In seconds since the epoch. */
  #triedAt = 0
  #cached: { at: number; checks: Promise<CheckRow[]> } | undefined

  /** The notes are in the balancer's folder below the directory, which has to be there before something is noted. */
  constructor(directory: string, id: number, source: Source) {
    this.#directory = directory
    this.#id = id
    this.#source = source
  }

  #path(name: string): string {
    return join(folderOf(this.#directory, this.#id), name)
  }

  /** The traffic of before. Where nothing was written since, nothing flowed until the last sample. */
  history(): TrafficHistory {
    const history = new TrafficHistory(join(this.#directory, 'history'), this.#id)
    const last = this.lastSample()
    if (last) history.record(last.at, none)
    return history
  }

  /** Whether nobody has sampled it for so long that it is time, asked once for each attempt. */
  isDue(): boolean {
    const last = this.lastSample()
    // Workers that are about to end take their last counts with them, so they are asked more often.
    const seconds = last && Object.keys(last.workers).length > 1 ? 1 : sampleSeconds
    const now = Date.now() / 1_000
    if (now - Math.max(last?.at ?? 0, this.#triedAt) < seconds) return false
    this.#triedAt = now
    return true
  }

  /** What was counted last; undefined before the first sample. */
  lastSample(): LastSample | undefined {
    return readJson<LastSample>(this.#path('counters.json'))
  }

  /** The health of the targets. Errors: one when HAProxy does not answer. */
  async health(): Promise<TargetHealth[]> {
    const checks = await this.#checks()
    return healthOfAll(checks, this.#keepFailures(checks))
  }

  #checks(): Promise<CheckRow[]> {
    const now = performance.now()
    if (!this.#cached || now - this.#cached.at > cacheMs) {
      this.#cached = { at: now, checks: this.#source.checks() }
    }
    return this.#cached.checks
  }

  /** Asks again the next time. */
  forget(): void {
    this.#cached = undefined
  }

  #keepFailures(checks: readonly CheckRow[]): KnownFailures {
    const path = this.#path('failures.json')
    const known = readJson<KnownFailures>(path) ?? {}
    const failures = failuresAmong(checks, known)
    if (!isDeepStrictEqual(known, failures)) replaceNote(path, JSON.stringify(failures))
    return known
  }

  /** Remembers beyond a reload why targets are unhealthy now. Errors: one when HAProxy does not answer. */
  async keepFailures(): Promise<void> {
    this.forget()
    this.#keepFailures(await this.#checks())
  }

  /** Adds to the history what all workers have counted since the last sample. */
  async sample(): Promise<void> {
    const workers = await this.#source.counters()
    const at = Date.now() / 1_000
    const before = this.lastSample()?.workers ?? {}
    const increments = Object.entries(workers).map(([pid, counters]) => since(before[pid] ?? none, counters))
    this.history().record(at, sumCounters(increments))
    replaceNote(this.#path('counters.json'), JSON.stringify({ at, workers } satisfies LastSample))
  }

  remove(): void {
    this.forget()
    new TrafficHistory(join(this.#directory, 'history'), this.#id).remove()
  }
}

/** What was counted since before. A counter that shrank is one of another process with the same id. */
function since(before: Counters, now: Counters): Counters {
  const start = now.connections < before.connections ? none : before
  return {
    openConnections: now.openConnections,
    connections: now.connections - start.connections,
    requests: now.requests - start.requests,
    ingoing: now.ingoing - start.ingoing,
    outgoing: now.outgoing - start.outgoing,
  }
}
