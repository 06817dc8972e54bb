/** Words of commands for POSIX shells: what people copy out of a terminal or a page, and paste into another one. */

/** Words that every shell takes as they are; zsh looks up what follows a leading `=`. */
const plain = /^[\w@%+:,./-][\w@%+=:,./-]*$/

/** Characters that a terminal or a shell acts on when they are pasted: some end a paste, a line or a program. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for
const acting = /([\x01-\x09\x0b-\x1f\x7f-\x9f]+)/

/**
 * A word that a shell passes on unchanged, also when it is pasted into one that somebody works in. Throws on NUL, which
 * no argument of a program can have.
 */
export function quoted(word: string): string {
  if (word.includes('\0')) throw new Error('an argument of a program cannot contain NUL')
  // A word such as `a=b` in front of a command would be an assignment; it never stands there, as the first is a name.
  if (plain.test(word)) return word
  // Every second part is what stood between two others.
  const parts = word.split(acting).map((part, index) => (index % 2 === 0 ? literal(part) : printed(part)))
  return parts.join('') || "''"
}

/** Old shells forget at the end of a line that they are between quotes, and would look up what follows a `!`. */
function literal(text: string): string {
  if (text === '') return ''
  const outside = (found: string) => `'${found.replaceAll(/./g, '\\$&')}'`
  const whole = `'${text.replaceAll(/['!]+/g, outside)}'`
  // Between two quotes there is nothing to say.
  return whole.slice(/^['!]/.test(text) ? 2 : 0, /['!]$/.test(text) ? -2 : undefined)
}

function printed(characters: string): string {
  const bytes = [...new TextEncoder().encode(characters)]
  return `"$(printf '${bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}')"`
}
