/** The trees of files of which boxes and snapshots consist: what each kind of store does in its own way. */
import type { Owner } from '../store.ts'

export interface Trees {
  /** Prepares a box that may take so many bytes, or changes how many. */
  limit(id: number, bytes: number): Promise<void>
  /** Makes an empty tree. */
  create(id: number, path: string, owner: Owner): Promise<void>
  /**
   * Makes a copy of a tree that is at `to` whole or not at all, and on disk. It may use the path `beside` meanwhile, of
   * which a part may be left.
   */
  freeze(id: number, from: string, to: string, beside: string): Promise<void>
  /** Makes a copy that can be written to, on disk; a part of it may be left. */
  thaw(id: number, from: string, to: string): Promise<void>
  /**
   * Removes snapshots that may be there. Each is whole or not there, whatever happens; their room is free when this returns.
   */
  discard(paths: readonly string[], beside: string): Promise<void>
  /** Removes everything at a path; its room is free when this returns. Succeeds when nothing is there. */
  remove(path: string): Promise<void>
  /** Ends copies that are under way, which fail, and lets no other begin: they may take hours. */
  stop(): void
  /** Forgets what `limit` has made. */
  forget(id: number): Promise<void>
  /** Gives back what the store has claimed from the file system, as there is no box left. */
  release(): Promise<void>
}
