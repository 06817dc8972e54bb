/** The servers of PostgreSQL that a URL names. One of them takes writes; another one does after a fail-over. */
import pg from 'pg'
import { serverUrls } from './server-urls.ts'

/** A server that is another one's replica, where one that takes writes is looked for. */
class TakesNoWrites extends Error {
  /** As PostgreSQL refuses a write. */
  readonly code = '25006'
}

/** The servers of one URL, of which one is connected to. */
export class Servers {
  readonly #urls: readonly string[]
  #at = 0

  /** Errors: a `TypeError` for what is no URL. */
  constructor(url: string) {
    const urls = serverUrls(url)
    if (!urls) throw new TypeError('Invalid URL of PostgreSQL')
    this.#urls = urls
  }

  /** The URL of the server that is connected to. */
  get url(): string {
    return this.#urls[this.#at]!
  }

  get count(): number {
    return this.#urls.length
  }

  /** Goes on to the next server, unless somebody has gone on from this one before. */
  leave(url: string): void {
    if (url === this.url) this.#at = (this.#at + 1) % this.count
  }

  /** The class of clients that connect to the server which is its turn. */
  get clientClass(): typeof pg.Client {
    const servers = this
    return class extends pg.Client {
      constructor(options: pg.ClientConfig) {
        super({ ...options, connectionString: servers.url })
      }
    }
  }

  /** Errors: `TakesNoWrites` where there are several servers and this one is a replica, so that another one is tried. */
  async checkTakesWrites(client: pg.ClientBase): Promise<void> {
    if (this.count === 1) return
    const { rows } = await client.query('show transaction_read_only')
    if (rows[0].transaction_read_only === 'on') throw new TakesNoWrites('the server is a replica')
  }
}
