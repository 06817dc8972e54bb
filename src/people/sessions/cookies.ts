/**
 * Cookies. Browsers send cookies to every port of a host, so their names carry the installation. Where the connection is
 * safe the name begins with `__Host-`, which makes browsers refuse copies that other hosts have set.
 */
import { isIP } from 'node:net'
import { isSecret, randomSecret } from '../credentials/secret-text.ts'

/** A session, a half-finished sign-in, or a browser that was given challenges. */
export type CookieUse = 'session' | 'sign-in' | 'browser'

const suffixes: Readonly<Record<CookieUse, string>> = { session: '', 'sign-in': '-step', browser: '-try' }

/** The address at which a browser reaches the installation. */
export interface Place {
  /** Such as `https://cloud.example.com`. */
  readonly origin: string
  readonly installation: string
}

/** Tells whether browsers keep secure cookies and offer passkeys there: with HTTPS, and on this machine. */
export function isSecurePlace(origin: string): boolean {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' || isLoopback(hostname)
}

function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d+){3}$/.test(name)
}

/** Tells whether passkeys can be made for a host: browsers refuse addresses. */
export function canHavePasskeys(origin: string): boolean {
  const { hostname } = new URL(origin)
  return isSecurePlace(origin) && isIP(hostname.replace(/^\[|\]$/g, '')) === 0
}

export function cookieName({ origin, installation }: Place, use: CookieUse): string {
  return `${isSecurePlace(origin) ? '__Host-' : ''}wolke-${installation}${suffixes[use]}`
}

/** A Set-Cookie header. `maxAge` in seconds; 0 removes the cookie, undefined keeps it as long as the browser runs. */
export function setCookie(place: Place, use: CookieUse, value: string, maxAge?: number): string {
  const parts = [`${cookieName(place, use)}=${value}`, 'Path=/', 'HttpOnly', 'SameSite=Lax']
  if (isSecurePlace(place.origin)) parts.push('Secure')
  if (maxAge !== undefined) parts.push(`Max-Age=${maxAge}`)
  return parts.join('; ')
}

/** The value of a cookie. Undefined when it was sent twice, because one of them is not ours. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
  return values.length === 1 ? values[0]!.slice(name.length + 1) : undefined
}

/**
 * The secret under which a browser gets challenges, the same one for all of its tabs; with the cookie that has to be sent
 * when it had none.
 */
export function browserSecret(place: Place, cookies: string | undefined): { secret: string; cookie?: string } {
  const known = readCookie(cookies, cookieName(place, 'browser'))
  if (isSecret(known)) return { secret: known }
  const secret = randomSecret()
  return { secret, cookie: setCookie(place, 'browser', secret) }
}
