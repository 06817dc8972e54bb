/** Mail addresses. An accepted address is a single plain one, in which nothing can be smuggled into a header. */
import { isHostName } from '../../protocols/net/hostnames.ts'

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const local = new RegExp(`^${atom}(?:\\.${atom})*$`)

/** Tells whether the text is one ASCII address without a name, comment or quotes (RFC 5321, 4.1.2: Dot-string). */
export function isMailAddress(text: string): boolean {
  const at = text.indexOf('@')
  return text.length <= 254 && at > 0 && at <= 64 && local.test(text.slice(0, at)) && isHostName(text.slice(at + 1))
}

/**
 * The form in which addresses are stored and compared: plain and in lower case, without spaces around it. Undefined for what
 * is no plain address, which is decided first: other letters can become ASCII in lower case, as the Kelvin sign does.
 */
export function plainAddress(text: string): string | undefined {
  const address = text.trim()
  return isMailAddress(address) ? address.toLowerCase() : undefined
}
