/**
 * Sessions. The browser has 256 random bits in a cookie, the database their hash. A session ends 12 hours after its last
 * use, 30 days after it began, and when it is revoked. Its secret changes whenever it gains rights. A browser has one: the
 * next one takes the place of the one before.
 */
import type { Asker, Identity } from '../../kernel/access/principal.ts'
import { principalOfToken } from '../../kernel/access/tokens.ts'
import type { Database, Queries, Transaction } from '../../kernel/data/db.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import { hashSecret, isSecret, randomSecret } from '../credentials/secret-text.ts'
import { recordSignIn } from '../events.ts'
import { rolesOf } from '../memberships/membership-store.ts'
import { personById } from '../person-store.ts'
import type { PersonRow, SessionRow } from '../tables.ts'
import {
  deleteSession,
  deleteSessionByHash,
  deleteSessionsBut,
  insertSession,
  rekeySession,
  sessionByHash,
  sessionById,
  touchSession,
} from './session-store.ts'

export const idleMs = 12 * 3_600_000
const longestMs = 30 * 86_400_000
/** The time for which a proof of identity counts as fresh. */
export const elevatedMs = 10 * 60_000
const touchMs = 60_000
const cacheMs = 3_000
const maxCached = 10_000
const maxAgent = 200

/** A browser and its network. */
export interface Whence {
  readonly network: string
  readonly agent: string
  /** The secret of the session that it has, whoever that belongs to. */
  readonly session?: string | undefined
}

/** A session that counts, with its person unless it is that of an API token. */
export interface Found {
  readonly session: SessionRow
  readonly person: PersonRow | undefined
  readonly identity: Identity
}

interface NewSession {
  readonly personId?: number
  readonly tokenId?: number
  readonly whence: Whence
  /** The end of its fresh proof of identity; 10 minutes from now by default. */
  readonly elevatedUntil?: number
}

export class Sessions {
  readonly #db: Database
  readonly #now: () => number
  readonly #monotonic: () => number
  readonly #keepsAnswers: boolean
  readonly #known = new Map<string, { found: Found; until: number }>()

  /**
   * `now` is the calendar's time, `monotonic` a timer; both in milliseconds. Every look reads the database unless it keeps
   * answers.
   */
  constructor(db: Database, now: () => number, monotonic: () => number = () => performance.now(), keepsAnswers = true) {
    this.#db = db
    this.#now = now
    this.#monotonic = monotonic
    this.#keepsAnswers = keepsAnswers
  }

  /** Starts a session in place of the one that the browser had, which ends, and returns its secret. */
  async start(tx: Transaction, { personId, tokenId, whence, elevatedUntil }: NewSession): Promise<string> {
    const secret = randomSecret()
    const network = whence.network.replace(/^network:/, '')
    if (whence.session !== undefined) await this.end(tx, whence.session)
    await insertSession(tx, {
      hash: hashSecret(secret),
      person_id: personId ?? null,
      token_id: tokenId ?? null,
      created: timestamp(tx.now),
      last_seen: tx.now,
      ends: tx.now + longestMs,
      elevated_until: elevatedUntil ?? (personId === undefined ? 0 : tx.now + elevatedMs),
      network,
      agent: whence.agent.slice(0, maxAgent),
    })
    await recordSignIn(tx, {
      ...(personId === undefined ? {} : { personId }),
      ...(tokenId === undefined ? {} : { tokenId }),
      network,
    })
    return secret
  }

