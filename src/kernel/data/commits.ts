/**
 * Commits on PostgreSQL. A transaction that only inserts asks the database nothing before its commit: those of a Project
 * that are ready at the same time travel together and share one commit, and with it one wait for the disk.
 */
import { projectServed } from '../process/behalf.ts'
import type { ProjectId } from '../scope.ts'
import type { Connection, Outcome, Statement } from './connection.ts'
import { OutcomeUnknown } from './db.ts'
import { databaseFailure } from './dialect.ts'
import type { Connections } from './pool.ts'
import type { Refusal } from './prepared.ts'

/** A statement that waits for the next one. */
export interface Waiting extends Statement, Partial<Refusal> {}

/** Thrown when COMMIT did not commit, because a statement had failed and the work went on all the same. */
export class NotCommitted extends Error {}

export const begin: Statement = { text: 'begin', values: [] }
const commit: Statement = { text: 'commit', values: [] }
const rollback: Statement = { text: 'rollback', values: [] }

/**
 * Does what is left of the transaction that is open on a connection, and commits it. Errors: what a statement failed
 * with; `NotCommitted`; `OutcomeUnknown`.
 */
export async function commitOn(connection: Connection, last: readonly Waiting[]): Promise<void> {
  const unit = [...last, commit]
  const { results, error } = await connection.send(unit)
  if (error !== undefined) {
    // Once COMMIT is sent its outcome is unknown: saying so as 500 keeps clients from repeating the request.
    if (isOpen(unit, { results, error })) throw new OutcomeUnknown('commit outcome unknown', { cause: error })
    throw explained(unit, { results, error })
  }
  if (results.at(-1)!.command !== 'COMMIT') throw new NotCommitted('the server rolled back')
}

/** Never rejects: a connection on which it fails is given up, which rolls back as well. */
export async function rollBackOn(connection: Connection): Promise<void> {
  if (connection.isBroken) return
  const { error } = await connection.send([rollback])
  if (error !== undefined) connection.abandon(error)
}

/** The failure of the statement that failed, in its own words where it has any. */
export function explained(unit: readonly Waiting[], { results, error }: Outcome): unknown {
  const { explain } = unit[results.length] ?? {}
  return explain ? explain(error) : error
}

/** Whether the outcome is open: COMMIT was sent, and the server did not say that it stopped before it or had to. */
function isOpen(unit: readonly Statement[], { results, error }: Outcome): boolean {
  const isReported = error instanceof Error && 'severity' in error
  if (isReported && results.length < unit.length - 1) return false
  return databaseFailure(error)?.kind !== 'retry'
}

/** A transaction that waits for its commit. */
interface Member {
  readonly statements: readonly Waiting[]
  readonly claims: string
  resolve(): void
  reject(error: unknown): void
}

/** How many share a commit at most. */
const mostTogether = 16

/** For each Project one group is under way at a time, and the next one gathers meanwhile. */
export class SharedCommits {
  readonly #connections: Connections
  /** Of each Project for which a group is under way: who comes with the next. */
  readonly #waiting = new Map<ProjectId | undefined, Member[]>()

  constructor(connections: Connections) {
    this.#connections = connections
  }

  /** Does a whole transaction. Errors: as of `commitOn`; `unavailable`. */
  run(statements: readonly Waiting[]): Promise<void> {
    const party = projectServed()
    return new Promise((resolve, reject) => {
      const claims = statements.find((statement) => statement.claims)?.claims ?? ''
      const member = { statements, claims, resolve, reject }
      const waiting = this.#waiting.get(party)
      if (waiting) {
        waiting.push(member)
        return
      }
      this.#waiting.set(party, [member])
      setImmediate(() => this.#runAll(party))
    })
  }

  async #runAll(party: ProjectId | undefined): Promise<void> {
    const waiting = this.#waiting.get(party)!
    while (waiting.length > 0) await this.#runGroup(waiting.splice(0, mostTogether))
    this.#waiting.delete(party)
  }

  async #runGroup(members: readonly Member[]): Promise<void> {
    try {
      const { connection, release } = await this.#connections.lease()
      await commitGroup(connection, members).finally(release)
    } catch (error) {
      for (const { reject } of members) reject(error)
    }
  }
}

/** One transaction for all; when one of them is refused, each has its own. Errors: those that are about all of them. */
async function commitGroup(connection: Connection, members: readonly Member[]): Promise<void> {
  // In one order everywhere, so that two groups do not wait for each other's values.
  const inOrder = members.toSorted((a, b) => (a.claims < b.claims ? -1 : 1))
  try {
    await commitOn(connection, [begin, ...inOrder.flatMap(({ statements }) => statements)])
    for (const { resolve } of members) resolve()
  } catch (error) {
    await rollBackOn(connection)
    if (members.length === 1 || error instanceof OutcomeUnknown || connection.isBroken) throw error
    for (const member of inOrder) await commitGroup(connection, [member]).catch(member.reject)
  }
}
