/** Commands that take something away from what runs say first what they would do. */
import { Option } from 'commander'
import { projectName } from '../kernel/access/projects.ts'
import { NotLetGo } from '../kernel/actions/letting-go.ts'
import { noteProject, noteSubjects } from '../kernel/audit/audited.ts'
import type { Database, Transaction } from '../kernel/data/db.ts'
import { ApiError } from '../kernel/errors.ts'
import type { ProjectId } from '../kernel/scope.ts'
import { CommandFailure } from './failure.ts'

export interface Confirmed {
  readonly yes?: boolean
}

export const yesOption = () => new Option('--yes', 'do it; without it, the command says what it would do')

/** Errors: `CommandFailure` that says what would be done, unless the operator wants it. */
export function confirm({ yes = false }: Confirmed, deed: string): void {
  if (!yes) throw new CommandFailure(`this would ${deed}; repeat it with --yes`, 2)
}

/** The subject of an operator's change in the audit log: an action, or a resource whose lock it is. */
export interface Changed {
  readonly projectId?: ProjectId | undefined
  readonly subjects: readonly (number | string)[]
}

/** Lets go of something in one transaction with its entry in the audit log. Errors: `CommandFailure`. */
export async function letGo<T extends Changed>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await db.transact(async (tx) => {
      const changed = await work(tx)
      const { projectId: id, subjects } = changed
      noteSubjects(subjects, tx)
      const name = id === undefined ? undefined : await projectName(tx.query, { projectId: id })
      if (id !== undefined && name !== undefined) noteProject({ id, name }, tx)
      return changed
    })
  } catch (error) {
    if (error instanceof NotLetGo) throw new CommandFailure(error.message)
    if (error instanceof ApiError && error.code === 'locked') throw new CommandFailure(error.message)
    throw error
  }
}
