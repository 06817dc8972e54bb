/** Puts text of users into HAProxy's configuration so that it can mean nothing but itself. */
import { isIPv6 } from 'node:net'
import { DriverError } from '../../../../kernel/actions/define.ts'

/** What cannot be expressed: trying again does not help. */
export const refuse = (what: string) => new DriverError(`The load balancer cannot have ${what}`, { transient: false })

/** A word in strong quotes, in which HAProxy interprets nothing. Errors: a `DriverError` for control characters. */
export function quote(text: string, what: string): string {
  if (/\p{Cc}/u.test(text)) throw refuse(`control characters in ${what}`)
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Visible ASCII characters in quotes: what HTTP allows in paths and names of hosts. */
export function quoteVisible(text: string, what: string): string {
  if (!/^[\x21-\x7e]+$/.test(text)) throw refuse(`the ${what} ${JSON.stringify(text)}`)
  return quote(text, what)
}

/** The name of a cookie, which is a token of HTTP. */
export function quoteCookieName(name: string): string {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) throw refuse(`the cookie name ${JSON.stringify(name)}`)
  return quote(name, 'the cookie name')
}

/** A regular expression for a text, byte by byte, so that it may contain anything. */
export function expressionOf(text: string): string {
  return [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}

/** A regular expression for patterns of status codes such as `2??` and `3*`. Errors: a `DriverError` for other characters. */
export function statusExpression(patterns: readonly string[]): string {
  for (const pattern of patterns) {
    if (!/^[0-9?*]+$/.test(pattern)) throw refuse(`the status code ${JSON.stringify(pattern)}`)
  }
  return `^(${patterns.map((pattern) => pattern.replaceAll('?', '.').replaceAll('*', '.*')).join('|')})$`
}

/** An address with a port. */
export function endpoint(address: string, port: number): string {
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`
}
