/** A tree of files within reach. Paths begin with `/`, which is the top of the tree; none leads out of it. */

import type { FileInfo, NamedFile } from '../../../families/storage-boxes/driver.ts'
import { DriverError } from '../../../kernel/actions/define.ts'

/** Errors: those of `BoxFiles`. */
export interface Reach {
  /** Describes the thing itself, if it is a link. */
  look(path: string): Promise<FileInfo>
  list(path: string): Promise<readonly NamedFile[]>
  read(path: string, start: number, end: number): AsyncGenerator<Buffer>
  /** Writes to a file from `at`, and makes it where that is 0; the bytes are on disk when this returns. */
  write(path: string, at: number, source: AsyncIterable<Buffer>): Promise<void>
  makeFolder(path: string): Promise<void>
  /** In the place of a file that is there; the new name is on disk when this returns. */
  rename(from: string, to: string): Promise<void>
  /** Removes it with all that is in it. */
  remove(path: string): Promise<void>
  /** Removes a directory in which nothing is. */
  removeFolder(path: string): Promise<void>
}

export const noSuchFile = (cause?: unknown) =>
  new DriverError('There is no such file or directory.', { transient: false, code: 'not_found', cause })
export const inTheWay = (what: string, cause?: unknown) =>
  new DriverError(what, { transient: false, code: 'conflict', cause })
export const noRoom = (cause?: unknown) =>
  new DriverError('The Storage Box has no room left for this.', { transient: false, code: 'no_room', cause })
export const outOfOrder = (cause: unknown) =>
  new DriverError('The files of the Storage Box cannot be reached now.', { transient: true, cause })

/** Whether an error is one of those of `BoxFiles` with this code. */
export const isCode = (error: unknown, code: string) => error instanceof DriverError && error.code === code
