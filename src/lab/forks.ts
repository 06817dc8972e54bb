/**
 * Forks of a cloud: each begins as the cloud is at that moment, with the same ids and tokens, answers at an address of
 * its own, and goes its own way from then on. It ends by itself after a while.
 */
import type { Duplex } from 'node:stream'
import { ApiError, limitExceeded, notFound } from '../kernel/errors.ts'
import type { Logger } from '../kernel/process/log.ts'
import type { ListenAddress } from '../protocols/net/listen-address.ts'

/** A cloud as those in the same process reach it, without a network. */
export interface LocalCloud {
  /** Answers the requests of a connection. */
  connect(connection: Duplex): void
  /** Errors: `not_found`. */
  fork(id: number): LocalCloud
}

/** A fork that answers. */
export interface OpenedFork {
  readonly local: LocalCloud
  /** Its base URL. */
  readonly url: string
  serveDns(at: ListenAddress): Promise<ListenAddress>
  close(): Promise<void>
}

export interface Fork {
  readonly id: number
  readonly url: string
  readonly dns: ListenAddress | null
  /** Milliseconds since the epoch, of the machine's clock. */
  readonly createdMs: number
  readonly endsMs: number
}

interface Kept extends Fork {
  readonly opened: OpenedFork
  readonly timer: NodeJS.Timeout
}

export interface ForksOptions {
  /** Opens one that begins as the cloud is now. */
  open(): Promise<OpenedFork>
  readonly log: Pick<Logger, 'error'>
}

/** The most forks that a cloud has at the same time. */
const mostForks = 1_000

export class Forks {
  readonly #open: ForksOptions['open']
  readonly #log: ForksOptions['log']
  readonly #kept = new Map<number, Kept>()
  #opening = 0
  #isClosed = false
  #made = 0

  constructor({ open, log }: ForksOptions) {
    this.#open = open
    this.#log = log
  }

  list(): readonly Fork[] {
    return [...this.#kept.values()]
  }

  /** Errors: `not_found`. */
  get(id: number): Fork {
    return this.#find(id)
  }

  /** Errors: `not_found`. */
  local(id: number): LocalCloud {
    return this.#find(id).opened.local
  }

  /** Makes a fork that ends after `ttlMs`. Errors: `resource_limit_exceeded`. */
  async make({ ttlMs, hasDns }: { readonly ttlMs: number; readonly hasDns: boolean }): Promise<Fork> {
    if (this.#kept.size + this.#opening >= mostForks)
      throw limitExceeded('fork_limit', `a cloud cannot have more than ${mostForks} forks`)
    this.#opening++
    try {
      const opened = await this.#open()
      try {
        const dns = hasDns ? await opened.serveDns({ host: '127.0.0.1', port: 0 }) : null
        if (this.#isClosed) throw new ApiError('unavailable', 'the cloud has ended')
        return this.#keep(opened, dns, ttlMs)
      } catch (error) {
        await opened.close()
        throw error
      }
    } finally {
      this.#opening--
    }
  }

  /** Errors: `not_found`. */
  async end(id: number): Promise<void> {
    const { timer, opened } = this.#find(id)
    clearTimeout(timer)
    this.#kept.delete(id)
    await opened.close()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#kept.keys()].map((id) => this.end(id)))
  }

  #keep(opened: OpenedFork, dns: ListenAddress | null, ttlMs: number): Fork {
    const id = ++this.#made
    const createdMs = Date.now()
    const timer = setTimeout(() => void this.#expire(id), ttlMs).unref()
    const fork = { id, url: opened.url, dns, createdMs, endsMs: createdMs + ttlMs, opened, timer }
    this.#kept.set(id, fork)
    return fork
  }

  /** Never rejects: nobody waits for the end of a fork whose time is over. */
  async #expire(id: number): Promise<void> {
    try {
      await this.end(id)
    } catch (err) {
      this.#log.error({ err, fork: id }, 'a fork whose time was over did not end cleanly')
    }
  }

  #find(id: number): Kept {
    const fork = this.#kept.get(id)
    if (!fork) throw notFound('fork', id)
    return fork
  }
}
