/** Reaches files through a file server whose root they are, as everybody does who comes by the doors. */
import type { FileInfo, NamedFile } from '../../../families/storage-boxes/driver.ts'
import { DriverError } from '../../../kernel/actions/define.ts'
import type { Account } from '../doors/accounts.ts'
import { Files, type FileInfo as Found, isForbidden, isMissing } from '../doors/files.ts'
import { spaceWords } from '../doors/ledger.ts'
import { SftpError } from '../doors/sftp/client.ts'
import type { FilesPool } from '../doors/webdav/pool.ts'
import { inTheWay, noRoom, noSuchFile, outOfOrder, type Reach } from './reach.ts'

export class Confined implements Reach {
  readonly #account: Account
  readonly #pool: FilesPool

  constructor(account: Account, pool: FilesPool) {
    this.#account = account
    this.#pool = pool
  }

  look(path: string): Promise<FileInfo> {
    return this.#use(async (files) => infoOf(await files.lstat(path)))
  }

  list(path: string): Promise<readonly NamedFile[]> {
    return this.#use(async (files) => {
      const all: NamedFile[] = []
      for await (const some of files.list(path)) {
        for (const entry of some) all.push({ name: entry.name, ...infoOf(entry) })
      }
      return all.sort((a, b) => (a.name < b.name ? -1 : 1))
    })
  }

  /** Reads through a file server of its own, which may take long without being in anybody's way. */
  async *read(path: string, start: number, end: number): AsyncGenerator<Buffer> {
    const files = await Files.open(this.#account).catch((error: unknown) => {
      throw refusalOf(error)
    })
    try {
      yield* files.read(path, start, end)
    } catch (error) {
      throw refusalOf(error)
    } finally {
      files.close()
    }
  }

  async write(path: string, at: number, source: AsyncIterable<Buffer>): Promise<void> {
    // What comes from the client fails in words of its own.
    let failed: unknown
    const watched = async function* () {
      try {
        yield* source
      } catch (error) {
        failed = error
        throw error
      }
    }
    await this.#use(async (files) => {
      try {
        await files.write(path, watched(), { at, isThere: at > 0, isSynced: true })
      } catch (error) {
        if (failed !== undefined) throw failed
        throw isFailure(error) ? noRoom(error) : error
      }
    })
  }

  makeFolder(path: string): Promise<void> {
    return this.#use((files) => files.mkdir(path))
  }

  rename(from: string, to: string): Promise<void> {
    return this.#use((files) => files.renameDurably(from, to))
  }

  remove(path: string): Promise<void> {
    return this.#use((files) => files.removeAll(path))
  }

  removeFolder(path: string): Promise<void> {
    return this.#use((files) => files.rmdir(path))
  }

  async #use<T>(work: (files: Files) => Promise<T>): Promise<T> {
    try {
      return await this.#pool.use(this.#account, work)
    } catch (error) {
      throw refusalOf(error)
    }
  }
}

const infoOf = ({ kind, size, modified }: Found): FileInfo => ({ kind, size, modified: modified * 1_000 })

/** The file server has one word for whatever it has no word for, such as a disk or a box that is full. */
const isFailure = (error: unknown) => error instanceof SftpError && !isMissing(error) && !isForbidden(error)

function refusalOf(error: unknown): unknown {
  if (error instanceof DriverError) return error
  if (isMissing(error)) return noSuchFile(error)
  if (isForbidden(error)) return inTheWay('Its owner has forbidden this by its permissions.', error)
  if (error instanceof SftpError && error.message === spaceWords) return noRoom(error)
  if (error instanceof SftpError) return inTheWay('This is not possible here: something is in the way.', error)
  // The client's stream has thrown this itself, and its reader knows it.
  return (error as Error).name === 'AbortError' ? error : outOfOrder(error)
}
