/**
 * The files of an account as WebDAV, SCP, commands and the console see them: through a file server in its jail, so that no
 * path, link or race leads out, and writes count. Paths are those of SFTP; `/` is the home.
 */
import { lstat } from 'node:fs/promises'
import { posix } from 'node:path'
import { duplexPair, type Readable, type Writable } from 'node:stream'
import { type Account, homeOf, jailOf } from './accounts.ts'
import { begun } from './begun.ts'
import type { Prisoner } from './jail/confine.ts'
import { endSoon } from './jail/starting.ts'
import { isFull, quotaWords, spaceWords } from './ledger.ts'
import { SftpClient, SftpError } from './sftp/client.ts'
import { type Attributes, openFlags, statusCodes, types } from './sftp/packets.ts'
import { startFileServer } from './sftp/server.ts'
import { connectWatched } from './sftp/watched.ts'

type FileKind = 'file' | 'directory' | 'link' | 'other'

export interface FileInfo extends Attributes {
  readonly kind: FileKind
  readonly size: number
  readonly mode: number
  /** Times are seconds since the epoch. */
  readonly accessed: number
  readonly modified: number
}

export interface DirectoryEntry extends FileInfo {
  readonly name: string
}

/** Bytes of the file system below; those of a box are its ledger's. */
export interface Room {
  readonly total: number
  readonly free: number
}

export interface WriteOptions {
  readonly mode?: number
  /** The writing begins here in what is there; it replaces the file when this is undefined. */
  readonly at?: number | undefined
  /** There must be no such file yet. */
  readonly isNew?: boolean
  /** Whether there must be such a file already. */
  readonly isThere?: boolean
  /** Whether the bytes are on disk in the end. */
  readonly isSynced?: boolean
}

const kinds: ReadonlyMap<number, FileKind> = new Map([
  [0o100000, 'file'],
  [0o040000, 'directory'],
  [0o120000, 'link'],
])

function infoOf({ size = 0, mode = 0, accessed = 0, modified = 0, ...rest }: Attributes): FileInfo {
  return { ...rest, kind: kinds.get(mode & 0o170000) ?? 'other', size, mode: mode & 0o7777, accessed, modified }
}

/**
 * What is not open after so many milliseconds is a pipe that somebody has put in the place of a file. The server ends then, as
 * all others who share it wait as well. A disk that has much to write may take minutes for it.
 */
const openMs = 300_000
const piece = 64 * 1024
/** Requests for pieces of one file that are under way at a time. */
const ahead = 8

/** So many entries of a directory are worked on at once, or somewhat more. */
const pieceEntries = 2_000
const byName = (a: DirectoryEntry, b: DirectoryEntry) => (a.name < b.name ? -1 : 1)

const isCode = (error: unknown, code: number) => error instanceof SftpError && error.code === code
export const isMissing = (error: unknown): boolean => isCode(error, statusCodes.noSuchFile)
export const isForbidden = (error: unknown): boolean => isCode(error, statusCodes.permissionDenied)

export class Files {
  readonly #account: Account
  readonly #child: Prisoner['child']
  readonly #client: SftpClient
  readonly #requests: Writable
  /** Resolves when the file server has ended. */
  readonly ended: Promise<unknown>

  private constructor(account: Account, { child, ended }: Prisoner, answers: Readable, requests: Writable) {
    this.#account = account
    this.#child = child
    this.ended = ended
    this.#client = new SftpClient(answers, requests)
    this.#requests = requests
  }

  /** Starts a file server for an account. Errors: those of `startFileServer` and `begun`. */
  static async open(account: Account): Promise<Files> {
    const prisoner = await begun(await startFileServer(jailOf(account)), account)
    const { stdin, stdout } = prisoner
    const { ledger, directory } = account.place
    if (ledger === undefined) return new Files(account, prisoner, stdout, stdin)
    const [near, far] = duplexPair({ highWaterMark: piece * ahead })
    connectWatched(far, prisoner, { ledger, directory, isReadonly: account.state.isReadonly })
    stdout.once('close', () => near.destroy())
    return new Files(account, prisoner, near, near)
  }

  get isOpen(): boolean {
    return this.#client.isOpen
  }

