/**
 * One connection to PostgreSQL. Statements of one unit are sent together and cost one round trip; repeated statements
 * are prepared. Several units may be in flight; they are executed in order.
 */
import type { QueryResult } from 'kysely'
import pg from 'pg'
import { databaseFailure } from './dialect.ts'
import type { Silence } from './silence.ts'

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  /** True when the first column of its rows is not one of theirs, but tells for which of some values they are. */
  readonly tellsOrigins?: boolean
}

export interface StatementResult extends QueryResult<unknown> {
  /** The command tag, such as `COMMIT`. A COMMIT after a failed statement returns `ROLLBACK`. */
  readonly command: string
  /** The first columns of the rows of a statement that tells origins. */
  readonly origins?: readonly number[]
}

/** The outcome of a unit: the results of the statements that were executed, and the error of the next one. */
export interface Outcome {
  readonly results: readonly StatementResult[]
  readonly error?: unknown
}

/** The internals of the driver's connection that are used here; its types omit them. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void }
  parse(statement: { name: string; text: string }): void
  bind(portal: { statement: string; values: readonly unknown[]; valueMapper: typeof toWire }): void
  describe(what: { type: 'P'; name: string }): void
  execute(portal: object): void
  close(what: { type: 'S'; name: string }): void
  query(text: string): void
  sync(): void
}

interface Field {
  readonly name: string
  /** Undefined for text columns, which need no parsing. */
  readonly parse: ((text: string) => unknown) | undefined
}

/** A prepared statement on the server. */
interface Prepared {
  readonly name: string
  /** Its result columns; undefined until the server has described them. */
  fields: readonly Field[] | undefined
  isSent: boolean
  isKnown: boolean
}

/** Counts how often a connection of a pool has met a schema that another process had changed. */
export interface SchemaChanges {
  count: number
}

/** The server keeps each prepared statement in the memory of each connection. */
const mostPrepared = 100
/** A long text lists many values and is rarely sent again. */
const longestPrepared = 4_000
const mostSeen = 1_000

interface ConnectionOptions {
  /** Allows prepared statements. */
  readonly prepares: boolean
  /** Called with every error of a statement. */
  readonly failed: (error: unknown) => void
  readonly changes: SchemaChanges
  /** Hears of each unit and of its answer. */
  readonly silence: Silence
  /** Names the server, and when it was started. */
  readonly server: string
}

export class Connection {
  /** Names the server, and when it was started. */
  readonly server: string
  readonly #client: pg.PoolClient
  readonly #prepares: boolean
  readonly #failed: (error: unknown) => void
  readonly #silence: Silence
  /** Statements by text, least recently used first. */
  readonly #prepared = new Map<string, Prepared>()
  readonly #seen = new Set<string>()
  readonly #changes: SchemaChanges
  /** The change after which its statements were prepared. */
  #preparedAfter: number
  #names = 0
  #forgotten: string[] = []
  #broken: unknown

  constructor(client: pg.PoolClient, { prepares, failed, changes, silence, server }: ConnectionOptions) {
    this.server = server
    this.#client = client
    this.#silence = silence
    this.#changes = changes
    this.#preparedAfter = changes.count
    this.#prepares = prepares
    this.#failed = failed
    client.once('end', () => {
      this.#broken ??= new Error('Connection terminated')
    })
  }

  /**
   * True once the connection broke or a statement timed out on it. Its state is then unknown: it answers nothing more
   * and must be closed.
   */
  get isBroken(): boolean {
    return this.#broken !== undefined
  }

  /** Marks a connection as broken. */
  abandon(cause: unknown): void {
    this.#broken ??= cause
  }

