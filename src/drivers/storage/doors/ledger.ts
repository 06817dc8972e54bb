/** A ledger says what a box may still take, where the file system below it does not see to that. */

export interface Ledger {
  /** Bytes that may still be written; less than zero when others wrote more. */
  room(): number
  /** Counts bytes that are about to be written. */
  charge(bytes: number): void
  /** Hears that a program has written more, or less, than was charged. */
  changed(): void
}

/** Writers are told this, in the words of the system. */
export const quotaWords = 'Disk quota exceeded: the Storage Box is full'

/** Counts bytes when there is room for them. Returns whether there is. */
export function take(ledger: Ledger, bytes: number): boolean {
  if (bytes <= 0) return true
  if (ledger.room() < bytes) return false
  ledger.charge(bytes)
  return true
}
