/** Names of Projects and tokens. */

/**
 * Tells whether a name fits on one line of a list: 1 to 128 characters, none of control, no white space at its ends.
 */
export function isPlainName(name: string): boolean {
  return /^[^\s\p{Cc}]([^\p{Cc}]{0,126}[^\s\p{Cc}])?$/u.test(name)
}

/** The rule for names, as the end of a sentence that begins with what it names. */
export const plainNameRule = 'must have 1 to 128 characters, no control characters and no white space at its ends'
