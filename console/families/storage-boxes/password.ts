/** Passwords of accounts: whether they fit the policy, and new ones that do. */
import { passwordProblem } from '../../../src/families/storage-boxes/domain.ts'

/** No shell and no address reads these signs as something else. */
const alphabet = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-_.+='
const length = 24

/** Finds the fault of a password; undefined when it has none. */
export const faultOf = (password: string) => passwordProblem(password, true)

/** Draws a password that fits the policy. Each sign is as likely as the others. */
export function newPassword(): string {
  for (;;) {
    // Bytes beyond the last whole turn of the alphabet would make its beginning likelier.
    const most = 256 - (256 % alphabet.length)
    const drawn = [...crypto.getRandomValues(new Uint8Array(4 * length))].filter((byte) => byte < most)
    const password = drawn
      .slice(0, length)
      .map((byte) => alphabet[byte % alphabet.length])
      .join('')
    // Programs read what begins with a dash as an option.
    const isWord = /^[a-zA-Z]/.test(password) && password.length === length
    if (isWord && faultOf(password) === undefined) return password
  }
}
