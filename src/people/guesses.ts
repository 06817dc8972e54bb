/**
 * Limits guessing, by account and network and by network alone. Ten attempts within 15 minutes are free; each one after
 * that has to wait twice as long as the one before. An account is never locked by a stranger: other networks are not affected.
 * Codes, which are short, are counted across all networks too: only somebody who has the password gets that far. An attempt is
 * counted before it is judged, so that parallel ones cannot slip through, and forgotten when it succeeds.
 */
import { hash } from 'node:crypto'
import type { Database, Transaction } from '../kernel/data/db.ts'
import { onOwnBehalf } from '../kernel/process/behalf.ts'
import { forgetGuesses, forgetOldGuesses, lockGuess, writeGuess } from './guess-store.ts'
import type { GuessRow } from './tables.ts'

const windowMs = 15 * 60_000
const firstWaitMs = 60_000
const longestWaitMs = 60 * 60_000
/** Attempts on one account from one network, on any from one network, which many people may share, and from anywhere. */
const freeAttempts = { account: 10, network: 50, anywhere: 50 }

/** Who tries what: an account in any form, from a network. */
export interface Attempt {
  /** What is guessed: `password`, `code`, the `proof` of a session, `token` or `reset`. */
  readonly what: string
  readonly account: string
  readonly network: string
}

/** A code of a person. Signing in and proving who one is share their tries. */
export const codeOf = (personId: number, network: string): Attempt => ({
  what: 'code',
  account: String(personId),
  network,
})

export type GuessVerdict =
  | { readonly admitted: true; readonly left: number; readonly until: number }
  /** Nothing may be tried before `until`, in milliseconds since the epoch. */
  | { readonly admitted: false; readonly until: number }

interface Subjects {
  readonly account: string
  readonly network: string
  readonly anywhere?: string
}

function subjectsOf({ what, account, network }: Attempt): Subjects {
  // Hashed, since people type passwords into the wrong field.
  const hashed = (text: string) => `account ${hash('sha256', text)}`
  return {
    account: hashed(`${what} ${account} ${network}`),
    network: `network ${network}`,
    ...(what === 'code' ? { anywhere: hashed(`${what} ${account}`) } : {}),
  }
}

/** Counts an attempt, which is no change that the audit log tells of, whatever becomes of it. */
export function countAttempt(db: Database, attempt: Attempt): Promise<GuessVerdict> {
  const subjects = subjectsOf(attempt)
  return onOwnBehalf(() => count(db, subjects))
}

function count(db: Database, subjects: Subjects): Promise<GuessVerdict> {
  return db.transact(async (tx) => {
    const ofAccount = renewed(await lockGuess(tx, subjects.account), tx.now)
    const ofNetwork = renewed(await lockGuess(tx, subjects.network), tx.now)
    const ofAll = subjects.anywhere === undefined ? undefined : renewed(await lockGuess(tx, subjects.anywhere), tx.now)
    const until = Math.max(ofAccount.blocked_until, ofNetwork.blocked_until, ofAll?.blocked_until ?? 0)
    if (until > tx.now) return { admitted: false, until }
    if (ofAll) await writeGuess(tx, counting(ofAll, freeAttempts.anywhere, tx.now))
    const counted = counting(ofAccount, freeAttempts.account, tx.now)
    await writeGuess(tx, counted)
    await writeGuess(tx, counting(ofNetwork, freeAttempts.network, tx.now))
    const left = Math.max(0, freeAttempts.account - counted.failures)
    return { admitted: true, left, until: left > 0 ? counted.since + windowMs : counted.blocked_until }
  })
}

/** Forgets the attempts of an account that succeeded in the end, and one of its network. */
export async function forgetAttempts(tx: Transaction, attempt: Attempt): Promise<void> {
  const subjects = subjectsOf(attempt)
  await forgetGuesses(tx, [subjects.account, ...(subjects.anywhere === undefined ? [] : [subjects.anywhere])])
  const ofNetwork = await lockGuess(tx, subjects.network)
  await writeGuess(tx, { ...ofNetwork, failures: Math.max(0, ofNetwork.failures - 1) })
}

/** Deletes what no longer counts. */
export function forgetOldAttempts(tx: Transaction): Promise<void> {
  return forgetOldGuesses(tx, tx.now - windowMs - longestWaitMs)
}

function renewed(row: GuessRow, now: number): GuessRow {
  const isOver = now - Math.max(row.since, row.blocked_until) > windowMs
  return isOver ? { ...row, failures: 0, since: now, blocked_until: 0 } : row
}

function counting(row: GuessRow, free: number, now: number): GuessRow {
  const failures = row.failures + 1
  const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(20, failures - free))
  return { ...row, failures, blocked_until: failures >= free ? now + wait : 0 }
}
