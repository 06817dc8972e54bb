/**
 * Keeps secondary zones in sync with their primaries: it asks them as often as the zone's SOA record says, and at once
 * after a NOTIFY. Processes claim zones, so that only one of them asks. Projects take turns.
 */
import { claimCheck, storeTransfer, type TransferredRrset, wakeCheck } from '../families/zones/effects.ts'
import { servedRrsets, servedRrsetsOf, soaKey } from '../families/zones/host.ts'
import { openPrimaries, type PrimaryNameserver, type Source } from '../families/zones/reads.ts'
import type { ZoneSettings } from '../families/zones/settings.ts'
import { dueZones, sourceOf } from '../families/zones/transfers/host.ts'
import type { Database } from '../kernel/data/db.ts'
import { onBehalfOf } from '../kernel/process/behalf.ts'
import { channels } from '../kernel/process/channels.ts'
import type { Clock } from '../kernel/process/clock.ts'
import { FairQueue } from '../kernel/process/fair-queue.ts'
import type { Logger } from '../kernel/process/log.ts'
import { inSpan, tracer } from '../kernel/process/tracing.ts'
import { nextTurn } from '../kernel/process/turns.ts'
import type { ProjectId } from '../kernel/scope.ts'
import type { Secrets } from '../kernel/secrets/secrets.ts'
import { parseAddress } from '../protocols/net/ip.ts'
import { askingStart, refreshStart, type TransferType } from './traced.ts'
import {
  type Asking,
  askSerial,
  isNews,
  type Received,
  receiveChanges,
  receiveZone,
  type ZoneHead,
} from './transfer-in.ts'

export interface SecondariesOptions {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  /** Decrypts the TSIG keys shared with primaries. */
  readonly secrets: Secrets
  readonly settings: Pick<ZoneSettings, 'limits' | 'transfers'>
}

const second = 1_000
/** The time after which another process may take over the claim to a check. */
const claimMs = 180 * second
/** Time limits for asking a primary for its serial, and for a whole zone. */
const serialMs = 30 * second
const transferMs = 120 * second
/** The share of these limits for somebody who waits, and the time after which a primary is not asked again for him. */
const hurriedShare = 1 / 30
const hurriedMs = serialMs * hurriedShare
/** The maximum number of due zones that are loaded, and of zones that are checked at the same time. */
const inHand = { inAll: 256, perProject: 32 }
const asked = { atOnce: 32, perKey: 4 }
/** Bounds for the intervals of SOA records. */
const shortestMs = 60 * second
const longestMs = 86_400 * second
/** The retry interval of a zone that was never transferred. */
const firstRetryMs = 300 * second

const between = (seconds: number) => Math.min(Math.max(seconds * second, shortestMs), longestMs)

/** Primaries that have kept somebody waiting, by address and port: they are not asked again for him. */
export type Silent = Set<string>

/** A question to a primary that has not been answered. */
interface Question {
  /** Gives it up after a while, unless that happens earlier. */
  hurry(): void
}

/** A check in progress. */
interface Check {
  readonly source: Source
  readonly end: Promise<void>
}

export class Secondaries {
  readonly #options: SecondariesOptions
  readonly #stopped = new AbortController()
  readonly #asked = new FairQueue<ProjectId>(asked)
  readonly #transfers: FairQueue<ProjectId>
  /** Checks in progress, by zone id. */
  readonly #checks = new Map<number, Check>()
  readonly #questions = new Set<Question>()
  #round: Promise<void> | undefined
  /** There while somebody waits who is not to be kept by primaries that do not answer. */
  #silent: Silent | undefined
  /** True while there may be due zones without a check in progress. */
  #isDue = false
  #failure: unknown
  /** Wakes the running round after a check has ended or new zones may be due. */
  #wake = () => {}

  constructor(options: SecondariesOptions) {
    this.#options = options
    const { inAll, perProject } = options.settings.transfers
    this.#transfers = new FairQueue({ atOnce: inAll, perKey: perProject })
  }

