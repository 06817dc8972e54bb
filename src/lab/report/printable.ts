/** Texts that others chose, in lines for people. */

/** Characters that move the cursor, end the line or turn its direction. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/** One line that a terminal shows as it is. */
export function printable(line: string): string {
  return line.replace(unprintable, '?')
}
