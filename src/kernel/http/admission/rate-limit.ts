/**
 * Rate limits (spec: Limits): a token bucket for each Project, its people, or a client network without a Project. A bucket
 * holds the requests of an hour and refills continuously, so bursts pass and the average holds. It is implemented as
 * GCRA, with one number per bucket: the time at which it is full again.
 */
import { sql } from 'kysely'
import type { Database } from '../../data/db.ts'

export interface Verdict {
  readonly admitted: boolean
  /** Requests per hour. */
  readonly limit: number
  readonly remaining: number
  /** Milliseconds until the bucket is full again. */
  readonly resetMs: number
}

/** Admits or refuses one request of the bucket `key`. Synchronous unless it has to ask the database. */
export interface Limiter {
  take(key: string): Verdict | Promise<Verdict>
  /** The state of the bucket, without taking a request. */
  peek(key: string): Verdict
}

/** Returns the one of two verdicts on a request that leaves less. */
export function narrower(a: Verdict, b: Verdict): Verdict {
  if (a.admitted !== b.admitted) return a.admitted ? b : a
  return a.remaining <= b.remaining ? a : b
}

const hourMs = 3_600_000
const maxBuckets = 50_000

/** No limit: the headers show the largest number that every client can represent. */
export const unlimited: Limiter = (() => {
  const verdict: Verdict = { admitted: true, limit: 2 ** 31 - 1, remaining: 2 ** 31 - 1, resetMs: 0 }
  return { take: () => verdict, peek: () => verdict }
})()

/**
 * Exact buckets of this process alone. `now` is a monotonic clock in milliseconds; a bucket holds the requests of `spanMs`.
 */
export function localLimiter(
  limit: number,
  now: () => number = () => performance.now(),
  spanMs: number = hourMs,
): Limiter {
  const intervalMs = spanMs / limit
  /** Least recently used first, so that the bound drops the bucket that was idle longest. */
  const fullAt = new Map<string, number>()
  let latest: string | undefined
  const verdict = (admitted: boolean, backlogMs: number): Verdict => ({
    admitted,
    limit,
    remaining: Math.floor((spanMs - backlogMs + intervalMs * 1e-6) / intervalMs),
    resetMs: backlogMs,
  })
  const backlog = (key: string, at: number) => Math.max(0, (fullAt.get(key) ?? 0) - at)
  return {
    take(key) {
      const at = now()
      const before = backlog(key, at)
      const after = before + intervalMs
      const admitted = after <= spanMs + intervalMs * 1e-6
      // One that comes again is the latest already.
      if (key !== latest) {
        fullAt.delete(key)
        if (fullAt.size >= maxBuckets) fullAt.delete(fullAt.keys().next().value as string)
        latest = key
      }
      fullAt.set(key, at + (admitted ? after : before))
      return verdict(admitted, admitted ? after : before)
    },
    peek: (key) => verdict(true, backlog(key, now())),
  }
}

interface RateLimitRow {
  readonly bucket: string
  /** Database time in microseconds at which the bucket is full again. */
  readonly full_at: number
}

declare module '../../data/db.ts' {
  interface Tables {
    rate_limit: RateLimitRow
  }
}

interface LocalCredits {
  /** Requests taken from the shared bucket and not used yet. */
  credits: number
  /** Requests left in the shared bucket after the last refill. */
  left: number
  /** Monotonic time of the last refill. */
  refilledAt: number
  /** Monotonic time at which the shared bucket has regained everything taken until the last refill. */
  fullAt: number
  /** Monotonic time until which the shared bucket is known to be empty. */
  emptyUntil: number
  /** Requests that wait for the refill. */
  waiting: number
  refill: Promise<void> | undefined
}

/** Maximum credits per refill, unless the bucket refills so fast that they would expire before use. */
const usualRefill = 64
const refillMs = 100
/** A process takes at most this fraction of what is left, so that several processes run out at the same time. */
const refillPart = 24

/**
 * Buckets shared by several processes: each process takes credits in small lots from one row, in advance, so that
 * together they never admit more than the limit. Unused credits expire as the bucket refills, because no more than a full
 * bucket may be used at once; a process that dies loses only its own credits.
 */
