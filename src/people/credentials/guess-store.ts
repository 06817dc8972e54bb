/** Statements on failed attempts. */
import { sql } from 'kysely'
import type { Queries, Transaction } from '../../kernel/data/db.ts'
import type { GuessRow } from '../tables.ts'

/** The rows of some subjects, as far as there are any. */
export async function guessesOf(query: Queries, subjects: readonly string[]): Promise<GuessRow[]> {
  return query.selectFrom('guess').selectAll().where('subject', 'in', subjects).execute()
}

/** The row of a subject, locked until the transaction ends. */
export async function lockGuess(tx: Transaction, subject: string): Promise<GuessRow> {
  await tx.query
    .insertInto('guess')
    .values({ subject, failures: 0, since: tx.now, blocked_until: 0 })
    .onConflict((conflict) => conflict.column('subject').doNothing())
    .execute()
  const { rows } = await sql<GuessRow>`
    select * from guess where subject = ${subject} ${tx.dialect.lockRows('update')}
  `.execute(tx.query)
  // Nobody else can have it now, but somebody may have forgotten it in between.
  return rows[0] ?? { subject, failures: 0, since: tx.now, blocked_until: 0 }
}

export async function writeGuess(tx: Transaction, { subject, ...change }: GuessRow): Promise<void> {
  await tx.query.updateTable('guess').set(change).where('subject', '=', subject).execute()
}

export async function forgetGuess(tx: Transaction, subject: string): Promise<void> {
  await tx.query.deleteFrom('guess').where('subject', '=', subject).execute()
}

interface Old {
  readonly beforeMs: number
  /** The prefix that subjects must have, and the prefix that they must not have. */
  readonly of?: string
  readonly butOf?: string
}

/** Deletes attempts that began before a time, and of which no wait has ended since. */
export async function forgetOldGuesses(tx: Transaction, { beforeMs, of = '', butOf }: Old): Promise<void> {
  const old = tx.query.deleteFrom('guess').where('since', '<', beforeMs).where('blocked_until', '<', beforeMs)
  const some = old.where('subject', 'like', `${of}%`)
  await (butOf === undefined ? some : some.where('subject', 'not like', `${butOf}%`)).execute()
}
