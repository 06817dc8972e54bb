/** File servers that stay for a while after a request: WebDAV has a request for each file. */
import type { Account } from '../accounts.ts'
import { Files } from '../files.ts'
import { rest } from '../jail/starting.ts'

/** A file server waits so many milliseconds for the next request, or until its box has no room for another program. */
const idleMs = 15_000

interface PooledFiles {
  readonly account: Account
  readonly files: Promise<Files>
  users: number
  /** Ends the wait for the next request. */
  stopResting(): void
}

export class FilesPool {
  readonly #kept = new Map<string, PooledFiles>()

  /** Works on the files of an account. Errors: those of `Files.open` and of `work`. */
  async use<Result>(account: Account, work: (files: Files) => Promise<Result>): Promise<Result> {
    const kept = await this.#take(account)
    try {
      return await work(await kept.files)
    } finally {
      this.#leave(kept)
    }
  }

  /** Has the next request of an account get a file server of its own. */
  forget(username: string): void {
    const kept = this.#kept.get(username)
    this.#kept.delete(username)
    if (kept) this.#close(kept)
  }

  close(): void {
    for (const username of [...this.#kept.keys()]) this.forget(username)
  }

  /** Whoever takes one is a user of it from the moment on in which it is found, so that it does not end meanwhile. */
  async #take(account: Account): Promise<PooledFiles> {
    const { username } = account.state
    const known = this.#kept.get(username)
    // An account that was changed has another home, or other rights.
    if (known?.account === account) {
      this.#enter(known)
      if (await this.#isUsable(known)) return known
      if (this.#kept.get(username) === known) this.forget(username)
      this.#leave(known)
    } else this.forget(username)
    const newest = this.#kept.get(username)
    if (newest?.account === account) return this.#enter(newest)
    const kept = { account, files: Files.open(account), users: 0, stopResting: () => undefined }
    kept.files.catch(() => undefined)
    this.#kept.set(username, kept)
    return this.#enter(kept)
  }

  #enter(kept: PooledFiles): PooledFiles {
    kept.users++
    kept.stopResting()
    return kept
  }

  #leave(kept: PooledFiles): void {
    kept.users--
    if (this.#kept.get(kept.account.state.username) !== kept) this.#close(kept)
    else if (kept.users === 0) this.#rest(kept)
  }

  #rest(kept: PooledFiles): void {
    const { place, state } = kept.account
    const end = () => this.forget(state.username)
    const idle = setTimeout(end, idleMs).unref()
    const stay = rest(place.directory, async () => {
      end()
      await kept.files.then(({ ended }) => ended).catch(() => undefined)
    })
    kept.stopResting = () => {
      clearTimeout(idle)
      stay()
    }
  }

  async #isUsable({ files }: PooledFiles): Promise<boolean> {
    try {
      const opened = await files
      return opened.isOpen && (await opened.isAtHome())
    } catch {
      return false
    }
  }

  #close(kept: PooledFiles): void {
    kept.stopResting()
    if (kept.users > 0) return
    kept.files.then(
      (files) => files.close(),
      () => undefined,
    )
  }
}
