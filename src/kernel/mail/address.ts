/** Addresses of mail. One that is accepted is a single plain one, which nothing can be hidden in on its way to a header. */

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const address = new RegExp(`^${atom}(?:\\.${atom})*@${label}(?:\\.${label})*$`)

/** Whether this is one address in ASCII, without a name, comment or quotation mark (RFC 5321, 4.1.2: Dot-string). */
export function isMailAddress(text: string): boolean {
  return text.length <= 254 && text.indexOf('@') <= 64 && address.test(text)
}
