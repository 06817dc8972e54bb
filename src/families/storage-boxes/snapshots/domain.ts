/** Snapshots of Storage Boxes, their names and the plans by which they are made. Pure. */
import type { Labels } from '../../../kernel/contract/labels.ts'
import { timestamp } from '../../../kernel/process/clock.ts'

export const maxDescription = 1_000

export interface Snapshot {
  readonly id: number
  readonly boxId: number
  readonly name: string
  readonly description: string
  readonly isAutomatic: boolean
  /** Its deletion would free so many bytes. */
  readonly size: number
  /** Its files take so many bytes, whoever else has them too. */
  readonly sizeFilesystem: number
  readonly labels: Labels
  readonly created: string
  readonly version: number
}

/** Tells whether a snapshot can have this description. */
export function isDescription(text: string): boolean {
  return /^[a-zA-Z0-9\-_,:<>+#!()[\]{} ]*$/.test(text)
}

export interface SnapshotPlan {
  readonly maxSnapshots: number
  /** Minute and hour are in UTC. */
  readonly minute: number
  readonly hour: number
  /** Monday is 1; null stands for every day. */
  readonly dayOfWeek: number | null
  /** Null for every day. */
  readonly dayOfMonth: number | null
}

const dayMs = 86_400_000
/** The 31st is a given day of the week once in so many days at the latest. */
const mostDays = 366 * 12

/** The first time after `afterMs` (ms since the epoch) at which a plan makes a snapshot: on days that are both. */
export function nextOf({ minute, hour, dayOfWeek, dayOfMonth }: SnapshotPlan, afterMs: number): number {
  const after = new Date(afterMs)
  const first = Date.UTC(after.getUTCFullYear(), after.getUTCMonth(), after.getUTCDate(), hour, minute)
  for (let day = 0; day < mostDays; day++) {
    const atMs = first + day * dayMs
    const at = new Date(atMs)
    const isItsWeekday = dayOfWeek === null || at.getUTCDay() === dayOfWeek % 7
    if (atMs > afterMs && isItsWeekday && (dayOfMonth === null || at.getUTCDate() === dayOfMonth)) return atMs
  }
  throw new Error('a plan without a day')
}

/** Says how often a plan makes snapshots, as their names do. */
function rhythmOf({ dayOfWeek, dayOfMonth }: SnapshotPlan): string {
  if (dayOfMonth !== null) return 'monthly'
  return dayOfWeek === null ? 'daily' : 'weekly'
}

/** The time by which a snapshot is called that is made at `nowMs`: after that of all before it in its box. */
export function timeOfName(nowMs: number, last: string): string {
  const after = last === '' ? 0 : Date.parse(last) + 1_000
  return timestamp(Math.max(nowMs, after))
}

/** The name of a snapshot by its time, with what a plan puts before it. */
export function nameOf(time: string, plan: SnapshotPlan | undefined): string {
  const before = plan ? `snapshot-${rhythmOf(plan)}--` : ''
  return before + time.slice(0, 19).replaceAll(':', '-')
}

/** The oldest ones of those that plans made that are too many. They are given by id. */
export function surplus(snapshots: readonly Snapshot[], most: number): readonly Snapshot[] {
  const automatic = snapshots.filter(({ isAutomatic }) => isAutomatic)
  return automatic.slice(0, Math.max(0, automatic.length - most))
}
