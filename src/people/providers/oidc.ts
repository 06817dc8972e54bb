/**
 * Signing in through an identity provider (OpenID Connect): authorization code with PKCE, nonce and state. The state is
 * random; the others follow from it and from a secret that only the browser has, so nothing has to be stored that would
 * finish somebody else's sign-in. Its library is loaded on first use.
 */
import type { Configuration } from 'openid-client'
import type { Role } from '../../kernel/access/roles.ts'
import { isStorable } from '../../kernel/contract/input.ts'
import { plainAddress } from '../../kernel/mail/address.ts'
import { derive } from '../credentials/secret-text.ts'
import { isSecurePlace } from '../sessions/cookies.ts'

/** A group of the identity provider, and the role that it gives in a Project. */
export interface GroupRole {
  readonly group: string
  readonly project: string
  readonly role: Exclude<Role, 'owner'>
}

export interface OidcOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Addresses of those who administer the installation, in lower case. */
  readonly admins: readonly string[]
  readonly groups: readonly GroupRole[]
}

/** A person as the identity provider knows them. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  /** Plain and in lower case; undefined unless it is a plain address that the provider has verified. */
  readonly email: string | undefined
  readonly name: string | undefined
  readonly groups: readonly string[]
  /** The age of their sign-in there, in milliseconds; undefined when the provider does not say. */
  readonly signedInMs: number | undefined
}

export const callbackPath = '/console/login/oidc/callback'
const timeoutS = 10
/** The greatest age of a sign-in at the provider. */
const longestS = 30 * 86_400

/** The greatest difference between the clocks of the provider and of this machine. */
const skewMs = 60_000

/** One visit of a browser to the provider. */
export interface Visiting {
  /** The secret that the browser keeps, for all of its visits. */
  readonly secret: string
  /** Random, and brought back by the answer. */
  readonly state: string
}

const verifierOf = ({ secret, state }: Visiting) => derive(secret, `verifier ${state}`)
const nonceOf = ({ secret, state }: Visiting) => derive(secret, `nonce ${state}`)

/** The request with which a browser returns from the provider. */
interface Answer extends Visiting {
  readonly origin: string
  readonly search: string
  readonly since?: number | undefined
}

/** Whoever has the browser can take the wish for a fresh sign-in out of the address, so the answer has to prove it. */
function checkSignedIn(authTime: unknown, since: number): void {
  if (typeof authTime !== 'number')
    throw new Error('the id token has no auth_time, though a fresh sign-in was asked for')
  if (authTime * 1_000 < since - skewMs) throw new Error('the sign-in at the identity provider is not a fresh one')
}

/** Tells whether a subject has the form that providers may give it (OpenID Connect Core, 2), and is not empty. */
function isSubject(sub: string): boolean {
  return /^[\x20-\x7e]{1,255}$/.test(sub) && sub.trim() !== ''
}

/** The address in claims, which says itself whether it is verified. */
function verifiedAddress({ email, email_verified }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof email === 'string' && email_verified === true ? plainAddress(email) : undefined
}

/** Tells whether nobody on the way can change the answer of a URL. */
function isGuarded(url: string | undefined): boolean {
  return url === undefined || (URL.canParse(url) && isSecurePlace(url))
}

export class Oidc {
  readonly options: OidcOptions
  #configuration: Promise<Configuration> | undefined

  constructor(options: OidcOptions) {
    this.options = options
  }

  /** The address at the provider at which a visit goes on. Errors: those of the network. */
  async begin(visiting: Visiting, origin: string, isFresh: boolean): Promise<string> {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client')
    const url = buildAuthorizationUrl(await this.#configured(), {
      redirect_uri: origin + callbackPath,
      scope: 'openid email profile',
      code_challenge: await calculatePKCECodeChallenge(verifierOf(visiting)),
      code_challenge_method: 'S256',
      state: visiting.state,
      nonce: nonceOf(visiting),
      // Whoever asks for a greatest age is told the age.
      ...(isFresh ? { prompt: 'login', max_age: '0' } : { max_age: String(longestS) }),
    })
    return url.href
  }

  /**
   * Returns the identity that the provider's answer names; `since` (ms since the epoch) is the earliest that they may
   * have signed in there. Errors: an answer that does not belong to this visit of the browser, or an earlier sign-in.
   */
  async finish({ origin, search, since, ...visiting }: Answer): Promise<Identity> {
    const { authorizationCodeGrant, fetchUserInfo } = await import('openid-client')
    const configuration = await this.#configured()
    const tokens = await authorizationCodeGrant(configuration, new URL(`${origin}${callbackPath}?${search}`), {
      pkceCodeVerifier: verifierOf(visiting),
      expectedState: visiting.state,
      expectedNonce: nonceOf(visiting),
      idTokenExpected: true,
    })
    const claims = tokens.claims()!
    if (!isSubject(claims.sub)) throw new Error('the id token has no subject that can be an identity')
    if (since !== undefined) checkSignedIn(claims.auth_time, since)
    const isComplete = claims.email !== undefined
    const more = isComplete ? {} : await fetchUserInfo(configuration, tokens.access_token, claims.sub).catch(() => ({}))
    const all: Readonly<Record<string, unknown>> = { ...more, ...claims }
    return {
      issuer: claims.iss,
      subject: claims.sub,
      email: verifiedAddress(isComplete ? claims : more),
      name: typeof all.name === 'string' && isStorable(all.name) ? all.name.slice(0, 100) : undefined,
      signedInMs: claims.auth_time === undefined ? undefined : Math.max(0, Date.now() - claims.auth_time * 1_000),
      groups: Array.isArray(all.groups) ? all.groups.filter((group) => typeof group === 'string') : [],
    }
  }

  #configured(): Promise<Configuration> {
    this.#configuration ??= this.#discover().catch((error: unknown) => {
      this.#configuration = undefined
      throw error
    })
    return this.#configuration
  }

  async #discover(): Promise<Configuration> {
    const { allowInsecureRequests, discovery, enableNonRepudiationChecks } = await import('openid-client')
    const { issuer, clientId, clientSecret } = this.options
    const url = new URL(issuer)
    // Signatures are checked although the connection says whose answers they are: plain HTTP, on this machine, does not.
    const execute = [enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [allowInsecureRequests] : [])]
    const found = await discovery(url, clientId, clientSecret, undefined, { execute, timeout: timeoutS })
    const { authorization_endpoint, token_endpoint, userinfo_endpoint, jwks_uri } = found.serverMetadata()
    if (![issuer, authorization_endpoint, token_endpoint, userinfo_endpoint, jwks_uri].every(isGuarded)) {
      throw new Error('the identity provider has addresses on other machines that are not https')
    }
    return found
  }
}
