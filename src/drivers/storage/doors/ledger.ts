/** A ledger says what a box may still take, where the file system below it does not see to that. */

export interface Ledger {
  /** Has it noted on disk that the box may take another amount from now on: somebody comes in who may write. */
  begin(): Promise<void>
  /** Bytes that may still be written; less than zero when others wrote more. */
  room(): number
  /** Counts bytes that are about to be written. */
  charge(bytes: number): void
  /** Hears that so many of them are in the files, or that nobody writes them any more. */
  written(bytes: number): void
  /** Hears that a box takes another amount than was charged, such as less because something was removed. */
  changed(): void
  /**
   * How often it was measured what the box takes, or heard that it changes. What was known of its files before may be otherwise
   * by then: one may be shorter, or have holes.
   */
  measured(): number
}

/** Writers are told this, in the words of the system. */
export const quotaWords = 'Disk quota exceeded: the Storage Box is full'

/** The same where the disk is full below all boxes. */
export const spaceWords = 'No space left on device'

/** So many free bytes are none: file systems keep some for themselves. */
const nothing = 4 << 20

/** Whether a file system has no room for more. */
export const isFull = (free: number): boolean => free < nothing

/** Counts bytes when there is room for them. Returns whether there is. */
export function take(ledger: Ledger, bytes: number): boolean {
  if (bytes <= 0) return true
  if (ledger.room() < bytes) return false
  ledger.charge(bytes)
  return true
}
