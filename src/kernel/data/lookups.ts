/** Look-ups on PostgreSQL: the one connection that they share, and how those of one turn become few statements. */
import type { QueryResult } from 'kysely'
import { onOwnBehalf, projectServed } from '../process/behalf.ts'
import { Rotation } from '../process/rotation.ts'
import type { ProjectId } from '../scope.ts'
import type { Connection } from './connection.ts'
import { unavailable } from './db.ts'
import { databaseFailure, type Run } from './dialect.ts'
import { type Gathered, gathered, type Lookup } from './gathered.ts'
import type { Connections, Lease } from './pool.ts'

/**
 * Not to wait for the disk is safe for drawn ids, because a transaction that uses them is durable only after they are. A
 * plan for keys that are not known yet is as good as any other, and is made once.
 */
const lookupSettings = 'set synchronous_commit = off; set plan_cache_mode = force_generic_plan'

/**
 * Units that may be under way. The server runs one after another, so what waits loses nothing and shares the next one; it
 * has the second one at hand while this process deals with the answers to the first.
 */
const mostUnderWay = 2
/** Look-ups of one unit, for which Projects take turns: who floods the installation with more delays nobody else. */
const mostInUnit = 64

/** A pending request for ids. */
interface Draw {
  readonly count: number
  resolve(ids: Promise<number[]>): void
}

/**
 * The connection shared by all lookups. Those of one turn of the event loop, and those that come while others are under
 * way, are one unit, which the server answers at once. None waits for locks or the disk, so none delays the others.
 */
export class Lookups {
  readonly #connections: Connections
  #lease: Promise<Lease> | undefined
  #wanted: Draw[] = []
  readonly #next = new Rotation<ProjectId | undefined, Lookup>()
  #isSoon = false
  #underWay = 0
  /** The texts that the server does not run for several: those are few, and all are the program's own. */
  readonly #apart = new Set<string>()

  constructor(connections: Connections) {
    this.#connections = connections
  }

  run(text: string, values: readonly unknown[]): Promise<QueryResult<unknown>> {
    return new Promise((resolve, reject) => {
      this.#next.add(projectServed(), { text, values, resolve, reject })
      this.#sendSoon()
    })
  }

  /** Sends everything at the end of this turn, or once there are fewer units under way. */
  #sendSoon(): void {
    if (this.#isSoon || this.#underWay >= mostUnderWay) return
    this.#isSoon = true
    setImmediate(() => {
      if (this.#wanted.length > 0) this.#drawAll(this.#wanted.splice(0))
      this.#isSoon = false
      this.#underWay++
      void this.#sendAll(this.#takeNext()).then(() => {
        this.#underWay--
        if (this.#next.size + this.#wanted.length > 0) this.#sendSoon()
      })
    })
  }

  #takeNext(): Lookup[] {
    const unit: Lookup[] = []
    while (unit.length < mostInUnit && this.#next.size > 0) unit.push(this.#next.take()!)
    return unit
  }

  /** Sends lookups in one unit. After a failed one the server skips the rest, so that is sent again. Never rejects. */
  async #sendAll(lookups: readonly Lookup[]): Promise<void> {
    try {
      const connection = await this.#connection()
      let stale: Gathered | undefined
      for (let left: readonly Gathered[] = gathered(lookups, this.#apart); left.length > 0; ) {
        const { results, error } = await connection.send(left.map(({ statement }) => statement))
        for (const [index, result] of results.entries()) left[index]!.resolve(result)
        left = left.slice(results.length)
        if (error === undefined) continue
        if (connection.isBroken) throw error
        const [failed, ...others] = left as readonly [Gathered, ...Gathered[]]
        // Repeated when its prepared statement was invalidated.
        if (databaseFailure(error)?.kind === 'stale' && failed !== stale) stale = failed
        else left = [...this.#afterFailure(failed, error), ...others]
      }
    } catch (error) {
      for (const { reject } of lookups) reject(error)
    }
  }

  #afterFailure(failed: Gathered, error: unknown): readonly Gathered[] {
    const { text, isForSeveral } = failed
    if (isForSeveral && cannotBeRun(error)) this.#apart.add(text)
    return failed.apart(error)
  }

  /** Ids greater than all ids drawn before the call. Requests of one turn of the event loop share a statement. */
  drawIds(count: number): Promise<number[]> {
    if (count === 0) return Promise.resolve([])
    const { promise, resolve } = Promise.withResolvers<number[]>()
    this.#wanted.push({ count, resolve })
    this.#sendSoon()
    return promise
  }

  async close(): Promise<void> {
    const lease = this.#lease
    this.#lease = undefined
    await lease?.then(
      ({ release }) => release(),
      () => undefined,
    )
  }

  #drawAll(wanted: readonly Draw[]): void {
    const total = wanted.reduce((sum, { count }) => sum + count, 0)
    // They are for everybody who waits for them.
    const drawn = onOwnBehalf(() => drawWith((text, values) => this.run(text, values), total))
    let next = 0
    for (const { count, resolve } of wanted) {
      const from = next
      next += count
      resolve(drawn.then((ids) => ids.slice(from, from + count)))
    }
  }

  async #connection(): Promise<Connection> {
    for (;;) {
      this.#lease ??= this.#open()
      const asked = this.#lease
      const lease = await asked.catch((error: unknown) => {
        if (this.#lease === asked) this.#lease = undefined
        throw unavailable(error)
      })
      if (!lease.connection.isBroken) return lease.connection
      if (this.#lease !== asked) continue
      this.#lease = undefined
      lease.release()
    }
  }

  async #open(): Promise<Lease> {
    const lease = await this.#connections.connect()
    await lease.connection.send([{ text: lookupSettings, values: [] }])
    return lease
  }
}

/** The server does not accept the statement, whatever its values are. */
function cannotBeRun(error: unknown): boolean {
  return error instanceof Error && /^42/.test((error as { code?: string }).code ?? '')
}

/** Draws ids by a statement of its own. */
export async function drawWith(run: Run, count: number): Promise<number[]> {
  const { rows } = await run(drawIds, [count])
  return (rows[0] as { ids: string }).ids.split(',').map(Number)
}

/** In one text, which costs both sides less than a row for each. */
const drawIds = "select string_agg(nextval('id_sequence')::text, ',') as ids from generate_series(1, $1::int)"
