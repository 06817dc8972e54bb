/** Puts a single Project back to how it was when it had been made, beside others that notice nothing of it. */

import { families } from '../families.ts'
import { leaveAllQueues } from '../kernel/actions/claims.ts'
import type { Database } from '../kernel/data/db.ts'
import { emptyTables, type OwnedTable, ownedTables } from '../kernel/data/emptying.ts'
import { tellEmptied } from '../kernel/resource/lives.ts'
import type { ProjectScope } from '../kernel/scope.ts'
import type { Copied } from './states.ts'

/** A Project keeps who may use it, how much of what, and the log of what was done in it. */
const kept: ReadonlySet<string> = new Set([
  ...['audit', 'invitation', 'membership', 'person_mail', 'person_mail_sent', 'project_limit', 'token'],
])

export class ProjectReset {
  readonly #db: Database
  readonly #infrastructure: Pick<Copied, 'forget'>
  #tables: Promise<readonly OwnedTable[]> | undefined

  constructor(db: Database, infrastructure: Pick<Copied, 'forget'>) {
    this.#db = db
    this.#infrastructure = infrastructure
  }

  /**
   * Deletes everything in a Project at once. Actions that run meanwhile find theirs gone, and so does the infrastructure
   * with what they still ask of it.
   */
  async run(scope: ProjectScope): Promise<void> {
    this.#tables ??= ownedTables(this.#db.query)
    const tables = (await this.#tables).filter(({ name }) => !kept.has(name))
    const ids = await this.#db.transact(async (tx) => {
      for (const { withdraw } of families) await withdraw(tx, scope)
      await leaveAllQueues(tx, scope)
      tellEmptied(tx, scope)
      return await emptyTables(tx, scope, tables)
    })
    this.#infrastructure.forget(ids)
  }
}
