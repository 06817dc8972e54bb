/**
 * Commits on PostgreSQL. A transaction that only inserts needs no reply before its commit, so transactions of one
 * Project that are ready at the same time share one commit, and with it one wait for the disk.
 */
import { projectServed } from '../process/behalf.ts'
import { channels, measured } from '../process/channels.ts'
import type { ProjectId } from '../scope.ts'
import type { Connection, Outcome, Statement } from './connection.ts'
import { OutcomeUnknown, unavailable } from './db.ts'
import { databaseFailure } from './dialect.ts'
import { type Waiting, withAllRows } from './merging.ts'
import type { Connections } from './pool.ts'

/** Thrown when COMMIT rolled back, because a statement had failed and the work had ignored it. */
export class NotCommitted extends Error {}

export const begin: Statement = { text: 'begin', values: [] }
const commit: Statement = { text: 'commit', values: [] }
const rollback: Statement = { text: 'rollback', values: [] }

/**
 * Sends the rest of the open transaction on a connection and commits it, for so many transactions. Errors: the error of a
 * failed statement; `NotCommitted`; `OutcomeUnknown`.
 */
export function commitOn(connection: Connection, last: readonly Waiting[], transactions = 1): Promise<void> {
  return measured(channels.commit, () => commitNow(connection, last), { transactions })
}

async function commitNow(connection: Connection, last: readonly Waiting[]): Promise<void> {
  const unit = [...last, commit]
  const { results, error } = await connection.send(unit)
  if (error !== undefined) {
    // Once COMMIT is sent its outcome is unknown. Clients do not retry a 500, so the request is not executed twice.
    if (isOpen(unit, { results, error })) {
      throw new OutcomeUnknown('commit outcome unknown', { cause: error, server: connection.server })
    }
    throw explained(unit, { results, error })
  }
  if (results.at(-1)!.command !== 'COMMIT') throw new NotCommitted('the server rolled back')
}

/** Never rejects. A connection whose rollback fails is abandoned, which also rolls back. */
export async function rollBackOn(connection: Connection): Promise<void> {
  if (connection.isBroken) return
  const { error } = await connection.send([rollback])
  if (error !== undefined) connection.abandon(error)
}

/** The error of the failed statement, translated by its refusal if it has one. */
export function explained(unit: readonly Waiting[], { results, error }: Outcome): unknown {
  const { explain } = unit[results.length] ?? {}
  return explain ? explain(error) : error
}

/**
 * Tells whether the outcome is unknown: COMMIT was sent, and the server did not report an earlier failure or a forced
 * rollback.
 */
function isOpen(unit: readonly Statement[], { results, error }: Outcome): boolean {
  const isReported = error instanceof Error && 'severity' in error
  if (isReported && results.length < unit.length - 1) return false
  return databaseFailure(error)?.kind !== 'retry'
}

/** A transaction that waits for a shared commit. */
interface BatchMember {
  readonly statements: readonly Waiting[]
  readonly claims: string
  resolve(): void
  reject(error: unknown): void
}

/** Maximum number of transactions in one commit. */
const mostTogether = 16
/**
 * A Project that has fewer transactions under way than this begins another group at once: where few write, none waits
 * for the disk twice. The server takes groups that wait for the disk at the same time to it together.
 */
const fewUnderWay = 4

/** The transactions of a Project. */
interface Line {
  /** Those of the next groups. */
  readonly waiting: BatchMember[]
  underWay: number
  isSoon: boolean
}

/** Commits groups of transactions. While a Project has more than a few under way its next group gathers. */
export class SharedCommits {
  readonly #connections: Connections
  /** The lines of Projects that have transactions waiting or under way. */
  readonly #lines = new Map<ProjectId | undefined, Line>()

  constructor(connections: Connections) {
    this.#connections = connections
  }

  /** Runs a whole transaction. Errors: those of `commitOn`; `unavailable`. */
  run(statements: readonly Waiting[]): Promise<void> {
    const party = projectServed()
    const line = this.#lines.get(party) ?? { waiting: [], underWay: 0, isSoon: false }
    this.#lines.set(party, line)
    return new Promise((resolve, reject) => {
      const claims = statements.find((statement) => statement.claims)?.claims ?? ''
      line.waiting.push({ statements, claims, resolve, reject })
      if (line.isSoon || line.underWay >= fewUnderWay) return
      line.isSoon = true
      setImmediate(() => {
        line.isSoon = false
        void this.#runAll(party, line)
      })
    })
  }

  async #runAll(party: ProjectId | undefined, line: Line): Promise<void> {
    while (line.waiting.length > 0 && line.underWay < fewUnderWay) {
      const members = line.waiting.splice(0, mostTogether)
      line.underWay += members.length
      await this.#runGroup(members)
      line.underWay -= members.length
    }
    if (!line.isSoon && line.waiting.length + line.underWay === 0) this.#lines.delete(party)
  }

  async #runGroup(members: readonly BatchMember[]): Promise<void> {
    try {
      const { connection, release } = await this.#connections.lease()
      await commitGroup(connection, members).finally(release)
    } catch (error) {
      for (const { reject } of members) reject(error)
    }
  }
}

/**
 * Commits all members in one transaction; when one is refused, each gets its own. Throws errors that concern all of
 * them.
 */
async function commitGroup(connection: Connection, members: readonly BatchMember[]): Promise<void> {
  // Sorted, so that two groups never wait for each other's unique values.
  const inOrder = members.toSorted((a, b) => (a.claims < b.claims ? -1 : 1))
  try {
    const all = withAllRows(inOrder.map(({ statements }) => statements))
    await commitOn(connection, [begin, ...all], members.length)
    for (const { resolve } of members) resolve()
  } catch (error) {
    const wasBroken = connection.isBroken
    await rollBackOn(connection)
    if (members.length === 1 || error instanceof OutcomeUnknown || wasBroken) throw error
    for (const member of inOrder) {
      // What refused one says nothing of those who were not tried alone before the connection broke.
      if (connection.isBroken) member.reject(unavailable(error))
      else await commitGroup(connection, [member]).catch(member.reject)
    }
  }
}
