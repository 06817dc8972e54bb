/**
 * Files that are being put, and those that step aside for others, noted beside the boxes under the names that they have meanwhile. A process that is killed leaves
 * them where they are, as a file server does that dies, and the next one removes them. Each process has a folder of notes with
 * a lock, as several may share what they serve: what one works on is nothing that it has left.
 */
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, posix } from 'node:path'
import { lockFile } from '../../../../kernel/process/file-lock.ts'
import { isMissing as isAbsent } from '../../store/durable.ts'
import { uploadsFolder } from '../../store/places.ts'
import type { Account } from '../accounts.ts'
import { type Files, isMissing } from '../files.ts'
import { SftpError } from '../sftp/client.ts'

const beginning = '.wolke-put-'

/** Whether this is the name of what is not whole yet, which is in no list. */
export const isUnfinished = (name: string) => name.startsWith(beginning) || name === uploadsFolder

interface Note {
  readonly box: number
  readonly username: string
  /** The account sees the file by this path. */
  readonly path: string
  /** What is at `path` was here before something else was to take its place, and belongs here unless that has. */
  readonly original?: string
}

/** A name for something that is to be gone soon, or to have another name. */
export interface Temporary {
  readonly path: string
  /** Nothing is there any more. */
  end(): void
  /** It is left to another file server. */
  leave(): void
}

/** Removes what a note is about, or puts it back in its place where nothing is there. Errors: `SftpError`, `SftpLost`. */
async function discard(files: Files, { path, original }: Note): Promise<void> {
  try {
    await files.lstat(path)
    if (original === undefined || (await isThere(files, original))) await files.removeAll(path)
    else await files.renameDurably(path, original)
  } catch (error) {
    // It was moved or never made.
    if (!isMissing(error)) throw error
  }
}

const isThere = (files: Files, path: string) =>
  files.lstat(path).then(
    () => true,
    (error) => {
      if (isMissing(error)) return false
      throw error
    },
  )

/** Waits until a note, or its name, is on disk. */
function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const lockEnding = '.lock'
/** The lock of a folder is there before the folder, and goes after it. */
const lockOf = (folder: string) => `${folder}${lockEnding}`

/** What is in a folder; nothing where another process has just removed it. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}

/** Removes a folder whose lock is held. */
function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  rmSync(lockOf(folder), { force: true })
}

/** Removes what was begun under a name for a while. It is another file server's where this one is gone. */
export async function removeTemporary(files: Files, { path, end, leave }: Temporary): Promise<void> {
  try {
    await files.removeAll(path)
    end()
  } catch (error) {
    // What may not be removed is seen by all other doors.
    if (error instanceof SftpError) end()
    else leave()
  }
}

export class Unfinished {
  /** This process notes here what it works on. */
  readonly #folder: string
  readonly #lock: Disposable
  /** Others have left these, by the names of their notes. */
  readonly #left: Map<string, Note>

  /** Takes over what ended processes have left in a folder of root alone. Errors: of the file system. */
  constructor(directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    this.#folder = join(directory, randomUUID())
    const lock = lockFile(lockOf(this.#folder), 0)
    if (!lock) throw new Error(`${lockOf(this.#folder)} is locked`)
    this.#lock = lock
    mkdirSync(this.#folder, { mode: 0o700 })
    for (const name of namesIn(directory)) {
      const folder = join(directory, name)
      if (!name.endsWith(lockEnding) && folder !== this.#folder) this.#takeOver(folder)
    }
    this.#left = new Map(namesIn(this.#folder).flatMap((name) => this.#read(name)))
  }

  /** Notes a file, or a folder, before it is made in a folder. Errors: of the file system. */
  begin({ place, state }: Account, folder: string): Temporary {
    const name = randomUUID()
    const path = `${folder.replace(/\/$/, '')}/${beginning}${name}`
    return this.#note(name, { box: place.id, username: state.username, path })
  }

  /** Notes on disk that what is at a path steps aside for something else. Errors: of the file system. */
  stepAside({ place, state }: Account, original: string): Temporary {
    const name = randomUUID()
    const path = `${posix.dirname(original).replace(/\/$/, '')}/${beginning}${name}`
    const temporary = this.#note(name, { box: place.id, username: state.username, path, original })
    for (const noted of [join(this.#folder, name), this.#folder]) sync(noted)
    return temporary
  }

  /** Tells whether something of an account was left. */
  has(username: string): boolean {
    return [...this.#left.values()].some((note) => note.username === username)
  }

  /** Removes what was left of an account, or puts it back where it was. Errors: of the file server, after which it can be tried again. */
  async clear(username: string, files: Files): Promise<void> {
    for (const [name, note] of [...this.#left]) {
      if (note.username !== username) continue
      await discard(files, note)
      this.#drop(name)
    }
  }

  /** Forgets a box that is removed with all that was left in it. */
  forget(box: number): void {
    for (const [name, note] of [...this.#left]) if (note.box === box) this.#drop(name)
  }

  /** What is noted now is left to the next process. */
  close(): void {
    if (namesIn(this.#folder).length === 0) remove(this.#folder)
    this.#lock[Symbol.dispose]()
  }

  /** Moves the notes of a process here, unless it runs. Two that do so at the same time keep out each other. */
  #takeOver(folder: string): void {
    using lock = lockFile(lockOf(folder), 0)
    if (!lock) return
    for (const name of namesIn(folder)) renameSync(join(folder, name), join(this.#folder, name))
    remove(folder)
  }

  #note(name: string, note: Note): Temporary {
    writeFileSync(join(this.#folder, name), JSON.stringify(note), { mode: 0o600 })
    return { path: note.path, end: () => this.#drop(name), leave: () => void this.#left.set(name, note) }
  }

  #drop(name: string): void {
    this.#left.delete(name)
    rmSync(join(this.#folder, name), { force: true })
  }

  /** A note that was not written to its end belongs to a file that was not begun. */
  #read(name: string): [string, Note][] {
    const path = join(this.#folder, name)
    try {
      return [[name, JSON.parse(readFileSync(path, 'utf8')) as Note]]
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      rmSync(path, { force: true })
      return []
    }
  }
}
