/** File servers that stay for a while after a request: WebDAV has a request for each file. */
import type { Account } from '../accounts.ts'
import { Files } from '../files.ts'

/** A file server waits so many milliseconds for the next request. */
const idleMs = 15_000

interface PooledFiles {
  readonly account: Account
  readonly files: Promise<Files>
  users: number
  idle: NodeJS.Timeout | undefined
}

export class FilesPool {
  readonly #kept = new Map<string, PooledFiles>()

  /** Works on the files of an account. Errors: those of `Files.open` and of `work`. */
  async use<Result>(account: Account, work: (files: Files) => Promise<Result>): Promise<Result> {
    const { username } = account.state
    const kept = await this.#take(account)
    kept.users++
    clearTimeout(kept.idle)
    try {
      return await work(await kept.files)
    } finally {
      kept.users--
      if (this.#kept.get(username) !== kept) this.#close(kept)
      else if (kept.users === 0) kept.idle = setTimeout(() => this.forget(username), idleMs).unref()
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

  async #take(account: Account): Promise<PooledFiles> {
    const { username } = account.state
    const known = this.#kept.get(username)
    // An account that was changed has another home, or other rights.
    if (known && known.account === account && (await this.#isOpen(known))) return known
    if (known && this.#kept.get(username) === known) this.forget(username)
    const newest = this.#kept.get(username)
    if (newest && newest.account === account) return newest
    const kept: PooledFiles = { account, files: Files.open(account), users: 0, idle: undefined }
    kept.files.catch(() => undefined)
    this.#kept.set(username, kept)
    return kept
  }

  async #isOpen({ files }: PooledFiles): Promise<boolean> {
    try {
      return (await files).isOpen
    } catch {
      return false
    }
  }

  #close(kept: PooledFiles): void {
    clearTimeout(kept.idle)
    if (kept.users > 0) return
    kept.files.then(
      (files) => files.close(),
      () => undefined,
    )
  }
}
