/** Background jobs work on resources of all Projects, a few at a time. */
import { DriverError } from '../actions/define.ts'
import { ApiError } from '../errors.ts'
import { inGroups } from '../process/groups.ts'
import type { Again } from '../process/jobs.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'

const atOnce = 200
/** The transactions of so many share commits, and leave places for others. */
const usuallyTogether = 8
/** A transaction over so many is still a short one. */
const mostInOne = 16

/** Something of a Project that is due. */
interface OfProject {
  readonly scope: ProjectScope
}

export interface DueWork<Due extends OfProject> {
  /** What is wrong with those that failed, after their number. */
  readonly failed: string
  /** Work on so many is done at the same time. */
  readonly together?: number
  /** The next ones, past the last one of the page before; a page with fewer than `limit` is the last. */
  find(after: Due | undefined, limit: number): Promise<readonly Due[]>
  work(one: Due): Promise<void>
  /**
   * Does the work on some of one Project in one transaction, and returns those that are in the way of it. `work` is done on
   * these, and where it fails on each of them, so that none depends on another.
   */
  workOnSome?(scope: ProjectScope, some: readonly Due[]): Promise<readonly Due[]>
}

/**
 * Does `work` on all that `find` returns in pages. What is locked is due again as soon as it can be, what is deleted needs
 * nothing, and what fails does not keep the others waiting. Errors: one for all that failed.
 */
export async function forEachDue<Due extends OfProject>({
  failed,
  together = usuallyTogether,
  find,
  work,
  workOnSome,
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
    const left: Due[] = []
    const workTogether = async (some: readonly Due[]) => {
      // Why it fails is told of each alone.
      left.push(...(workOnSome ? await workOnSome(some[0]!.scope, some).catch(() => some) : some))
    }
    await inGroups(byProject(due), together, workTogether)
    await inGroups(left, together, (one) => work(one).catch(note))
  } while (due.length === atOnce)
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} ${failed}`)
  return isLocked ? 'again' : undefined
}

/** Each list is of one Project, and short enough for one transaction. */
function byProject<Due extends OfProject>(due: readonly Due[]): readonly (readonly Due[])[] {
  const lists: Due[][] = []
  const open = new Map<ProjectId, Due[]>()
  for (const one of due) {
    const known = open.get(one.scope.projectId)
    if (known && known.length < mostInOne) known.push(one)
    else {
      const list = [one]
      open.set(one.scope.projectId, list)
      lists.push(list)
    }
  }
  return lists
}
