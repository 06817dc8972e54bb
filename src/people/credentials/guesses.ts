/**
 * Limits guessing, by account and network and by network alone. Ten attempts within 15 minutes are free; each one after
 * that has to wait twice as long as the one before. An account is never locked by a stranger: other networks are not affected.
 * One-time codes, which are short, are counted across all networks too, and over days: only somebody who has the password
 * gets that far. An attempt is counted before it is judged, so that parallel ones cannot slip through, forgotten when it
 * succeeds, and given back when it could not be judged. One that is refused leaves nothing behind.
 */
import { hash } from 'node:crypto'
import type { Database, Transaction } from '../../kernel/data/db.ts'
import { ApiError } from '../../kernel/errors.ts'
import { onOwnBehalf } from '../../kernel/process/behalf.ts'
import { channels } from '../../kernel/process/channels.ts'
import type { People } from '../people.ts'
import type { GuessRow } from '../tables.ts'
import { forgetGuess, forgetOldGuesses, guessesOf, lockGuess, writeGuess } from './guess-store.ts'
import { isOneTimeCode } from './totp.ts'

const firstWaitMs = 60_000

/** The rule that counts attempts which share a row. */
interface Counting {
  readonly free: number
  /** The time after the first attempt, and after the last wait, until all are forgotten. */
  readonly windowMs: number
  readonly longestWaitMs: number
}

const shortly = { windowMs: 15 * 60_000, longestWaitMs: 60 * 60_000 }
/** Attempts on one account from one network. */
const ofAccount: Counting = { free: 10, ...shortly }
/** Attempts from one network, which many people may share. */
const ofNetwork: Counting = { free: 50, ...shortly }
/** One-time codes of a person from anywhere: about 50 in a month, of a million. */
const ofCodes: Counting = { free: 50, windowMs: 30 * 86_400_000, longestWaitMs: 86_400_000 }

/** An attempt on an account, in any form, from a network. */
export interface Attempt {
  /** The secret that is guessed: `password`, `code`, `recovery`, the `proof` of a session, `token` or `reset`. */
  readonly what: string
  readonly account: string
  readonly network: string
  /** The person whose one-time code it is. */
  readonly codeOf?: number
}

/**
 * A code of a person. Signing in and proving who one is share their tries. Recovery codes, which are too long to be guessed,
 * count in one network alone: they let in whom somebody keeps from using one-time codes.
 */
export function codeOf(personId: number, network: string, code: string): Attempt {
  const attempt = { account: String(personId), network }
  return isOneTimeCode(code) ? { ...attempt, what: 'code', codeOf: personId } : { ...attempt, what: 'recovery' }
}

const subjectsOf = (attempt: Attempt) => rowsOf(attempt).map(([subject]) => subject)

/** An attempt that is judged. */
export interface Admitted {
  /** The free attempts left, and the time at which all are forgotten; without any left, when the next one counts. */
  readonly left: number
  readonly until: number
  /** The number of one-time codes of the person that have been tried, from anywhere. */
  readonly codes: number
}

/** Nothing may be tried before `until`, in milliseconds since the epoch. */
export class Blocked extends Error {
  readonly until: number

  constructor(until: number) {
    super('too many attempts')
    this.until = until
  }
}

const codesOf = (personId: number) => `${codesPrefix}${personId}`
const codesPrefix = 'codes of person '

/** The rows that an attempt counts in, always in this order. */
function rowsOf({ what, account, network, codeOf }: Attempt): readonly (readonly [string, Counting])[] {
  return [
    // Hashed, since people type passwords into the wrong field.
    [`account ${hash('sha256', `${what} ${account} ${network}`)}`, ofAccount],
    [`network ${network}`, ofNetwork],
    ...(codeOf === undefined ? [] : [[codesOf(codeOf), ofCodes] as const]),
  ]
}

type Guarding = Pick<People, 'db' | 'clock' | 'log' | 'hashing'>

/** Judges an attempt, unless it is blocked. Counting is no change that the audit log tells of. Errors: those of `judge`. */
export async function judged<T>(
  guarding: Guarding,
  attempt: Attempt,
  judge: (admitted: Admitted) => Promise<T>,
): Promise<T | Blocked> {
  const until = await blockedUntil(guarding, attempt)
  return until === undefined ? judgeCounted(guarding, attempt, judge) : toldBlocked(attempt, new Blocked(until))
}

/**
 * Does the same for what takes hashing, in its turn: who is blocked takes nobody's place in the line, and who is turned away
 * there has not guessed. Errors: `unavailable`.
 */
export async function judgedInLine<T>(
  guarding: Guarding,
  attempt: Attempt,
  judge: (admitted: Admitted) => Promise<T>,
): Promise<T | Blocked> {
  const until = await blockedUntil(guarding, attempt)
  if (until !== undefined) return toldBlocked(attempt, new Blocked(until))
  return guarding.hashing.run(attempt.network, () => judgeCounted(guarding, attempt, judge))
}

