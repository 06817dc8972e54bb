/**
 * Request limits (spec: Limits): a token bucket for each Project, or each client network without one. A bucket holds an
 * hour's requests and refills continuously, so bursts pass and the average holds. The arithmetic is GCRA: one number a
 * bucket, the time at which it will be full again.
 */
import { sql } from 'kysely'
import type { Database } from '../data/db.ts'

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
  const backlog = (key: string, at: number) => Math.max(0, (fullAt.get(key) ?? 0) - at)
  return {
    take(key) {
      const at = now()
      const before = backlog(key, at)
      const after = before + intervalMs
      const admitted = after <= hourMs + intervalMs * 1e-6
      fullAt.delete(key)
      if (fullAt.size >= maxBuckets) fullAt.delete(fullAt.keys().next().value as string)
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

declare module '../data/db.ts' {
  interface Tables {
    rate_limit: RateLimitRow
  }
}

interface Wallet {
  /** Requests bought and not yet spent. */
  credits: number
  /** Requests that the shared bucket held after the last purchase. */
  left: number
  /** Monotonic time of the last purchase. */
  boughtAt: number
  /** Monotonic time at which the shared bucket has made up for all that was bought until the last purchase. */
  fullAt: number
  /** Monotonic time until which buying is pointless, after a refusal. */
  brokeUntil: number
  /** Requests that wait for the purchase. */
  waiting: number
  purchase: Promise<void> | undefined
}

/** Requests that one purchase holds at most, unless the bucket refills so fast that they would expire before they are spent. */
const usualLot = 64
const lotMs = 100
/** A process buys at most this part of what is left, so that several of them run dry together. */
const purchasePart = 24

/**
 * Buckets shared by several processes: each buys requests in small lots from one row, prepaid, so that together they
 * never admit more than the limit. What was bought and is not needed expires as the bucket refills, because a full
 * bucket is all that anyone may spend at once; a lost process loses only what it had bought.
 */
export function sharedLimiter(db: Database, limit: number, now: () => number = () => performance.now()): Limiter {
  const intervalMs = hourMs / limit
  const wallets = new Map<string, Wallet>()
  const walletOf = (key: string): Wallet => {
    const known = wallets.get(key)
    if (known) return known
    if (wallets.size >= maxBuckets) wallets.delete(wallets.keys().next().value as string)
    const made = { credits: 0, left: limit, boughtAt: now(), fullAt: 0, brokeUntil: 0, waiting: 0, purchase: undefined }
    wallets.set(key, made)
    return made
  }
  const verdict = (wallet: Wallet, admitted: boolean): Verdict => {
    const refilled = (now() - wallet.boughtAt) / intervalMs
    const remaining = admitted ? Math.min(limit, Math.floor(wallet.left + wallet.credits + refilled)) : 0
    return { admitted, limit, remaining, resetMs: (limit - remaining) * intervalMs }
  }
  const spend = (wallet: Wallet): Verdict => {
    wallet.credits--
    return verdict(wallet, true)
  }
  const buy = async (key: string, wallet: Wallet): Promise<void> => {
    const asked = now()
    const { bought, left, backlogMs } = await buyCredits(db, key, { atLeast: wallet.waiting, limit })
    Object.assign(wallet, { credits: wallet.credits + bought, left, boughtAt: asked, fullAt: asked + backlogMs })
    if (bought === 0) wallet.brokeUntil = now() + Math.min(intervalMs, 1_000)
  }
  const buyAndSpend = async (key: string, wallet: Wallet): Promise<Verdict> => {
    wallet.waiting++
    try {
      for (;;) {
        wallet.purchase ??= buy(key, wallet).finally(() => {
          wallet.purchase = undefined
        })
        await wallet.purchase
        if (wallet.credits >= 1) return spend(wallet)
        if (now() < wallet.brokeUntil) return verdict(wallet, false)
      }
    } finally {
      wallet.waiting--
    }
  }
  return {
    take(key) {
      const wallet = walletOf(key)
      const valid = Math.max(0, Math.floor((wallet.fullAt - now()) / intervalMs))
      wallet.credits = Math.min(wallet.credits, valid)
      if (wallet.credits >= 1) return spend(wallet)
      return now() < wallet.brokeUntil ? verdict(wallet, false) : buyAndSpend(key, wallet)
    },
    peek: (key) => verdict(walletOf(key), true),
  }
}

/** Takes requests out of the shared bucket in one transaction, by the database's clock. */
async function buyCredits(
  db: Database,
  key: string,
  { atLeast, limit }: { atLeast: number; limit: number },
): Promise<{ bought: number; left: number; backlogMs: number }> {
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
    // A clock that jumped ahead and back must not lock a Project out for longer than a full bucket takes.
    const before = Math.min(Math.max(rows[0]!.full_at - now, 0), hour)
    // Whole microseconds are rounded up, which must not cost a limit that does not divide the hour its last request.
    const available = Math.floor((hour - before) / interval + 0.01)
    const want = Math.max(atLeast, Math.floor(available / purchasePart))
    const largest = Math.max(usualLot, Math.floor((limit * lotMs) / hourMs))
    const bought = Math.min(want, largest, available)
    const after = Math.ceil(before + bought * interval)
    await tx.query
      .updateTable('rate_limit')
      .set({ full_at: now + after })
      .where('bucket', '=', key)
      .execute()
    return { bought, left: available - bought, backlogMs: after / 1_000 }
  })
}