  /** Checks every zone that is due; resolves when no check is in progress any more. */
  run(): Promise<void> {
    this.#isDue = true
    this.#wake()
    this.#round ??= this.#runAll().finally(() => {
      this.#round = undefined
    })
    return this.#round
  }

  /** Does the same for somebody who is not to be kept by primaries that do not answer. */
  async hurry(silent: Silent): Promise<void> {
    this.#silent = silent
    for (const question of this.#questions) question.hurry()
    try {
      await this.run()
    } finally {
      this.#silent = undefined
    }
  }

  /** Aborts the checks in progress and starts no new ones. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#round?.catch(() => undefined)
    await Promise.all([...this.#checks.values()].map(({ end }) => end))
  }

  /** Handles a NOTIFY for a zone. Returns whether it came from one of its primaries; the next `run` checks the zone. */
  async hear(zoneId: number, address: string): Promise<boolean> {
    const source = await sourceOf(this.#options.db.query, zoneId)
    const parsed = parseAddress(address)
    if (!source || !parsed.ok || !source.primaries.nameservers.some((one) => one.address === parsed.address))
      return false
    // Repeated NOTIFY messages cause only one write.
    if (source.nextCheck > 0) await this.#options.db.transact((tx) => wakeCheck(tx, source))
    return true
  }

  /** Throws the first database failure; checks in progress continue. */
  async #runAll(): Promise<void> {
    for (;;) {
      if (this.#failure !== undefined) {
        const failure = this.#failure
        this.#failure = undefined
        throw failure
      }
      const change = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      if (this.#isDue && !this.#stopped.signal.aborted) await this.#takeInHand()
      else if (this.#checks.size === 0) return
      else await change
    }
  }

  async #takeInHand(): Promise<void> {
    const { db, clock } = this.#options
    // Reset before the query: `run` may set it again for zones that the query does not see.
    this.#isDue = false
    for (const source of await dueZones(db.query, clock.now(), inHand)) {
      const { zoneId, scope } = source
      if (this.#checks.has(zoneId)) continue
      const end = this.#asked
        .run(scope.projectId, () => onBehalfOf(scope.projectId, () => this.#check(source)))
        .catch((error: unknown) => {
          this.#failure ??= error
        })
        .then(() => this.#finish(source))
      this.#checks.set(zoneId, { source, end })
    }
  }

  #finish({ zoneId, scope }: Source): void {
    this.#checks.delete(zoneId)
    // The last check of a Project has ended; it may have more due zones than were loaded.
    this.#isDue ||= ![...this.#checks.values()].some(({ source }) => source.scope.projectId === scope.projectId)
    this.#wake()
  }

  async #check(source: Source): Promise<void> {
    const { db, clock, secrets } = this.#options
    if (this.#stopped.signal.aborted) return
    const claimed = clock.now() + claimMs
    if (!(await db.transact((tx) => claimCheck(tx, source, claimed)))) return
    for (const primary of await openPrimaries(db.query, secrets, source.scope, source.zoneId, source.primaries)) {
      const follow = () => this.#follow(source, primary, claimed)
      if (await (tracer ? inSpan(tracer, refreshStart(source.name), follow) : follow())) return
    }
    // Another process checks the zone again once the claim has expired.
    if (this.#stopped.signal.aborted) return
    const { waitMs, isStale } = await this.#later(source)
    await storeTransfer(db, source, { claimed, waitMs, isHeard: false, isStale })
  }

  /** Makes a zone equal to one of its primaries; returns false when that primary sent nothing usable. */
  async #follow(source: Source, primary: PrimaryNameserver, claimed: number): Promise<boolean> {
    const head = await this.#ask(source, primary, serialMs, (...asked) =>
      traced('SOA', source, primary, () => askSerial(...asked)),
    )
    if (!head) {
      if (channels.dnsTransfer.hasSubscribers) channels.dnsTransfer.publish({ direction: 'in', outcome: 'failure' })
      return false
    }
    if (!isNews(source, head)) {
      await this.#store(source, claimed, head)
      return true
    }
    // The received zone stays in memory until it is stored, so transfer and storage share one slot.
    return this.#transfers.run(source.scope.projectId, async () => {
      const received = await this.#ask(source, primary, transferMs, (...asked) => this.#receive(...asked))
      if (received) await this.#store(source, claimed, received, received.rrsets)
      if (channels.dnsTransfer.hasSubscribers) {
        channels.dnsTransfer.publish({ direction: 'in', outcome: received ? 'success' : 'failure' })
      }
      return received !== undefined
    })
  }

  /** Has what changed in a zone sent, or all of it where that does not do. */
  async #receive(source: Source, primary: PrimaryNameserver, asking: Asking): Promise<Received> {
    if (source.refreshed !== null) {
      try {
        const content = await this.#contentOf(source)
        return await traced('IXFR', source, primary, () => receiveChanges(source, primary, asking, content))
      } catch (error) {
        if (asking.signal.aborted) throw error
        const { message: reason } = error as Error
        this.#options.log.debug({ zone: source.name, reason }, 'a zone is transferred as a whole')
      }
    }
    return traced('AXFR', source, primary, () => receiveZone(source, primary, asking))
  }

  async #contentOf({ zoneId: id, contentId }: Source): Promise<TransferredRrset[]> {
    const all: TransferredRrset[] = []
    for await (const some of servedRrsets(this.#options.db.query, { id, contentId })) {
      for (const { name, type, ttl, values } of some) all.push({ name, type, ttl: ttl ?? 0, values })
      await nextTurn()
    }
    return all
  }

  async #ask<Result>(
    source: Source,
    primary: PrimaryNameserver,
    mostMs: number,
    question: (source: Source, primary: PrimaryNameserver, asking: Asking) => Promise<Result>,
  ): Promise<Result | undefined> {
    const { clock, log } = this.#options
    const { limits } = this.#options.settings
    const place = `${primary.address} ${primary.port}`
    const tooLate = new AbortController()
    const giveUp = () => tooLate.abort()
    let timer = setTimeout(giveUp, mostMs)
    const beganAt = performance.now()
    const waiting: Question = {
      hurry() {
        clearTimeout(timer)
        timer = setTimeout(giveUp, mostMs * hurriedShare)
      },
    }
    const signal = AbortSignal.any([this.#stopped.signal, tooLate.signal])
    try {
      if (this.#silent?.has(place)) throw new Error('it has not answered just now')
      this.#questions.add(waiting)
      if (this.#silent) waiting.hurry()
      const asking = { limits, nowMs: clock.now, signal }
      return await question(source, primary, asking)
    } catch (error) {
      if (performance.now() - beganAt >= hurriedMs) this.#silent?.add(place)
      const reason = tooLate.signal.aborted ? 'it took too long' : (error as Error).message
      log.info({ zone: source.name, primary: place, reason }, 'a zone transfer failed')
      return undefined
    } finally {
      clearTimeout(timer)
      this.#questions.delete(waiting)
    }
  }

  async #store(source: Source, claimed: number, head: ZoneHead, rrsets?: readonly TransferredRrset[]): Promise<void> {
    await storeTransfer(this.#options.db, source, {
      claimed,
      waitMs: between(head.refresh),
      isHeard: true,
      isStale: false,
      ...(rrsets ? { content: { serial: head.serial, rrsets } } : {}),
    })
  }

  /** The retry interval after no primary answered, and whether the zone has expired (RFC 1034, 4.3.5). */
  async #later({ zoneId, contentId, refreshed }: Source): Promise<{ waitMs: number; isStale: boolean }> {
    const { db, clock } = this.#options
    const [soa] = await servedRrsetsOf(db.query, { id: zoneId, contentId }, [soaKey])
    const [retry, expire] = soa?.values[0]?.split(' ').slice(4).map(Number) ?? []
    if (refreshed === null || retry === undefined || expire === undefined)
      return { waitMs: firstRetryMs, isStale: true }
    return { waitMs: between(retry), isStale: clock.now() - refreshed > expire * second }
  }
}

/** Asks another name server, in a span where there are traces. */
async function traced<Result>(
  type: 'SOA' | TransferType,
  { name }: Source,
  primary: PrimaryNameserver,
  ask: () => Promise<Result>,
): Promise<Result> {
  return tracer ? inSpan(tracer, askingStart(type, name, primary), ask) : ask()
}
