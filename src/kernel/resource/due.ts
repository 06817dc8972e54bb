/** Background jobs work on resources of all Projects, a few at a time. */
import { DriverError } from '../actions/define.ts'
import { ApiError } from '../errors.ts'
import { inGroups } from '../process/groups.ts'
import type { Again } from '../process/jobs.ts'

const atOnce = 200
/** The transactions of so many share commits, and leave places for others. */
const usuallyTogether = 8

export interface DueWork<Due> {
  /** What is wrong with those that failed, after their number. */
  readonly failed: string
  /** Work on so many is done at the same time. */
  readonly together?: number
  /** The next ones, past the last one of the page before; a page with fewer than `limit` is the last. */
  find(after: Due | undefined, limit: number): Promise<readonly Due[]>
  work(one: Due): Promise<void>
}

/**
 * Does `work` on all that `find` returns in pages. What is locked is due again as soon as it can be, what is deleted needs
 * nothing, and what fails does not keep the others waiting. Errors: one for all that failed.
 */
export async function forEachDue<Due>({
  failed,
  together = usuallyTogether,
  find,
  work,
}: DueWork<Due>): Promise<Again> {
  const failures: unknown[] = []
  let isLocked = false
  const note = (error: unknown) => {
    const code = error instanceof ApiError || error instanceof DriverError ? error.code : undefined
    if (code === 'locked') isLocked = true
    else if (code !== 'not_found') failures.push(error)
  }
  let due: readonly Due[] = []
  do {
    due = await find(due.at(-1), atOnce)
    await inGroups(due, together, (one) => work(one).catch(note))
  } while (due.length === atOnce)
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} ${failed}`)
  return isLocked ? 'again' : undefined
}
