/** Storage Boxes need from the infrastructure a place for their files, and doors that lead to them. */

import type { LongCalls } from '../../kernel/actions/define.ts'
import type { FileKind } from './files/domain.ts'

/** An account may do this through the doors. */
export interface AccountState {
  readonly username: string
  /** The directory that is its root, relative to that of the box; '' is all of it. It is made where it is missing. */
  readonly home: string
  /** argon2id of its password, as PHC text. */
  readonly passwordHash: string
  /** Public keys as OpenSSH writes them. */
  readonly keys: readonly string[]
  readonly isReadonly: boolean
  readonly isReachableExternally: boolean
  readonly hasSsh: boolean
  readonly hasWebdav: boolean
  /** It sees the snapshots, below `.zfs/snapshot`. */
  readonly seesSnapshots: boolean
}

/** The whole desired state of one box, but for its snapshots. A driver ignores an older generation. */
export interface BoxState {
  readonly id: number
  readonly generation: number
  /** All that its files and snapshots may take together. */
  readonly bytes: number
  /** The box's own account is the first. Whoever is missing here is no account any more, and its connections end. */
  readonly accounts: readonly AccountState[]
}

export interface FileInfo {
  readonly kind: FileKind
  /** Bytes. */
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly modified: number
}

export interface NamedFile extends FileInfo {
  readonly name: string
}

/** The path is one of `pathIn`, in the files of a box or in those of one of its snapshots. */
export interface FilePlace {
  readonly box: number
  /** The name of a snapshot, in which nothing can be changed. */
  readonly snapshot?: string | undefined
  readonly path: string
}

/** A piece of a file that comes in several, each with a request of its own. */
export interface FilePiece {
  /** The name by which the pieces of one file are known. */
  readonly upload: string
  /** Where it begins, in bytes: not behind the end of what has come. */
  readonly offset: number
  /** Bytes of the whole file. */
  readonly size: number
}

/**
 * The files of boxes, as their owners see them. Nothing leads out of a box. Errors: `DriverError` with the codes `not_found`;
 * `conflict` where something of another kind is in the way; `no_room`; all others are transient.
 */
export interface BoxFiles {
  /** Files are kept like this, such as `btrfs`; undefined where that is still to be found out. */
  readonly kind: string | undefined
  /** Describes the thing itself, if it is a link. */
  look(place: FilePlace): Promise<FileInfo>
  /** All that is in a directory, by name. */
  list(place: FilePlace): Promise<readonly NamedFile[]>
  /** The bytes of a file from `start`, `end` excluded. */
  read(place: FilePlace, start: number, end: number): AsyncGenerator<Buffer>
  /** Puts a file in the place of what is there, once all of it has come and is on disk. */
  write(place: FilePlace, source: AsyncIterable<Buffer>): Promise<void>
  /**
   * Writes a piece of a file, and returns how far the file has come when it is on disk: with the last one it is put in the
   * place of what is there. One that comes once more after that is taken for what it was as long as the file is there. Errors:
   * `conflict` also for a piece that does not follow, or is longer than what is left.
   */
  writePiece(place: FilePlace, piece: FilePiece, source: AsyncIterable<Buffer>): Promise<number>
  /** Removes the pieces of a file that is not whole; succeeds where there are none. */
  dropPieces(box: number, upload: string): Promise<void>
  /** Removes those to which nobody has added anything for a day. */
  clearPieces(box: number): Promise<void>
  makeFolder(place: FilePlace): Promise<void>
  /** There is nothing at the new path yet. */
  rename(place: FilePlace, to: string): Promise<void>
  /** Removes it with all that is in it. */
  remove(place: FilePlace): Promise<void>
}

/** Figures are bytes. */
export interface BoxUsage {
  /** Its files take so much now. */
  readonly data: number
  /** Its snapshots take so much beside that. */
  readonly snapshots: number
  readonly bySnapshot: ReadonlyMap<string, SnapshotUsage>
}

export interface SnapshotUsage {
  /** Its deletion would free so much. */
  readonly size: number
  /** Its files take so much, whoever else has them too. */
  readonly filesystem: number
}

/** Notes a public key that somebody installs for an account. Returns undefined, or why it is not noted. */
export type NoteKey = (box: number, username: string, key: string) => Promise<string | undefined>

/** The doors of this process, which learn by themselves nothing of what other processes do. */
export interface BoxDoors {
  /** Each is at HOST:PORT; null for one that is closed. */
  readonly opened: { readonly ssh: string | null; readonly webdav: string | null }
  /** Whether the kernel keeps in its box whoever comes in, rather than checks of paths. */
  readonly isConfined: boolean
  /** The generations of the boxes that they were told of. */
  known(): ReadonlyMap<number, number>
  /** Lets nobody in any more to a box that is gone. */
  forget(id: number): Promise<void>
  /** Says who notes the keys that people install. */
  noteKeys(note: NoteKey): void
}

/** Snapshots are called by names, which are unique in their box. */
export interface StorageBoxDriver extends LongCalls {
  /** True where boxes stay when this process ends, so that whoever only reads need not hand them over before. */
  readonly isLasting?: boolean | undefined
  /** Missing where no doors are open. */
  readonly doors?: BoxDoors | undefined
  /** Missing where boxes have no files. */
  readonly files?: BoxFiles | undefined
  /** Makes the box be as described; creates it, empty, when there is none. Repeating it changes nothing. */
  apply(box: BoxState): Promise<void>
  /** Removes the box with its files and snapshots; succeeds when there is none. Only a newer generation brings it back. */
  remove(id: number, generation: number): Promise<void>
  /**
   * Makes a snapshot of all files, whole or not at all; leaves one of that name as it is. The box was applied before this
   * and all calls below, unless the infrastructure has lost it since. Errors: a `DriverError` with the code `no_room`.
   */
  createSnapshot(id: number, name: string): Promise<void>
  /** Removes a snapshot, and returns when its room is free; succeeds when there is none. Its name is never made again. */
  deleteSnapshot(id: number, name: string): Promise<void>
  /**
   * Makes the files be those of a snapshot, whole or not at all, and removes the snapshots that are newer. It may be repeated
   * under its number until it has succeeded; then that number, and smaller ones, change nothing any more: who is late must
   * not take away what was written since. Errors: a permanent `DriverError` where there is no such snapshot.
   */
  rollback(id: number, name: string, newer: readonly string[], number: number): Promise<void>
  /** The names of all snapshots that are left when what is under way has ended; none of a box that there is not. */
  snapshots(id: number): Promise<readonly string[]>
  /** Returns what the box takes; nothing for one that there is not. */
  usage(id: number): Promise<BoxUsage>
  /**
   * The names of the directories in a directory of the box, in order. The path has no dots, no doubled slashes and none at
   * its ends; '' is the box. Errors: a `DriverError` with the code `not_found` where it is none.
   */
  folders(id: number, path: string): Promise<string[]>
}

declare module '../../kernel/actions/define.ts' {
  interface Drivers {
    storageBoxes: StorageBoxDriver
  }
}
