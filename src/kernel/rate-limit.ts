/**
 * Request limits (spec: Limits): a token bucket for each Project, or each client network without one. A bucket holds an
 * hour's requests and refills continuously, so bursts pass and the average holds. The arithmetic is GCRA: one number a
 * bucket, the time at which it will be full again.
 */
import { sql } from 'kysely'
import type { Database } from './db.ts'

export interface Verdict {
  readonly admitted: boolean
  /** Requests an hour. */
  readonly limit: number
  readonly remaining: number
  /** Milliseconds until the full quota is there again. */
  readonly resetMs: number
}

/** Admits or refuses one request of the bucket `key`. Answers at once unless it has to ask the database. */
export interface Limiter {
  take(key: string): Verdict | Promise<Verdict>
  /** What `take` would leave, without taking. */
  peek(key: string): Verdict
}

const hourMs = 3_600_000
const maxBuckets = 50_000

/** No limit: the headers say so with the largest number that every client can hold. */
export const unlimited: Limiter = (() => {
  const verdict: Verdict = { admitted: true, limit: 2 ** 31 - 1, remaining: 2 ** 31 - 1, resetMs: 0 }
  return { take: () => verdict, peek: () => verdict }
})()

/** Buckets of this process alone; exact. `now` is a monotonic time in milliseconds. */
export function localLimiter(limit: number, now: () => number = () => performance.now()): Limiter {
  const intervalMs = hourMs / limit
  /** Least recently used first, so that the bound drops whoever has been silent longest. */
  const fullAt = new Map<string, number>()
  const verdict = (admitted: boolean, backlogMs: number): Verdict => ({
    admitted,
    limit,
    remaining: Math.floor((hourMs - backlogMs + intervalMs * 1e-6) / intervalMs),
    resetMs: backlogMs,
  })
  const backlog = (key: string) => Math.max(0, (fullAt.get(key) ?? 0) - now())
  return {
    take(key) {
      const before = backlog(key)
      const after = before + intervalMs
      if (after > hourMs + intervalMs * 1e-6) return verdict(false, before)
      fullAt.delete(key)
      if (fullAt.size >= maxBuckets) fullAt.delete(fullAt.keys().next().value as string)
      fullAt.set(key, now() + after)
      return verdict(true, after)
    },
    peek: (key) => verdict(true, backlog(key)),
  }
}

interface RateLimitRow {
  readonly bucket: string
  /** Database time in milliseconds at which the bucket is full again. */
  readonly full_at: number
}

declare module './db.ts' {
  interface Tables {
    rate_limit: RateLimitRow
  }
}

interface Wallet {
  /** Requests bought and not yet spent. */
  credits: number
  /** Requests that the shared bucket held after the last purchase. */
  left: number
  /** Monotonic time until which buying is pointless, after a refusal. */
  brokeUntil: number
  boughtAt: number
  purchase: Promise<void> | undefined
}

/**
 * Buckets shared by several processes: each buys requests in small lots from one row, prepaid, so that together they
 * never admit more than the limit. A lost process loses only what it had bought.
 */
export function sharedLimiter(db: Database, limit: number, now: () => number = () => performance.now()): Limiter {
  const intervalMs = hourMs / limit
  const wallets = new Map<string, Wallet>()
  const walletOf = (key: string): Wallet => {
    const known = wallets.get(key)
    if (known) return known
    if (wallets.size >= maxBuckets) wallets.delete(wallets.keys().next().value as string)
    const made = { credits: 0, left: limit, brokeUntil: 0, boughtAt: now(), purchase: undefined }
    wallets.set(key, made)
    return made
  }
  const verdict = (wallet: Wallet, admitted: boolean): Verdict => {
    const refilled = (now() - wallet.boughtAt) / intervalMs
    const remaining = admitted ? Math.min(limit, Math.floor(wallet.left + wallet.credits + refilled)) : 0
    return { admitted, limit, remaining, resetMs: (limit - remaining) * intervalMs }
  }
  const spend = (wallet: Wallet): Verdict => {
    if (wallet.credits < 1) return verdict(wallet, false)
    wallet.credits--
    return verdict(wallet, true)
  }
  const buy = async (key: string, wallet: Wallet): Promise<void> => {
    const want = Math.max(1, Math.min(64, Math.floor(wallet.left / 24)))
    const { bought, left } = await buyCredits(db, key, { want, intervalMs })
    wallet.credits += bought
    wallet.left = left
    wallet.boughtAt = now()
    if (bought === 0) wallet.brokeUntil = now() + Math.min(intervalMs, 1_000)
  }
  return {
    take(key) {
      const wallet = walletOf(key)
      if (wallet.credits >= 1 || now() < wallet.brokeUntil) return spend(wallet)
      wallet.purchase ??= buy(key, wallet).finally(() => {
        wallet.purchase = undefined
      })
      return wallet.purchase.then(() => spend(wallet))
    },
    peek: (key) => verdict(walletOf(key), true),
  }
}

/** Takes up to `want` requests out of the shared bucket in one transaction, by the database's clock. */
async function buyCredits(
  db: Database,
  key: string,
  { want, intervalMs }: { want: number; intervalMs: number },
): Promise<{ bought: number; left: number }> {
  return db.transact(async (tx) => {
    await tx.query
      .insertInto('rate_limit')
      .values({ bucket: key, full_at: 0 })
      .onConflict((conflict) => conflict.column('bucket').doNothing())
      .execute()
    const { rows } = await sql<{ full_at: number; now: number }>`
      select full_at, ${tx.dialect.nowMs} as now from rate_limit where bucket = ${key} ${tx.dialect.lockRows('update')}
    `.execute(tx.query)
    const { full_at, now } = rows[0]!
    // A clock that jumped ahead and back must not lock a Project out for longer than a full bucket takes.
    const backlogMs = Math.min(Math.max(full_at - now, 0), hourMs)
    const available = Math.floor((hourMs - backlogMs) / intervalMs)
    const bought = Math.min(want, available)
    const fullAt = Math.ceil(now + backlogMs + bought * intervalMs)
    await tx.query.updateTable('rate_limit').set({ full_at: fullAt }).where('bucket', '=', key).execute()
    return { bought, left: available - bought }
  })
}
