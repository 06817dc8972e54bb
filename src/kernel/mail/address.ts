/** Addresses of mail. One that is accepted is a single plain one, which nothing can be hidden in on its way to a header. */
import { isHostName } from '../../net/hostnames.ts'

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const local = new RegExp(`^${atom}(?:\\.${atom})*$`)

/** Whether this is one address in ASCII, without a name, comment or quotation mark (RFC 5321, 4.1.2: Dot-string). */
export function isMailAddress(text: string): boolean {
  const at = text.indexOf('@')
  return text.length <= 254 && at > 0 && at <= 64 && local.test(text.slice(0, at)) && isHostName(text.slice(at + 1))
}