  /** Whether its root still has the name of the home: who sees more of the box may have moved or removed that. */
  async isAtHome(): Promise<boolean> {
    const { place, state } = this.#account
    const home = homeOf(state)
    // Where nothing is confined, paths are followed anew each time. Whoever replaces the files of a box ends those who see all of it.
    if (place.isUnconfined || home === '') return true
    const paths = [`/proc/${this.#child.pid}/root/`, `${place.directory}/${home}`]
    const [root, named] = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)))
    return root !== undefined && root.ino === named?.ino && root.dev === named.dev
  }

  /** Lets the file server end when it has done what it was asked for. */
  close(): void {
    this.#requests.end()
    endSoon(this.#child)
  }

  async stat(path: string): Promise<FileInfo> {
    return infoOf((await this.#client.ask(types.stat, path)).body.attributes())
  }

  async lstat(path: string): Promise<FileInfo> {
    return infoOf((await this.#client.ask(types.lstat, path)).body.attributes())
  }

  /** The same; undefined where there is nothing. */
  async find(path: string): Promise<FileInfo | undefined> {
    try {
      return await this.stat(path)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  /** Lists a directory as the server does: in no order, some entries at a time, without `.` and `..`. */
  async *list(path: string): AsyncGenerator<DirectoryEntry[]> {
    const handle = await this.#handle(types.opendir, path)
    try {
      for (;;) {
        const { body } = await this.#client.ask(types.readdir, handle)
        const entries: DirectoryEntry[] = []
        for (let left = body.uint32(); left > 0; left--) {
          const name = body.text()
          body.bytes()
          const entry = { name, ...infoOf(body.attributes()) }
          if (name !== '.' && name !== '..') entries.push(entry)
        }
        yield entries
      }
    } catch (error) {
      if (!isCode(error, statusCodes.eof)) throw error
    } finally {
      await this.#close(handle)
    }
  }

  /**
   * The same in pieces of so many entries or somewhat more, each by name: all of a directory that has no more. Nothing is open
   * any more when the last one is looked at.
   */
  async *pieces(path: string, most = pieceEntries): AsyncGenerator<DirectoryEntry[]> {
    let piece: DirectoryEntry[] = []
    for await (const some of this.list(path)) {
      if (piece.length >= most) {
        yield piece.sort(byName)
        piece = []
      }
      piece.push(...some)
    }
    yield piece.sort(byName)
  }

  /** The bytes of a file from `start`, `end` excluded. */
  async *read(path: string, start = 0, end = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
    const handle = await this.#handle(types.open, path, openFlags.read, {})
    try {
      const pending: Promise<Buffer>[] = []
      let at = start
      const ask = () => {
        const length = Math.min(piece, end - at)
        const reply = this.#readAt(handle, at, length)
        reply.catch(() => undefined)
        at += length
        return reply
      }
      while (pending.length < ahead && at < end) pending.push(ask())
      for (let next = pending.shift(); next; next = pending.shift()) {
        const bytes = await next
        if (bytes.length === 0) return
        if (at < end) pending.push(ask())
        yield bytes
      }
    } finally {
      await this.#close(handle)
    }
  }

  /** The server may answer with less than was asked for. */
  async #readAt(handle: Buffer, at: number, length: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let got = 0; got < length; ) {
      try {
        const { body } = await this.#client.ask(types.read, handle, BigInt(at + got), length - got)
        const bytes = body.bytes()
        parts.push(bytes)
        got += bytes.length
      } catch (error) {
        if (isCode(error, statusCodes.eof)) break
        throw error
      }
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
  }

  /**
   * Writes a file from its beginning, or from `at` of what is there. Returns how many bytes there were. Errors: `SftpError`, with
   * `quotaWords` or `spaceWords` where there is no room for it.
   */
  async write(
    path: string,
    source: AsyncIterable<Buffer> | Iterable<Buffer>,
    { mode = 0o644, at, isNew = false, isThere = false, isSynced = false }: WriteOptions = {},
  ): Promise<number> {
    const { write, create, truncate, exclusive } = openFlags
    const ways = (isThere ? 0 : create) | (at === undefined ? truncate : 0) | (isNew ? exclusive : 0)
    const handle = await this.#handle(types.open, path, write | ways, { mode })
    let offset = at ?? 0
    const pending: Promise<void>[] = []
    try {
      for await (const bytes of source) {
        for (let start = 0; start < bytes.length; start += piece) {
          const part = bytes.subarray(start, start + piece)
          const written = this.#client.tell(types.write, handle, BigInt(offset), part)
          written.catch(() => undefined)
          pending.push(written)
          offset += part.length
          if (pending.length > ahead) await pending.shift()
        }
      }
      await Promise.all(pending)
      if (isSynced) await this.#client.tell(types.extended, 'fsync@openssh.com', handle)
    } catch (error) {
      throw isCode(error, statusCodes.failure) ? await this.#whyRefused(error as SftpError) : error
    } finally {
      await this.#close(handle)
    }
    return offset - (at ?? 0)
  }

  /** The server has no word for what is the reason in most cases why an open file takes no bytes. */
  async #whyRefused(error: SftpError): Promise<SftpError> {
    const found = await this.#orFull(error)
    return found === error && this.#account.place.ledger === undefined ? new SftpError(error.code, quotaWords) : found
  }

  /** The error itself, unless the disk is full. */
  async #orFull(error: SftpError): Promise<SftpError> {
    if (error.message === quotaWords) return error
    const { free } = await this.room('/')
    return isFull(free) ? new SftpError(error.code, spaceWords) : error
  }

  async mkdir(path: string, mode = 0o755): Promise<void> {
    try {
      await this.#client.tell(types.mkdir, path, { mode })
    } catch (error) {
      throw isCode(error, statusCodes.failure) ? await this.#orFull(error as SftpError) : error
    }
  }

  /** The same; the directory is on disk when this returns. */
  async mkdirDurably(path: string): Promise<void> {
    await this.mkdir(path)
    await this.syncFolder(posix.dirname(path))
  }

  /** Makes a directory with those above it; one that is there is enough. What is made is on disk when this returns. */
  async mkdirs(path: string): Promise<void> {
    const parts = path.split('/').filter((part) => part !== '')
    for (const depth of parts.keys()) {
      const folder = `${path.startsWith('/') ? '/' : ''}${parts.slice(0, depth + 1).join('/')}`
      if ((await this.find(folder))?.kind !== 'directory') await this.mkdirDurably(folder)
    }
  }

  /** Renames, in the place of a file that is there. */
  rename(from: string, to: string): Promise<void> {
    return this.#client.tell(types.extended, 'posix-rename@openssh.com', from, to)
  }

  /** The same; both names are on disk as they are when this returns, as far as `syncFolder` can see to it. */
  async renameDurably(from: string, to: string): Promise<void> {
    await this.rename(from, to)
    for (const folder of new Set([posix.dirname(to), posix.dirname(from)])) await this.syncFolder(folder)
  }

  /** Waits until the names in a directory are on disk, unless the owner forbids to read it. */
  async syncFolder(path: string): Promise<void> {
    try {
      await this.#sync(path)
    } catch (error) {
      if (!isForbidden(error)) throw error
    }
  }

  /** Waits until a file, or the names in a directory, are on disk. */
  async #sync(path: string): Promise<void> {
    const handle = await this.#handle(types.open, path, openFlags.read, {})
    try {
      await this.#client.tell(types.extended, 'fsync@openssh.com', handle)
    } finally {
      await this.#close(handle)
    }
  }

  symlink(target: string, path: string): Promise<void> {
    return this.#client.tell(types.symlink, target, path)
  }

  async readlink(path: string): Promise<string> {
    const { body } = await this.#client.ask(types.readlink, path)
    body.uint32()
    return body.text()
  }

  async realpath(path: string): Promise<string> {
    const { body } = await this.#client.ask(types.realpath, path)
    body.uint32()
    return body.text()
  }

  /** Removes a file or a link. */
  remove(path: string): Promise<void> {
    return this.#client.tell(types.remove, path)
  }

  rmdir(path: string): Promise<void> {
    return this.#client.tell(types.rmdir, path)
  }

  /** Removes whatever is there, with all that is in it; links are not followed. */
  async removeAll(path: string): Promise<void> {
    const { kind } = await this.lstat(path)
    if (kind !== 'directory') return this.remove(path)
    for await (const entries of this.pieces(path)) {
      for (const { name } of entries) await this.removeAll(`${path.replace(/\/$/, '')}/${name}`)
    }
    await this.rmdir(path)
  }

  /** Times are seconds since the epoch. */
  setTimes(path: string, accessed: number, modified: number): Promise<void> {
    return this.#client.tell(types.setstat, path, { accessed: Math.floor(accessed), modified: Math.floor(modified) })
  }

  setMode(path: string, mode: number): Promise<void> {
    return this.#client.tell(types.setstat, path, { mode })
  }

  async room(path: string): Promise<Room> {
    const { body } = await this.#client.ask(types.extended, 'statvfs@openssh.com', path)
    body.uint64()
    const size = body.uint64()
    const total = body.uint64() * size
    body.uint64()
    return { total, free: body.uint64() * size }
  }

  async #handle(type: number, ...values: Parameters<SftpClient['tell']>[1][]): Promise<Buffer> {
    const patience = setTimeout(() => this.#child.kill('SIGKILL'), openMs)
    try {
      const { body } = await this.#client.ask(type, ...values)
      // The copy lets go of the piece of the stream, which is far longer.
      return Buffer.from(body.bytes())
    } finally {
      clearTimeout(patience)
    }
  }

  /** Nobody is told when a handle cannot be closed: an error before it counts more. */
  async #close(handle: Buffer): Promise<void> {
    if (this.#client.isOpen) await this.#client.tell(types.close, handle).catch(() => undefined)
  }
}