  /** The session with a secret, as it was at most 3 s ago in this process; undefined when a use has to be noted. */
  cached(secret: string, isUse = true): Found | undefined {
    const entry = this.#known.get(secret)
    if (!entry || entry.until <= this.#monotonic() || !this.#counts(entry.found.session)) return undefined
    return isUse && this.#isNews(entry.found.session) ? undefined : entry.found
  }

  /** The session with a secret. `isUse` keeps it alive: somebody uses it, and no page asks by itself. */
  async find(secret: string | undefined, isUse = true): Promise<Found | undefined> {
    if (!isSecret(secret)) return undefined
    const known = this.cached(secret, isUse)
    if (known) return known
    const asked = this.#monotonic()
    this.#known.delete(secret)
    const session = await sessionByHash(this.#db.query, hashSecret(secret))
    const found = session && (await this.#judge(session))
    if (!found) return undefined
    const touched = isUse ? await this.#touch(found) : found
    if (!this.#keepsAnswers) return touched
    if (this.#known.size >= maxCached) this.#known.delete(this.#known.keys().next().value as string)
    this.#known.set(secret, { found: touched, until: asked + cacheMs })
    return touched
  }

  /** Returns the caller whom a session identified, if it still counts and is theirs. This is no use of the session. */
  async findAgain({ kind, id, session: sessionId }: Asker): Promise<Identity | undefined> {
    const session = sessionId === null ? undefined : await sessionById(this.#db.query, sessionId)
    const { identity } = (session && (await this.#judge(session))) ?? {}
    return identity?.actor.kind === kind && identity.actor.id === id ? identity : undefined
  }

  /** Gives a session another secret, and returns it; undefined when it has ended meanwhile. */
  async rekey(tx: Transaction, session: SessionRow, elevatedUntil?: number): Promise<string | undefined> {
    const secret = randomSecret()
    const change = elevatedUntil === undefined ? {} : { elevated_until: elevatedUntil }
    if (!(await rekeySession(tx, session, { hash: hashSecret(secret), ...change }))) return undefined
    tx.afterCommit(() => this.forget())
    return secret
  }

  /** Ends the session with a secret. */
  async end(tx: Transaction, secret: string): Promise<void> {
    await deleteSessionByHash(tx, hashSecret(secret))
    tx.afterCommit(() => this.forget())
  }

  /** Ends one session of a person; false when there is none. */
  async revoke(tx: Transaction, personId: number, id: number): Promise<boolean> {
    tx.afterCommit(() => this.forget())
    return deleteSession(tx, personId, id)
  }

  /** Ends all sessions of a person, but one if it is given. */
  async revokeAll(tx: Transaction, personId: number, butId = 0): Promise<void> {
    tx.afterCommit(() => this.forget())
    await deleteSessionsBut(tx, personId, butId)
  }

  /** Forgets what is cached in this process. */
  forget(): void {
    this.#known.clear()
  }

  #counts({ last_seen, ends }: SessionRow): boolean {
    const now = this.#now()
    return ends > now && last_seen + idleMs > now
  }

  async #judge(session: SessionRow): Promise<Found | undefined> {
    const whose = this.#counts(session) ? await whoseIs(this.#db.query, session, this.#now()) : undefined
    // A session of a token ends with the token.
    const ends = Math.min(session.ends, whose?.identity.expires ?? Number.POSITIVE_INFINITY)
    return whose && { ...whose, session: { ...session, ends } }
  }

  /** Tells whether a use of a session is to be noted: at most once a minute. */
  #isNews({ last_seen }: SessionRow): boolean {
    return this.#now() - last_seen >= touchMs
  }

  async #touch(found: Found): Promise<Found> {
    const now = this.#now()
    const { session } = found
    if (!this.#isNews(session)) return found
    await this.#db.transact((tx) => touchSession(tx, session.id, now), { isDurable: false })
    return { ...found, session: { ...session, last_seen: now } }
  }
}

/** Returns the owner of a session with their roles; undefined when they do not count any more. */
async function whoseIs(
  query: Queries,
  session: SessionRow,
  nowMs: number,
): Promise<Pick<Found, 'person' | 'identity'> | undefined> {
  if (session.person_id === null) {
    const principal = await principalOfToken(query, session.token_id!, nowMs)
    return principal && { person: undefined, identity: { ...principal, session: session.id } }
  }
  const person = await personById(query, session.person_id)
  if (!person || person.disabled !== null) return undefined
  const identity: Identity = {
    actor: { kind: 'person', id: person.id, name: person.email },
    roles: await rolesOf(query, person.id),
    isOperator: person.installation_role === 'admin',
    elevatedUntil: session.elevated_until,
    bucket: `person:${person.id}`,
    session: session.id,
  }
  return { person, identity }
}
