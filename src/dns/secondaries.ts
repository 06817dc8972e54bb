/**
 * Keeps secondary zones as their primaries have them: asks when the times of their SOA records say so, and at once when
 * a primary says that something has changed. Of several processes one asks.
 */
import { claimCheck, storeTransfer, wakeCheck } from '../families/zones/effects.ts'
import { dueZones, openPrimaries, type Source, servedRrsetsOf, soaKey, sourceOf } from '../families/zones/reads.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../kernel/db.ts'
import type { Logger } from '../kernel/log.ts'
import { parseAddress } from '../kernel/networks.ts'
import type { Secrets } from '../kernel/secrets/secrets.ts'
import { type Received, receiveZone } from './transfer-in.ts'

export interface SecondariesOptions {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  /** Opens the keys that are shared with primaries. */
  readonly secrets: Secrets
}

const second = 1_000
/** How long whoever claimed a check has for it before another process may try. */
const claimMs = 180 * second
const atOnce = 8
/** Bounds of what SOA records may ask for. */
const shortestMs = 60 * second
const longestMs = 86_400 * second
/** How soon a zone is asked for again of which nothing has ever come. */
const firstRetryMs = 300 * second

const between = (seconds: number) => Math.min(Math.max(seconds * second, shortestMs), longestMs)

export class Secondaries {
  readonly #options: SecondariesOptions
  readonly #stopped = new AbortController()
  #round: Promise<void> | undefined
  #isAsked = false

  constructor(options: SecondariesOptions) {
    this.#options = options
  }

  /** Asks for every zone that is due, those among them that become due meanwhile. */
  run(): Promise<void> {
    this.#isAsked = true
    this.#round ??= this.#runAll().finally(() => {
      this.#round = undefined
    })
    return this.#round
  }

  /** Breaks off what is being asked, and asks no more. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#round?.catch(() => undefined)
  }

  /** Takes a word about a zone. Returns whether it came from one of its primaries, which are asked at the next `run`. */
  async hear(zoneId: number, address: string): Promise<boolean> {
    const source = await sourceOf(this.#options.db.query, zoneId)
    const parsed = parseAddress(address)
    if (!source || !parsed.ok || !source.primaries.nameservers.some((one) => one.address === parsed.address))
      return false
    await this.#options.db.transact((tx) => wakeCheck(tx, source))
    return true
  }

  async #runAll(): Promise<void> {
    const { db, clock } = this.#options
    while (this.#isAsked && !this.#stopped.signal.aborted) {
      // Who asks from here on may know of zones that are not seen here.
      this.#isAsked = false
      const due = await dueZones(db.query, clock.now(), atOnce)
      if (due.length === atOnce) this.#isAsked = true
      await Promise.all(due.map((source) => this.#check(source)))
    }
  }

  async #check(source: Source): Promise<void> {
    const { db, clock } = this.#options
    const claimed = clock.now() + claimMs
    if (!(await db.transact((tx) => claimCheck(tx, source, claimed)))) return
    const received = await this.#receive(source)
    // Whoever comes next asks again when the claim is over.
    if (this.#stopped.signal.aborted) return
    const later = received ? undefined : await this.#later(source)
    const content = received?.rrsets && { serial: received.serial, rrsets: received.rrsets }
    await storeTransfer(db, source, {
      claimed,
      waitMs: received ? between(received.refresh) : later!.waitMs,
      isHeard: received !== undefined,
      isStale: later?.isStale ?? false,
      ...(content ? { content } : {}),
    })
  }

  async #receive(source: Source): Promise<Received | undefined> {
    const { db, secrets, clock, log } = this.#options
    for (const primary of await openPrimaries(db.query, secrets, source.scope, source.zoneId, source.primaries)) {
      try {
        return await receiveZone(source, primary, { nowMs: clock.now, signal: this.#stopped.signal })
      } catch (error) {
        const { address, port } = primary
        log.info({ zone: source.name, primary: `${address} ${port}`, reason: (error as Error).message }, 'no transfer')
      }
    }
    return undefined
  }

  /** How long to wait after nobody answered, and whether what is known is no longer good (RFC 1034, 4.3.5). */
  async #later({ zoneId, contentId, refreshed }: Source): Promise<{ waitMs: number; isStale: boolean }> {
    const { db, clock } = this.#options
    const [soa] = await servedRrsetsOf(db.query, { id: zoneId, contentId }, [soaKey])
    const [retry, expire] = soa?.values[0]?.split(' ').slice(4).map(Number) ?? []
    if (refreshed === null || retry === undefined || expire === undefined)
      return { waitMs: firstRetryMs, isStale: true }
    return { waitMs: between(retry), isStale: clock.now() - refreshed > expire * second }
  }
}