  /** Executes statements in order up to the first failure; later statements are not started. Never rejects. */
  send(statements: readonly Statement[]): Promise<Outcome> {
    if (this.#broken) return Promise.resolve({ results: [], error: this.#broken })
    return new Promise((resolve) => {
      const asked = this.#silence.begin()
      const unit: Unit = new Unit(
        statements,
        (wire) => this.#write(wire, statements),
        (error) => {
          this.#silence.end(asked)
          resolve(error ? this.#judge(unit, error) : { results: unit.results })
        },
      )
      this.#client.query(unit)
    })
  }

  #write(wire: Wire, statements: readonly Statement[]): (Prepared | undefined)[] {
    const [first] = statements
    if (first && isScript(first)) {
      wire.query(first.text)
      return []
    }
    wire.stream.cork()
    this.#forgetBefore(this.#changes.count)
    for (const name of this.#forgotten.splice(0)) wire.close({ type: 'S', name })
    const used = statements.map((statement) => this.#writeStatement(wire, statement))
    wire.sync()
    wire.stream.uncork()
    return used
  }

  #writeStatement(wire: Wire, { text, values }: Statement): Prepared | undefined {
    const prepared = this.#prepare(text)
    const name = prepared?.name ?? ''
    if (!prepared?.isSent) wire.parse({ name, text })
    if (prepared) prepared.isSent = true
    wire.bind({ statement: name, values, valueMapper: toWire })
    if (!prepared?.fields) wire.describe({ type: 'P', name: '' })
    wire.execute({})
    return prepared
  }

  /** Prepares a statement when its text comes a second time. */
  #prepare(text: string): Prepared | undefined {
    const known = this.#prepared.get(text)
    if (known) {
      this.#prepared.delete(text)
      this.#prepared.set(text, known)
      return known
    }
    if (!this.#prepares || text.length > longestPrepared) return undefined
    if (!this.#seen.delete(text)) {
      if (this.#seen.size >= mostSeen) this.#seen.clear()
      this.#seen.add(text)
      return undefined
    }
    const [oldest] = this.#prepared
    if (oldest && this.#prepared.size >= mostPrepared) this.#forget(...oldest)
    // Named after the statement's first word, for operators who look at the server.
    const name = `${/^\s*(\w+)/.exec(text)?.[1] ?? 's'}_${++this.#names}`
    const made: Prepared = { name, fields: undefined, isSent: false, isKnown: false }
    this.#prepared.set(text, made)
    return made
  }

  /** The server ignores closing an unknown statement, so there is no need to check. */
  #forget(text: string, prepared: Prepared): void {
    if (this.#prepared.get(text) === prepared) this.#prepared.delete(text)
    this.#forgotten.push(prepared.name)
  }

  /** A change of the schema spoils statements on all connections: a transaction must not meet one after the other. */
  #forgetBefore(change: number): void {
    if (change === this.#preparedAfter) return
    this.#preparedAfter = change
    for (const [text, prepared] of this.#prepared) this.#forget(text, prepared)
  }

  #judge(unit: Unit, error: unknown): Outcome {
    this.#failed(error)
    const stale = databaseFailure(error)?.kind === 'stale'
    if (stale) this.#changes.count++
    for (const [text, prepared] of this.#prepared) {
      if (unit.used.includes(prepared) && (stale || !prepared.isKnown)) this.#forget(text, prepared)
    }
    // An error that the server reports leaves the connection usable.
    const kind = databaseFailure(error)?.kind
    const isReported = error instanceof Error && 'severity' in error
    if (!isReported || kind === 'unavailable' || kind === 'timeout') this.#broken ??= error
    return { results: unit.results, error }
  }
}

/**
 * Several statements in one text, as migrations have them. The server accepts those only through the simple protocol.
 */
export function isScript({ text, values }: Statement): boolean {
  return values.length === 0 && text.includes(';')
}

type Write = (wire: Wire) => readonly (Prepared | undefined)[]

/** The unit that the driver sends and gets replies for; it ends with the first error. */
class Unit {
  readonly results: StatementResult[] = []
  /** The prepared statement behind each statement, if any. */
  used: readonly (Prepared | undefined)[] = []
  readonly #statements: readonly Statement[]
  readonly #write: Write
  #fields: readonly Field[] | undefined
  #rows: unknown[] = []
  #origins: number[] | undefined
  /** The driver wraps this callback to implement its timeout. */
  callback: (error: unknown) => void

  constructor(statements: readonly Statement[], write: Write, settle: (error: unknown) => void) {
    this.#statements = statements
    this.#write = write
    this.callback = settle
  }

  submit(wire: unknown): void {
    this.used = this.#write(wire as Wire)
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#fields = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }))
  }

  handleDataRow({ fields: texts }: { fields: readonly (string | null)[] }): void {
    const fields = this.#fields ?? this.used[this.results.length]?.fields ?? []
    const row: Record<string, unknown> = {}
    const first = this.#statements[this.results.length]?.tellsOrigins ? 1 : 0
    if (first === 1) {
      this.#origins ??= []
      this.#origins.push(Number(texts[0]))
    }
    for (let i = first; i < fields.length; i++) {
      const { name, parse } = fields[i]!
      const text = texts[i]!
      row[name] = text !== null && parse ? parse(text) : text
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { text: string }): void {
    const prepared = this.used[this.results.length]
    if (prepared) {
      prepared.isKnown = true
      prepared.fields ??= this.#fields ?? []
    }
    const result = toResult(text, this.#rows)
    this.results.push(this.#origins ? { ...result, origins: this.#origins } : result)
    this.#fields = undefined
    this.#rows = []
    this.#origins = undefined
  }

  handleEmptyQuery(): void {
    this.results.push(toResult('', []))
  }

  handleError(error: unknown): void {
    this.callback(error)
  }

  handleReadyForQuery(): void {
    this.callback(undefined)
  }
}

// The driver sends nothing but its own queries one behind another, whose constructor costs more than all that is done here.
Object.setPrototypeOf(Unit.prototype, pg.Query.prototype)

/** Parses a command tag such as `INSERT 0 5`. */
function toResult(tag: string, rows: unknown[]): StatementResult {
  const [command = '', ...counts] = tag.split(' ')
  const changes = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE'
  return changes ? { command, rows, numAffectedRows: BigInt(counts.at(-1)!) } : { command, rows }
}

/** Text needs no parsing. Ids have at most 52 bits, so a number represents int8 and numeric exactly. */
function parserOf(type: number): Field['parse'] {
  if (type === 25) return undefined
  return type === 20 || type === 1700 ? Number : pg.types.getTypeParser(type, 'text')
}

/** A value as it is sent: lists are binary, and all others are text. */
function toWire(value: unknown): string | Buffer | null {
  if (value === null || value === undefined || Buffer.isBuffer(value)) return value ?? null
  if (typeof value === 'object') throw new TypeError('a statement takes text, numbers, null and lists only')
  return String(value)
}
