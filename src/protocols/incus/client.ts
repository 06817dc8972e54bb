/**
 * A client of the REST interface of Incus, at one daemon or at the members of a cluster: the first that answers is asked.
 * Every call has a deadline, and what runs on in Incus is waited for. Texts of Incus are never interpreted: they are the
 * causes of errors, for the log.
 */
import type { Readable } from 'node:stream'
import type { WebSocket } from 'ws'
import { DriverError } from '../driver-error.ts'
import { type Answer, type Body, type Endpoint, Transport, Unreachable } from './transport.ts'

/** Told how much of some work is done, from 0 to 1. */
export type Progress = (share: number) => void

/** The value that was found at a path, and the mark with which a change asks that it is still the same. */
export interface Found<T> {
  readonly value: T
  readonly etag: string | undefined
}

/** Work that runs on in Incus after it was asked for. */
export interface Operation {
  readonly id: string
  readonly class: 'task' | 'websocket' | 'token'
  /** The kind of work, in words that do not change. */
  readonly description: string
  readonly status_code: number
  readonly resources: Readonly<Record<string, readonly string[]>> | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly err: string
  readonly location: string
}

export interface ChangeOptions {
  /** The change happens only while what is there has this mark. Errors: an `IncusError` with status 412 otherwise. */
  readonly etag?: string | undefined
  /** The member that is to do it; Incus chooses one otherwise. */
  readonly target?: string | undefined
  readonly report?: Progress | undefined
  /** It may take so long, in milliseconds, with what runs on. */
  readonly timeoutMs?: number
}

/** A body of so many bytes, which is opened as often as it is sent. */
export interface Upload {
  readonly type: string
  readonly bytes: number
  open(): Readable
}

/** The type of what is written into an instance, and who may read it (`0600`: root alone). */
export interface FileOptions {
  readonly type?: 'file' | 'directory' | 'symlink'
  readonly mode?: string
}

/** Incus answered, and refused. Status 400 and 403 are permanent; everything else may succeed later. */
export class IncusError extends DriverError {
  readonly status: number

  constructor(status: number, what: string, text: string) {
    super(`The hosts refused ${what} (${status})`, {
      transient: ![400, 403].includes(status),
      cause: new Error(text),
    })
    this.status = status
  }
}

/** Work goes on, and nobody waits for it any longer. */
export class TooLong extends DriverError {
  constructor(what: string) {
    super(`The hosts take too long for ${what}`, { transient: true })
  }
}

/** A call may take so long that only reads or writes records, in milliseconds. */
const shortMs = 15_000
/** Work may take so long that copies a disk. */
const longMs = 900_000
/** The number of bytes that are read of a file in a guest. */
const mostFileBytes = 1_048_576
/** The seconds between two looks at the progress of work, and those for which one call waits for its end. */
const progressS = 1
const waitS = 20
const running = [100, 103, 105, 106, 107, 108]
const succeeded = 200

export class Incus {
  readonly #transports: readonly Transport[]
  readonly #endpoints: readonly Endpoint[]
  #first = 0

  constructor(endpoints: readonly Endpoint[]) {
    this.#endpoints = endpoints
    this.#transports = endpoints.map((endpoint) => new Transport(endpoint))
  }

  /** Reads what is at a path; undefined when there is nothing. Errors: `DriverError`. */
  async get<T>(path: string): Promise<Found<T> | undefined> {
    const answer = await this.#send('GET', path)
    if (answer.status === 404) return undefined
    return { value: reply(answer, `GET ${path}`).metadata as T, etag: answer.etag }
  }

  /** Reads a collection, whole entries with `recursion=1` in the path. Errors: `DriverError`. */
  async list<T>(path: string): Promise<readonly T[]> {
    return (await this.get<readonly T[] | null>(path))?.value ?? []
  }

  /** Reads text, such as measurements or a file. Errors: `DriverError`. */
  async text(path: string): Promise<string> {
    const answer = await this.#send('GET', path)
    if (answer.status !== 200) throw new IncusError(answer.status, `GET ${path}`, answer.text)
    return answer.text
  }

  /**
   * Changes something and waits until that is done; answers what Incus says of it. Errors: `IncusError` when it refuses or
   * fails, another transient `DriverError` when the end is not known in time.
   */
  async change(method: string, path: string, body?: unknown, options: ChangeOptions = {}): Promise<unknown> {
    const { operation, metadata } = await this.begin(method, path, body, options)
    if (!operation) return metadata
    return (await this.wait(operation.id, `${method} ${path}`, options)).metadata
  }

