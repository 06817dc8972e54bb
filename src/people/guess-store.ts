/** Statements on failed attempts. */
import { sql } from 'kysely'
import type { Transaction } from '../kernel/data/db.ts'
import type { GuessRow } from './tables.ts'

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

export async function forgetGuesses(tx: Transaction, subjects: readonly string[]): Promise<void> {
  await tx.query.deleteFrom('guess').where('subject', 'in', subjects).execute()
}

export async function forgetOldGuesses(tx: Transaction, beforeMs: number): Promise<void> {
  await tx.query.deleteFrom('guess').where('since', '<', beforeMs).where('blocked_until', '<', tx.now).execute()
}
