/** How full a box is, as its owner may know it: what others take of the disk below is nothing to him. */
import { figuresIn } from '../store/meters/groups.ts'
import type { BoxPlace } from './accounts.ts'
import type { Files } from './files.ts'

/** Figures are bytes, of files and snapshots together. */
export interface BoxRoom {
  readonly limit: number
  readonly used: number
  /** It may take so much more, and the disk below has the room for it. */
  readonly free: number
}

/** Asks how full a box is, by the file server of somebody who is in. Errors: those of `Files`, and of the system. */
export async function roomOf({ ledger, figures, limit = 0 }: BoxPlace, files: Files): Promise<BoxRoom> {
  const below = await files.room('/')
  if (ledger) return withRoom(limit, limit - ledger.room(), below.free)
  const counted = figures === undefined ? undefined : await figuresIn(figures)
  // A box that nobody keeps within a limit has all that there is.
  if (!counted) return withRoom(below.total, below.total - below.free, below.free)
  return withRoom(counted.limit, counted.used, below.free)
}

function withRoom(limit: number, used: number, below: number): BoxRoom {
  return { limit, used, free: Math.max(0, Math.min(below, limit - used)) }
}
