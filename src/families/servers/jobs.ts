/** Background jobs work on servers of all Projects, a few at a time. */
import { ApiError } from '../../kernel/errors.ts'
import type { Again } from '../../kernel/process/jobs.ts'
import type { DueServer } from './host.ts'

const atOnce = 200
/** The transactions of so many servers share commits, and leave places for others. */
const together = 8

/**
 * Does `work` on all servers that `find` returns in pages, each past the last server of the one before. A locked server is
 * due again as soon as it can be, a deleted one needs nothing, and one that fails does not keep the others waiting.
 * Errors: one for all that failed.
 */
export async function forEachDue<Due extends DueServer>(
  failed: string,
  find: (after: Due | undefined, limit: number) => Promise<readonly Due[]>,
  work: (server: Due) => Promise<void>,
): Promise<Again> {
  const failures: unknown[] = []
  let isLocked = false
  const note = (error: unknown) => {
    const code = error instanceof ApiError ? error.code : undefined
    if (code === 'locked') isLocked = true
    else if (code !== 'not_found') failures.push(error)
  }
  let due: readonly Due[] = []
  do {
    due = await find(due.at(-1), atOnce)
    for (let from = 0; from < due.length; from += together)
      await Promise.all(due.slice(from, from + together).map((server) => work(server).catch(note)))
  } while (due.length === atOnce)
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} ${failed}`)
  return isLocked ? 'again' : undefined
}
