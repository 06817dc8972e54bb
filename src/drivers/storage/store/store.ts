/**
 * A store has the files of Storage Boxes. `openStore` chooses its kind by trying the directory; this says what every kind
 * promises. Several processes may have a store open on one directory: what changes a box is exclusive, reads are not.
 */
import type { BoxState, StorageBoxDriver } from '../../../families/storage-boxes/driver.ts'
import type { AtOnce } from '../../../kernel/process/at-once.ts'

export const storeKinds = ['btrfs', 'reflink', 'plain'] as const
/**
 * Subvolumes with limits that the kernel keeps; copies that share their blocks until one of them is written to; or copies.
 */
export type StoreKind = (typeof storeKinds)[number]

/** The files of a box belong to this user and group. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** A box is at these paths. All are absolute, and nobody but this process's user can change what is above them. */
export interface BoxPaths {
  /** The directory of its files. A rollback puts another one in its place; who is in the old one sees that no more. */
  readonly files: string
  /** A directory with one for each snapshot. Whoever shows it must see to it that nothing in it can be written to. */
  readonly snapshots: string
  /** The directory of each snapshot by its name; the last part of most is the name itself, and safe in any case. */
  readonly bySnapshot: ReadonlyMap<string, string>
  /** A folder for notes of uploads, which need not exist. It is outside of the files and of all snapshots. */
  readonly wholeUploads: string
  /** Everything in the files belongs to it. No other box has the same. The user of this process when that is not root. */
  readonly owner: Owner
  /** The kernel says in this folder what the box takes and may take; undefined where it does not count. */
  readonly figures: string | undefined
}

/** Both are bytes. */
export interface Quota {
  /** All that files and snapshots may take together. */
  readonly limit: number
  readonly used: number
}

export interface Store
  extends Pick<
    StorageBoxDriver,
    'remove' | 'createSnapshot' | 'deleteSnapshot' | 'rollback' | 'snapshots' | 'usage' | 'folders'
  > {
  readonly kind: StoreKind
  /** One line for the operator: why it is of this kind. */
  readonly reason: string
  /** The kernel refuses a write that passes the limit. Otherwise whoever writes asks for the quota and charges. */
  readonly hasKernelQuota: boolean
  /** The part of the driver's `apply` that is about files: the box, its limit, and the homes of its accounts. */
  apply(box: Pick<BoxState, 'id' | 'generation' | 'bytes'> & { readonly accounts: readonly Home[] }): Promise<void>
  /** Errors: `not_found`. */
  paths(id: number): Promise<BoxPaths>
  /** The user that the files of a box belong to. Errors: `not_found`. */
  ownerOf(id: number): Promise<Owner>
  /** Returns what a box may take and takes, which is cheap to ask before each write. Errors: `not_found`. */
  quota(id: number): Promise<Quota>
  /**
   * Says before a write how many bytes more the files will take. Only the first one after a count takes time. Does nothing
   * where the kernel counts.
   */
  charge(id: number, bytes: number): AtOnce<void>
  /**
   * Says that so many bytes that were charged are in the files, or that nobody writes them any more. Until then whoever counts
   * the files has them counted on top.
   */
  written(id: number, bytes: number): void
  /** Says that somebody writes to the files, or has, without a charge for each write, so that they are counted anew. */
  changed(id: number): Promise<void>
  /** Resolves when everything that was left by a process that ended has been finished or removed. */
  readonly tidied: Promise<void>
  /**
   * Lets go of the directory. What is under way comes to its end first, but for copies: those are ended, and what there is of them
   * removed. They fail, and so does what has not begun.
   */
  close(): Promise<void>
  /** Does so, and removes the directory with all boxes. No other process has it open. */
  discard(): Promise<void>
}

export interface Home {
  readonly home: string
}

/** The part of a logger that a store needs. */
export interface StoreLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

export interface StoreOptions {
  /** Made when it is not there. */
  readonly directory: string
  /** Chosen by trying the directory unless it is given. */
  readonly kind?: StoreKind
  /**
   * Keeps everybody from writing to the files of a box until the result is disposed of. A snapshot on btrfs is made meanwhile, in
   * milliseconds: without it, a file that grows at that moment may end in zeros in the snapshot.
   */
  readonly pause?: (id: number) => Promise<AsyncDisposable>
  /**
   * Ends everybody who has the files of a box as a root, and keeps others out until the result is disposed of. The files
   * are replaced or removed meanwhile, and whoever stayed would see and fill those that are no longer there.
   */
  readonly vacate?: (id: number) => Promise<AsyncDisposable>
  /**
   * Tells whether somebody has the files of a box open who may write to them. What is counted meanwhile is not exact: a write
   * that nobody has said yet would be lost with this process.
   */
  readonly isOpen?: (id: number) => Promise<boolean>
  /** Has those who write to the files of a box say now what of it has been written: it would count twice. */
  readonly hear?: (id: number) => Promise<void>
  readonly log: StoreLog
}