  /** Begins a change, and answers without waiting: with the work that it began, or with what is already done. */
  async begin(method: string, path: string, body?: unknown, options: ChangeOptions = {}): Promise<Begun> {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const answer = await this.#send(method, withTarget(path, options.target), text, {
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.etag === undefined ? {} : { 'if-match': options.etag }),
    })
    const { type, metadata } = reply(answer, `${method} ${path}`)
    return type === 'async'
      ? { operation: metadata as Operation, metadata: undefined }
      : { operation: undefined, metadata }
  }

  /** Sends what need not fit into memory, and waits as `change` does for what comes of it. Errors: those of `change`. */
  async upload(path: string, { type, bytes, open }: Upload): Promise<unknown> {
    const headers = { 'content-type': type, 'content-length': String(bytes) }
    const { type: how, metadata } = reply(await this.#send('POST', path, open, headers, longMs), `POST ${path}`)
    return how === 'async' ? (await this.wait((metadata as Operation).id, `POST ${path}`)).metadata : metadata
  }

  /**
   * Reads the beginning of a file of an instance, whose owner may have made it endless; undefined when there is none.
   * Errors: `DriverError`.
   */
  async file(path: string): Promise<string | undefined> {
    const answer = await this.#send('GET', path, undefined, {}, shortMs, mostFileBytes)
    if (answer.status === 404) return undefined
    if (answer.status !== 200) reply(answer, `GET ${path}`)
    return answer.text
  }

  /**
   * Writes a file of root into an instance, whether it runs or not. A folder has no content, and that of a link is where it
   * leads. Errors: `DriverError`.
   */
  async putFile(path: string, content: string, { type = 'file', mode = '0600' }: FileOptions = {}): Promise<void> {
    const owner = { 'x-incus-uid': '0', 'x-incus-gid': '0', 'x-incus-mode': mode }
    const headers = { ...owner, 'x-incus-type': type, 'x-incus-write': 'overwrite' }
    reply(
      await this.#send('POST', path, content, { ...headers, 'content-type': 'application/octet-stream' }),
      `POST ${path}`,
    )
  }

  /** Waits for the end of work that was begun, by whomever. Errors: those of `change`. */
  async wait(id: string, what: string, { report, timeoutMs = longMs }: ChangeOptions = {}): Promise<Operation> {
    const until = performance.now() + timeoutMs
    const seconds = report ? progressS : waitS
    for (;;) {
      const answer = await this.#send(
        'GET',
        `/1.0/operations/${id}/wait?timeout=${seconds}`,
        undefined,
        {},
        (seconds + 15) * 1_000,
      )
      const done = parsed(answer)
      // An error is the end of the wait or of the work: the work itself tells which.
      const operation =
        done.type === 'error'
          ? (await this.get<Operation>(`/1.0/operations/${id}`))?.value
          : (done.metadata as Operation)
      if (!operation) throw new IncusError(done.error_code ?? 404, what, done.error ?? 'the operation is gone')
      if (operation.status_code === succeeded) return operation
      if (!running.includes(operation.status_code)) throw new IncusError(500, what, operation.err)
      if (performance.now() > until) throw new TooLong(what)
      tellProgress(operation, report)
    }
  }

  /** Opens a WebSocket. Errors: a transient `DriverError` when it cannot be opened in time. */
  async webSocket(path: string): Promise<WebSocket> {
    const { WebSocket } = await import('ws')
    const transport = this.#transports[this.#first]!
    const { address, options } = transport.webSocket(path)
    const socket = new WebSocket(address, { ...options, handshakeTimeout: shortMs })
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(socket))
      socket.once('error', (error) => reject(new Unreachable(transport.name, error)))
    })
  }

  /**
   * A client of one member, by its URL: it does what it has itself without a copy on the way. Undefined over a unix socket.
   */
  atMember(url: string): Incus | undefined {
    const endpoint = this.#endpoints.find((one) => 'url' in one)
    return endpoint && new Incus([{ ...endpoint, url }])
  }

  close(): void {
    for (const transport of this.#transports) transport.close()
  }

  /**
   * Asks the daemon that answered last; reads ask the others as well when it does not, and so does everything from then on.
   */
  async #send(
    method: string,
    path: string,
    body?: Body,
    headers: Readonly<Record<string, string>> = {},
    timeoutMs = shortMs,
    mostBytes?: number,
  ): Promise<Answer> {
    const first = this.#first
    const failures: Unreachable[] = []
    for (;;) {
      const asked = (first + failures.length) % this.#transports.length
      try {
        return await this.#transports[asked]!.send(method, path, body, { headers, timeoutMs, mostBytes })
      } catch (error) {
        if (this.#first === asked) this.#first = (asked + 1) % this.#transports.length
        if (!(error instanceof Unreachable)) throw error
        failures.push(error)
        // A change may have happened.
        if (method !== 'GET' || failures.length === this.#transports.length) throw Unreachable.all(failures)
      }
    }
  }
}

/** A change that was taken: the work that it began, or what Incus answered at once. */
export interface Begun {
  readonly operation: Operation | undefined
  readonly metadata: unknown
}

interface Reply {
  readonly type: 'sync' | 'async' | 'error'
  readonly metadata: unknown
  readonly error?: string
  readonly error_code?: number
}

function parsed({ status, text }: Answer): Reply {
  try {
    return JSON.parse(text) as Reply
  } catch (cause) {
    throw new DriverError(`The hosts answer with status ${status} and no JSON`, { transient: true, cause })
  }
}

function reply(answer: Answer, what: string): Reply {
  const said = parsed(answer)
  if (said.type === 'error') throw new IncusError(said.error_code ?? answer.status, what, said.error ?? '')
  return said
}

function withTarget(path: string, target: string | undefined): string {
  if (target === undefined) return path
  return `${path}${path.includes('?') ? '&' : '?'}target=${encodeURIComponent(target)}`
}

/** Incus counts from 0 to 100 for each stage of its work, of which most have one. */
function tellProgress({ metadata }: Operation, report: Progress | undefined): void {
  const percent = Number((metadata?.progress as { percent?: string } | undefined)?.percent)
  if (Number.isFinite(percent)) report?.(Math.min(1, Math.max(0, percent / 100)))
}
