/** Background work on servers of all Projects, one after the other. */
import { ApiError } from '../../kernel/errors.ts'
import type { ProjectScope } from '../../kernel/scope.ts'

export interface DueServer {
  readonly id: number
  readonly scope: ProjectScope
}

const atOnce = 200

/**
 * Does `work` on all servers that `find` returns in pages past an id. A locked server is due again in the next round, a
 * deleted one needs nothing, and one that fails does not keep the others waiting. Errors: one for all that failed.
 */
export async function forEachDue(
  failed: string,
  find: (after: number, limit: number) => Promise<readonly DueServer[]>,
  work: (server: DueServer) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = []
  const note = (error: unknown) => {
    if (!(error instanceof ApiError && (error.code === 'locked' || error.code === 'not_found'))) failures.push(error)
  }
  for (let after = 0; ; ) {
    const due = await find(after, atOnce)
    for (const server of due) await work(server).catch(note)
    if (due.length < atOnce) break
    after = due.at(-1)!.id
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} ${failed}`)
}