function toldBlocked({ what: secret }: Attempt, blocked: Blocked): Blocked {
  if (channels.blocked.hasSubscribers) channels.blocked.publish({ secret })
  return blocked
}

async function blockedUntil({ db, clock }: Guarding, attempt: Attempt): Promise<number | undefined> {
  const rows = await guessesOf(db.query, subjectsOf(attempt))
  const until = Math.max(0, ...rows.map(({ blocked_until }) => blocked_until))
  return until > clock.now() ? until : undefined
}

async function judgeCounted<T>(
  { db, log }: Guarding,
  attempt: Attempt,
  judge: (admitted: Admitted) => Promise<T>,
): Promise<T | Blocked> {
  const admitted = await onOwnBehalf(() => count(db, attempt))
  if (admitted instanceof Blocked) return toldBlocked(attempt, admitted)
  try {
    return await judge(admitted)
  } catch (error) {
    const isJudged = error instanceof ApiError && error.status < 500
    if (!isJudged) {
      await onOwnBehalf(() => db.transact((tx) => giveBack(tx, attempt))).catch((err: unknown) => {
        log.warn({ err }, 'an attempt that was not judged stays counted')
      })
    }
    throw error
  }
}

/** Counts an attempt. One that is blocked is undone as a whole, so that it leaves no rows. */
async function count(db: Database, attempt: Attempt): Promise<Admitted | Blocked> {
  try {
    return await db.transact(async (tx) => {
      const counted: GuessRow[] = []
      for (const [subject, counting] of rowsOf(attempt)) {
        const row = renewed(await lockGuess(tx, subject), counting, tx.now)
        if (row.blocked_until > tx.now) throw new Blocked(row.blocked_until)
        counted.push(plusOne(row, counting, tx.now))
      }
      for (const row of counted) await writeGuess(tx, row)
      const [account, , codes] = counted
      const left = Math.max(0, ofAccount.free - account!.failures)
      const until = left > 0 ? account!.since + ofAccount.windowMs : account!.blocked_until
      return { left, until, codes: codes?.failures ?? 0 }
    })
  } catch (error) {
    if (error instanceof Blocked) return error
    throw error
  }
}

/**
 * Forgets the attempts on an account from a network that succeeded in the end, and one of the network. Of one-time codes those
 * from other networks stay counted: they may be somebody else's.
 */
export async function forgetAttempts(tx: Transaction, attempt: Attempt): Promise<void> {
  const [account, network, codes] = subjectsOf(attempt)
  const { failures } = await lockGuess(tx, account!)
  await forgetGuess(tx, account!)
  await takeBack(tx, network!, 1)
  if (codes !== undefined) await takeBack(tx, codes, failures)
}

/** Forgets the one-time codes that were tried, as far as they are counted across networks. */
export function forgetCodes(tx: Transaction, personId: number): Promise<void> {
  return forgetGuess(tx, codesOf(personId))
}

/** The one-time codes of a person that were tried and not right, and since when. */
export async function triedCodes(
  { db, clock }: Pick<People, 'db' | 'clock'>,
  personId: number,
): Promise<Pick<GuessRow, 'failures' | 'since'>> {
  const [row] = await guessesOf(db.query, [codesOf(personId)])
  return row ? renewed(row, ofCodes, clock.now()) : { failures: 0, since: clock.now() }
}

async function giveBack(tx: Transaction, attempt: Attempt): Promise<void> {
  for (const subject of subjectsOf(attempt)) await takeBack(tx, subject, 1)
}

/** Takes attempts back, and with them the wait that the last one began. */
async function takeBack(tx: Transaction, subject: string, attempts: number): Promise<void> {
  const row = await lockGuess(tx, subject)
  const failures = Math.max(0, row.failures - attempts)
  await writeGuess(tx, { ...row, failures, blocked_until: Math.min(row.blocked_until, tx.now) })
}

/** Deletes what no longer counts. */
export async function forgetOldAttempts(tx: Transaction): Promise<void> {
  await forgetOldGuesses(tx, { beforeMs: tx.now - ofAccount.windowMs, butOf: codesPrefix })
  await forgetOldGuesses(tx, { beforeMs: tx.now - ofCodes.windowMs, of: codesPrefix })
}

function renewed(row: GuessRow, { windowMs }: Counting, now: number): GuessRow {
  const isOver = now - Math.max(row.since, row.blocked_until) > windowMs
  return isOver ? { ...row, failures: 0, since: now, blocked_until: 0 } : row
}

function plusOne(row: GuessRow, { free, longestWaitMs }: Counting, now: number): GuessRow {
  const failures = row.failures + 1
  const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(20, failures - free))
  return { ...row, failures, blocked_until: failures >= free ? now + wait : 0 }
}
