/**
 * Visits to the identity provider: a browser goes there, and comes back with an answer that counts once. Several visits of
 * one browser can be under way, each with a state of its own.
 */
import { ApiError } from '../../kernel/errors.ts'
import { randomSecret } from '../credentials/secret-text.ts'
import type { People } from '../people.ts'
import { startCeremony, takeCeremony } from '../sessions/link-store.ts'
import type { CeremonyRow } from '../tables.ts'
import type { Identity } from './oidc.ts'

const visitMs = 10 * 60_000
const kinds = ['oidc-sign-in', 'oidc-fresh', 'oidc-link'] as const

interface Going {
  readonly kind: (typeof kinds)[number]
  /** The secret that the browser keeps. */
  readonly browser: string
  readonly origin: string
  /** The path to go on to afterwards. */
  readonly next: string
  /** The person who wants to link an identity. */
  readonly personId?: number
}

/** The address at the provider to which a browser goes. Errors: `unsupported_error` without a provider, `unavailable`. */
export async function goToProvider(people: People, { kind, browser, origin, next, personId }: Going): Promise<string> {
  const { db, oidc, log } = people
  if (!oidc) throw new ApiError('unsupported_error', 'this installation has no identity provider')
  const state = randomSecret()
  // Whoever links has to see who they are there: somebody else may have used the browser.
  const isFresh = kind !== 'oidc-sign-in'
  const url = await oidc.begin({ secret: browser, state }, origin, isFresh).catch((err: unknown) => {
    log.warn({ err }, 'the identity provider cannot be used')
    throw new ApiError('unavailable', 'the identity provider does not answer')
  })
  await db.transact((tx) => {
    const about = { kind, person_id: personId ?? null, data: next, expires: tx.now + visitMs }
    return startCeremony(tx, { browser, challenge: state }, about)
  })
  return url
}

/** The callback of a browser. */
export interface Return {
  readonly browser: string | undefined
  readonly origin: string
  readonly query: URLSearchParams
}

const stateIn = ({ query }: Return) => query.get('state') ?? undefined

/** The visit that an answer ends; undefined when this browser has not begun it, or when it has ended before. */
export function takeVisit({ db }: People, back: Return): Promise<CeremonyRow | undefined> {
  return db.transact((tx) => takeCeremony(tx, kinds, { browser: back.browser, challenge: stateIn(back) }))
}

/**
 * Returns the identity that the provider asserts. Errors: an answer that does not belong to the visit, or proves too
 * little.
 */
export function identityOf({ oidc }: People, visit: CeremonyRow, back: Return): Promise<Identity> {
  const since = visit.kind === 'oidc-fresh' ? visit.expires - visitMs : undefined
  const { origin, query } = back
  return oidc!.finish({ secret: back.browser!, state: stateIn(back)!, origin, search: query.toString(), since })
}
