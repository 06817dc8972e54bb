/**
 * A clustered OVSDB database: finds the member that leads, goes to another one when it is gone or leads no longer, and
 * tells a change that came too late from one that failed.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { DriverError } from '../driver-error.ts'
import type { ColumnOf, Condition, Operation, Part, RowOf, Select, TableOf, Value } from './rows.ts'
import { type OvnTls, Session, Unreachable } from './session.ts'

export interface DatabaseOptions {
  /** Members, each as `unix:PATH`, `tcp:HOST:PORT` or `ssl:HOST:PORT`. */
  readonly remotes: readonly string[]
  readonly tls?: OvnTls
  readonly name: string
  /** For each call, and for finding a member. */
  readonly timeoutMs?: number
  log?(message: string, error?: unknown): void
}

/** A row of a database whose schema does not matter. */
type Row = Readonly<Record<string, Value>>

/** The result of an operation of a transaction. */
export interface Outcome<R = unknown> {
  readonly rows?: readonly R[]
  readonly count?: number
  readonly error?: string
  readonly details?: string
}

/** Another writer was faster: what the transaction was decided on is no longer so. Nothing of it took place. */
export class Overtaken extends Error {}

/** The outcomes of operations, each with the rows that it reads. */
export type Outcomes<Operations extends readonly Operation[]> = {
  readonly [At in keyof Operations]: Operations[At] extends Select<infer R> ? Outcome<R> : Outcome
}

/** Rows by id; null for one that is gone. */
export type RowChanges<R> = ReadonlyMap<string, R | null>

export interface Monitor<Schema, Table extends TableOf<Schema>, Column extends ColumnOf<Schema, Table>> {
  readonly table: Table
  readonly columns: readonly Column[]
  /** Gets all rows at first, which replace those of a connection before. */
  readonly take: (changes: RowChanges<Part<Schema, Table, Column>>, isFirst: boolean) => void
}

/** A monitor of any table. */
interface AnyMonitor {
  readonly table: string
  readonly columns: readonly string[]
  take(changes: RowChanges<unknown>, isFirst: boolean): void
}

const defaultTimeoutMs = 10_000
const retryMs = { first: 50, most: 2_000 }
/** Failures of which another attempt, on rows that are read anew, may have another result. */
const overtaking = new Set(['timed out', 'constraint violation', 'referential integrity violation'])
/** Failures of a cluster that elects a leader. */
const passing = new Set(['not leader', 'cluster error', 'not owner', 'aborted', 'resources exhausted', 'I/O error'])

export class Database<Schema> {
  readonly #options: DatabaseOptions
  readonly #timeoutMs: number
  readonly #monitors = new Map<number, AnyMonitor>()
  #session: Promise<Session> | undefined
  #next = 0
  #followed = 0
  #isClosed = false

  constructor(options: DatabaseOptions) {
    this.#options = options
    this.#timeoutMs = options.timeoutMs ?? defaultTimeoutMs
  }

