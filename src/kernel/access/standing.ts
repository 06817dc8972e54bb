/**
 * Lasting access is checked again. What stays open, such as a stream of events or the console of a server, asks every
 * few seconds, by what was kept of the caller, and ends with the credentials, the membership or the right.
 */
import type { Queries } from '../data/db.ts'
import { onOwnBehalf } from '../process/behalf.ts'
import { turn } from '../process/turns.ts'
import { labelsById } from '../resource/labels-of.ts'
import type { ProjectId } from '../scope.ts'
import { type Asker, type Guard, type Identity, type Principal, principalIn, refusalOf } from './principal.ts'
import { shows } from './token-scope.ts'

/** An admission that lasts. */
export interface Claim {
  readonly asker: Asker
  readonly projectId: ProjectId
  readonly guard: Guard
  /** The resource that it is about, which a scoped token has to see. */
  readonly about?: { readonly type: string; readonly id: number }
}

export interface StandingOptions {
  readonly query: Queries
  /** The calendar's time in milliseconds. */
  readonly now: () => number
  /** Finds somebody again; undefined when the credentials no longer count. */
  findAgain(asker: Asker): Promise<Identity | undefined>
  /** The interval between checks, in milliseconds. */
  readonly everyMs?: number | undefined
}

interface Watched {
  readonly claim: Claim
  readonly end: () => void
}

/** Together with the time of a lookup less than the 5 s within which a revocation takes effect. */
const defaultEveryMs = 3_000
/** The number of concurrent lookups. */
const atOnce = 8

export class Standing {
  readonly #options: StandingOptions
  readonly #watched = new Set<Watched>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: StandingOptions) {
    this.#options = options
  }

  /** Tells whether the credentials still count and still have the right. Errors: those of the database. */
  async holds(claim: Claim): Promise<boolean> {
    return this.#isRight(claim, await this.#options.findAgain(claim.asker))
  }

  /** Tells whether the credentials of an admitted caller still count; nobody is doubted while the database is away. */
  async knows(asker: Asker): Promise<boolean> {
    return this.#options.findAgain(asker).then(
      (identity) => identity !== undefined,
      () => true,
    )
  }

  /** Asks again and again, until the returned function is called; calls `end` once when the claim no longer holds. */
  watch(claim: Claim, end: () => void): () => void {
    const watched = { claim, end }
    this.#watched.add(watched)
    this.#plan()
    return () => void this.#watched.delete(watched)
  }

  /** The connections of those who are watched keep the process alive, not this timer. */
  #plan(): void {
    if (this.#timer || this.#watched.size === 0) return
    const { everyMs = defaultEveryMs } = this.#options
    this.#timer = onOwnBehalf(() =>
      setTimeout(async () => {
        await this.#askAll()
        this.#timer = undefined
        this.#plan()
      }, everyMs).unref(),
    )
  }

  /** Whoever keeps several things open is looked up once for all of them. */
  async #askAll(): Promise<void> {
    const all = Map.groupBy(this.#watched, ({ claim: { asker } }) => `${asker.kind} ${asker.id} ${asker.session}`)
    const turns = all.values()
    const askInTurn = async () => {
      for (const ofOne of turns) {
        await turn()
        await this.#askFor(ofOne)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, askInTurn))
  }

  async #askFor(watched: readonly Watched[]): Promise<void> {
    try {
      const identity = await this.#options.findAgain(watched[0]!.claim.asker)
      for (const one of watched) {
        if (await this.#isRight(one.claim, identity)) continue
        if (this.#watched.delete(one)) one.end()
      }
    } catch {
      // While the database is away nobody can be judged; it is asked again.
    }
  }

  async #isRight({ projectId, guard, about }: Claim, identity: Identity | undefined): Promise<boolean> {
    const principal = identity && principalIn(identity, projectId)
    if (!principal || refusalOf(principal, guard, this.#options.now())) return false
    return about === undefined || this.#sees(principal, about)
  }

  async #sees({ limits, scope }: Principal, { type, id }: NonNullable<Claim['about']>): Promise<boolean> {
    if (!limits?.within) return true
    const labels = (await labelsById(this.#options.query, scope!, type, [id])).get(id)
    return labels !== undefined && shows(limits, labels)
  }
}