export function sharedLimiter(db: Database, limit: number, now: () => number = () => performance.now()): Limiter {
  const intervalMs = hourMs / limit
  const accounts = new Map<string, LocalCredits>()
  const accountOf = (key: string): LocalCredits => {
    const known = accounts.get(key)
    if (known) return known
    if (accounts.size >= maxBuckets) accounts.delete(accounts.keys().next().value as string)
    const made = { credits: 0, left: limit, refilledAt: now(), fullAt: 0, emptyUntil: 0, waiting: 0, refill: undefined }
    accounts.set(key, made)
    return made
  }
  const verdict = (account: LocalCredits, admitted: boolean): Verdict => {
    const refilled = (now() - account.refilledAt) / intervalMs
    const remaining = admitted ? Math.min(limit, Math.floor(account.left + account.credits + refilled)) : 0
    return { admitted, limit, remaining, resetMs: (limit - remaining) * intervalMs }
  }
  const spend = (account: LocalCredits): Verdict => {
    account.credits--
    return verdict(account, true)
  }
  const refillAccount = async (key: string, account: LocalCredits): Promise<void> => {
    const asked = now()
    const { taken, left, backlogMs } = await takeCredits(db, key, { atLeast: account.waiting, limit })
    Object.assign(account, { credits: account.credits + taken, left, refilledAt: asked, fullAt: asked + backlogMs })
    if (taken === 0) account.emptyUntil = now() + Math.min(intervalMs, 1_000)
  }
  const refillAndSpend = async (key: string, account: LocalCredits): Promise<Verdict> => {
    account.waiting++
    try {
      for (;;) {
        account.refill ??= refillAccount(key, account).finally(() => {
          account.refill = undefined
        })
        await account.refill
        if (account.credits >= 1) return spend(account)
        if (now() < account.emptyUntil) return verdict(account, false)
      }
    } finally {
      account.waiting--
    }
  }
  return {
    take(key) {
      const account = accountOf(key)
      const valid = Math.max(0, Math.floor((account.fullAt - now()) / intervalMs))
      account.credits = Math.min(account.credits, valid)
      if (account.credits >= 1) return spend(account)
      return now() < account.emptyUntil ? verdict(account, false) : refillAndSpend(key, account)
    },
    peek: (key) => verdict(accountOf(key), true),
  }
}

/** Takes credits from the shared bucket in one transaction, by the database's clock. */
async function takeCredits(
  db: Database,
  key: string,
  { atLeast, limit }: { atLeast: number; limit: number },
): Promise<{ taken: number; left: number; backlogMs: number }> {
  const hour = hourMs * 1_000
  const interval = hour / limit
  return db.transact(async (tx) => {
    await tx.query
      .insertInto('rate_limit')
      .values({ bucket: key, full_at: 0 })
      .onConflict((conflict) => conflict.column('bucket').doNothing())
      .execute()
    const { rows } = await sql<{ full_at: number; now: number }>`
      select full_at, ${tx.dialect.nowMs} as now from rate_limit where bucket = ${key} ${tx.dialect.lockRows('update')}
    `.execute(tx.query)
    const now = rows[0]!.now * 1_000
    // A clock that jumped ahead and back must not lock out a Project for longer than a full bucket takes to refill.
    const before = Math.min(Math.max(rows[0]!.full_at - now, 0), hour)
    // Compensates for rounding up to whole microseconds, which would cost limits that do not divide the hour one
    // request.
    const available = Math.floor((hour - before) / interval + 0.01)
    const want = Math.max(atLeast, Math.floor(available / refillPart))
    const largest = Math.max(usualRefill, Math.floor((limit * refillMs) / hourMs))
    const taken = Math.min(want, largest, available)
    const after = Math.ceil(before + taken * interval)
    await tx.query
      .updateTable('rate_limit')
      .set({ full_at: now + after })
      .where('bucket', '=', key)
      .execute()
    return { taken, left: available - taken, backlogMs: after / 1_000 }
  })
}