  /**
   * Runs operations as one transaction. Errors: `Overtaken`; a transient `DriverError` when no leader answers in time; a
   * permanent one when an operation is refused.
   */
  async transact<const Operations extends readonly Operation[]>(operations: Operations): Promise<Outcomes<Operations>> {
    const session = await this.#connected()
    const params = [this.#options.name, ...operations]
    const outcomes = ((await session.call('transact', params, this.#timeoutMs)) ?? []) as (Outcome | null)[]
    const failed = outcomes.find((outcome) => outcome?.error !== undefined)
    if (failed) throw this.#failure(session, failed)
    return outcomes.map((outcome) => outcome ?? {}) as unknown as Outcomes<Operations>
  }

  /** The rows that a table has, as some of its columns. Errors as `transact`. */
  async select<Table extends TableOf<Schema>, Column extends ColumnOf<Schema, Table>>(
    table: Table,
    where: readonly Condition<RowOf<Schema, Table>>[],
    columns: readonly Column[],
  ): Promise<readonly Part<Schema, Table, Column>[]> {
    const operation: Select<Part<Schema, Table, Column>> = { op: 'select', table, where, columns }
    const [outcome] = await this.transact([operation])
    return outcome.rows ?? []
  }

  /** Follows a table for as long as the database is open, over all connections. Resolves with the first rows. */
  async follow<Table extends TableOf<Schema>, Column extends ColumnOf<Schema, Table>>({
    table,
    columns,
    take,
  }: Monitor<Schema, Table, Column>): Promise<void> {
    const monitor = { table, columns, take } as AnyMonitor
    const session = await this.#connected()
    const id = ++this.#followed
    this.#monitors.set(id, monitor)
    try {
      await this.#watch(session, id, monitor)
    } catch (error) {
      this.#monitors.delete(id)
      throw error
    }
  }

  close(): void {
    this.#isClosed = true
    void this.#session?.then((session) => session.end()).catch(() => undefined)
  }

  #failure(session: Session, { error = '', details = '' }: Outcome): Error {
    const message = `OVN refuses a change: ${error} ${details}`.trim()
    if (overtaking.has(error)) return new Overtaken(message)
    if (!passing.has(error)) return new DriverError(message, { transient: false })
    session.end(new Error(message))
    return new DriverError(message, { transient: true })
  }

  #connected(): Promise<Session> {
    if (this.#isClosed) throw new Error("the connection to OVN's database is closed")
    this.#session ??= this.#connect()
    return this.#session
  }

  async #connect(): Promise<Session> {
    try {
      return await this.#resume(await this.#findLeader())
    } catch (error) {
      this.#session = undefined
      throw error
    }
  }

  /** Goes on with all that is followed. */
  async #resume(session: Session): Promise<Session> {
    try {
      for (const [id, monitor] of this.#monitors) await this.#watch(session, id, monitor)
    } catch (error) {
      session.end()
      throw error
    }
    void session.closed.then(() => this.#lose(session))
    return session
  }

  /** Rows that are followed must not grow old because nobody calls: a lost connection comes back by itself. */
  async #lose({ remote }: Session): Promise<void> {
    this.#session = undefined
    // Another member leads if this one is gone.
    this.#next++
    if (this.#isClosed) return
    this.#options.log?.(`lost the connection to OVN's database ${remote}`)
    while (this.#monitors.size > 0 && !this.#isClosed) {
      try {
        await this.#connected()
        return
      } catch (error) {
        if (!this.#isClosed) this.#options.log?.("OVN's database cannot be reached", error)
        await delay(retryMs.most, undefined, { ref: false })
      }
    }
  }

  /** The first member, from the one that led last, that leads. */
  async #findLeader(): Promise<Session> {
    const { remotes, tls } = this.#options
    const until = performance.now() + this.#timeoutMs
    for (let pause = retryMs.first; ; pause = longer(pause)) {
      const failures: unknown[] = []
      for (const _ of remotes) {
        const remote = remotes[this.#next % remotes.length]!
        try {
          return await this.#enter(await Session.open(remote, tls, this.#timeoutMs / 2))
        } catch (error) {
          failures.push(error)
          this.#next++
        }
      }
      if (performance.now() + pause > until || this.#isClosed) throw nobodyLeads(failures)
      await delay(pause)
    }
  }

  /** Goes on with a member that leads, for as long as it does. Errors: one for a member that does not lead. */
  async #enter(session: Session): Promise<Session> {
    const { name } = this.#options
    try {
      session.onNotification((method, params) => {
        if (method === 'update') this.#update(session, params)
      })
      const columns = { columns: ['name', 'model', 'leader'] }
      const state = await session.call('monitor', ['_Server', 'leader', { Database: [columns] }], this.#timeoutMs)
      if (this.#leads(state)) return session
      throw new DriverError(`OVN's database ${session.remote} has no leader of ${name} there`, { transient: true })
    } catch (error) {
      session.end()
      throw error
    }
  }

  /** Tells whether a member leads this database, by what it says of its databases. */
  #leads(state: unknown): boolean {
    const row = this.#ownRow(state as Tables)
    return row !== undefined && (row.model === 'standalone' || row.leader === true)
  }

  #ownRow({ Database: rows = {} }: Tables): Row | undefined {
    const present = Object.values(rows).flatMap(({ new: row }) => (row ? [row] : []))
    return present.find(({ name }) => name === this.#options.name)
  }

  async #watch(session: Session, id: number, monitor: AnyMonitor): Promise<void> {
    const { table, columns } = monitor
    const params = [this.#options.name, id, { [table]: [{ columns }] }]
    const state = (await session.call('monitor', params, this.#timeoutMs)) as Tables
    monitor.take(changesOf(state[table]), true)
  }

  #update(session: Session, [id, tables]: readonly unknown[]): void {
    if (id === 'leader') {
      const isOwn = this.#ownRow(tables as Tables) !== undefined
      if (isOwn && !this.#leads(tables)) session.end(new Error('it no longer leads'))
      return
    }
    const monitor = this.#monitors.get(id as number)
    if (monitor) monitor.take(changesOf((tables as Tables)[monitor.table]), false)
  }
}

/**
 * Why no member can be gone on with: one that refuses says so, and otherwise all that were tried say why they do not lead.
 */
function nobodyLeads(failures: readonly unknown[]): unknown {
  const refusal = failures.find((error) => !(error instanceof DriverError && error.transient))
  if (refusal !== undefined || failures.length === 1) return refusal ?? failures[0]
  const message = failures.map((error) => (error as Error).message).join('; ')
  return new Unreachable(message, { transient: true, cause: new AggregateError(failures) })
}

type Tables = Readonly<Record<string, Readonly<Record<string, { readonly new?: Row; readonly old?: Row }>>>>

function changesOf(table: Tables[string] = {}): RowChanges<Row> {
  return new Map(Object.entries(table).map(([id, { new: row }]) => [id, row ?? null]))
}

const longer = (pause: number) => Math.min(pause * 2, retryMs.most)
