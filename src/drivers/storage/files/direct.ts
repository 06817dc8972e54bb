/**
 * Reaches files from this process itself, where programs cannot be confined. It steps from directory to open directory, and
 * follows no link, so that it stays within the box whatever others do there meanwhile.
 */
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, rename, rmdir } from 'node:fs/promises'
import { posix } from 'node:path'
import type { FileInfo, NamedFile } from '../../../families/storage-boxes/driver.ts'
import { DriverError } from '../../../kernel/actions/define.ts'
import { type Ledger, take } from '../doors/ledger.ts'
import { isNoDirectory, type OpenDirectory, openBeneath } from '../store/beneath.ts'
import { syncDirectory } from '../store/durable.ts'
import { work } from '../store/programs.ts'
import type { Owner } from '../store/store.ts'
import { inTheWay, noRoom, noSuchFile, outOfOrder, type Reach } from './reach.ts'

const piece = 256 * 1_024

export class Direct implements Reach {
  readonly #top: string
  readonly #owner: Owner
  readonly #ledger: Ledger | undefined

  /** `top` is an absolute path, above which only this process's user changes anything. */
  constructor(top: string, owner: Owner, ledger: Ledger | undefined) {
    this.#top = top
    this.#owner = owner
    this.#ledger = ledger
  }

  async look(path: string): Promise<FileInfo> {
    return this.#at(path, async (at) => infoOf(await lstat(at)))
  }

  async list(path: string): Promise<readonly NamedFile[]> {
    return this.#within(path, async ({ path: at }) => {
      const found: NamedFile[] = []
      for (const name of await readdir(at)) {
        const stats = await lstat(`${at}/${name}`).catch(() => undefined)
        if (stats) found.push({ name, ...infoOf(stats) })
      }
      return found.sort((a, b) => (a.name < b.name ? -1 : 1))
    })
  }

  async *read(path: string, start: number, end: number): AsyncGenerator<Buffer> {
    const file = await this.#at(path, (at) =>
      open(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK),
    )
    try {
      for (let at = start; at < end; ) {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(piece, end - at)), 0, undefined, at)
        if (bytesRead === 0) return
        at += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
    } finally {
      await file.close()
    }
  }

  write(path: string, start: number, source: AsyncIterable<Buffer>): Promise<void> {
    const { O_WRONLY, O_CREAT, O_NOFOLLOW } = constants
    return this.#at(path, async (at) => {
      const file = await open(at, O_WRONLY | O_NOFOLLOW | (start === 0 ? O_CREAT : 0), 0o644)
      try {
        if (process.getuid?.() === 0) await file.chown(this.#owner.uid, this.#owner.gid)
        let { size } = await file.stat()
        let end = start
        for await (const bytes of source) {
          const before = end
          end += bytes.length
          // What is written once more takes no more room.
          const added = Math.max(0, end - size)
          if (this.#ledger && !take(this.#ledger, added)) throw noRoom()
          size = Math.max(size, end)
          await writeAll(file, bytes, before).finally(() => this.#ledger?.written(added))
        }
        await file.sync()
      } finally {
        await file.close()
      }
    })
  }

  makeFolder(path: string): Promise<void> {
    return this.#at(path, async (at) => {
      await mkdir(at, 0o755)
      if (process.getuid?.() !== 0) return
      const made = await open(at, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
      await made.chown(this.#owner.uid, this.#owner.gid).finally(() => made.close())
    })
  }

  rename(from: string, to: string): Promise<void> {
    return this.#at(from, (before) =>
      this.#at(to, async (after) => {
        await rename(before, after)
        await syncDirectory(posix.dirname(after))
      }),
    )
  }

  removeFolder(path: string): Promise<void> {
    return this.#at(path, (at) => rmdir(at))
  }

  remove(path: string): Promise<void> {
    return this.#at(path, async (at) => {
      await lstat(at)
      // The path leads there from any process, not from this one alone.
      const mine = at.replace(/^\/proc\/self\//, `/proc/${process.pid}/`)
      await work('rm', ['-rf', '--one-file-system', '--', mine])
    })
  }

  /** Works on what has a name, by a path that leads through the open directory above it. */
  async #at<T>(path: string, act: (at: string) => Promise<T>): Promise<T> {
    if (path === '/') return this.#within(path, ({ path: at }) => act(`${at}/.`))
    return this.#within(posix.dirname(path), ({ path: at }) => act(`${at}/${posix.basename(path)}`))
  }

  async #within<T>(folder: string, act: (opened: OpenDirectory) => Promise<T>): Promise<T> {
    try {
      await using opened = await openBeneath(this.#top, folder)
      return await act(opened)
    } catch (error) {
      throw refusalOf(error)
    }
  }
}

/** A write may take less than it is given. */
async function writeAll(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten
  }
}

function kindOf(stats: Stats): FileInfo['kind'] {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  return stats.isSymbolicLink() ? 'link' : 'other'
}

const infoOf = (stats: Stats): FileInfo => ({
  kind: kindOf(stats),
  size: stats.isDirectory() ? 0 : stats.size,
  modified: Math.floor(stats.mtimeMs),
})

function refusalOf(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (error instanceof DriverError || syscall === undefined) return error
  if (isNoDirectory(error)) return noSuchFile(error)
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') return noRoom(error)
  if (code === 'EEXIST' || code === 'ENOTEMPTY' || code === 'EISDIR' || code === 'EINVAL')
    return inTheWay('This is not possible here: something is in the way.', error)
  return outOfOrder(error)
}
