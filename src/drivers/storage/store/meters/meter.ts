/** Meters tell what boxes take, and may take: the kernel keeps it (groups.ts), or it is counted (counts.ts). */
import type { BoxUsage } from '../../../../families/storage-boxes/driver.ts'
import type { AtOnce } from '../../../../kernel/process/at-once.ts'
import type { Quota } from '../store.ts'

export interface Meter {
  quota(id: number): Promise<Quota>
  charge(id: number, bytes: number): AtOnce<void>
  written(id: number, bytes: number): void
  changed(id: number): Promise<void>
  usage(id: number): Promise<BoxUsage>
  /**
   * Lets a snapshot be made, which takes its room from the beginning until the result is disposed of. Errors: a `Refusal`
   * when there is not enough.
   */
  admit(id: number): Promise<Disposable>
  /** Hears that the snapshots of a box are others, and what its files are when they were replaced by those of a snapshot. */
  snapshotsChanged(id: number, restored?: string): Promise<void>
  /** The kernel has the figures of a box in this folder; missing where they are counted. */
  figuresOf?(id: number): string
  limitChanged(id: number): void
  forget(id: number): void
  /** Counts what was not counted when a process ended, until `isOver` says that there is no time left. */
  tidy(isOver: () => boolean): Promise<void>
  close(): Promise<void>
}
