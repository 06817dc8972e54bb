/** Words of commands for POSIX shells. */

/** Words that every shell takes as they are. */
const plain = /^[\w@%+=:,./-]+$/

/** A word that a shell passes on unchanged. Throws on NUL, which no argument of a program can have. */
export function quoted(word: string): string {
  if (word.includes('\0')) throw new Error('an argument of a program cannot contain NUL')
  // A word such as `a=b` in front of a command would be an assignment; it never stands there, as the first is a name.
  if (plain.test(word)) return word
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** A variable of the shell as a word of its own or a part of one, which is expanded but not split. */
export class Expanded {
  readonly text: string
  /** `text` goes between double quotes as it is, such as `Bearer $TOKEN`. */
  constructor(text: string) {
    this.text = text
  }
}

export type Word = string | Expanded

/** One command as a line; with `breaks`, each option starts a line of its own. */
export function commandLine(words: readonly Word[], breaks = false): string {
  const texts = words.map((word) => (typeof word === 'string' ? quoted(word) : `"${word.text}"`))
  if (!breaks) return texts.join(' ')
  return texts.reduce((line, text, index) => {
    const word = words[index]!
    const starts = typeof word === 'string' && word.startsWith('--') && word !== '--'
    return index === 0 ? text : `${line}${starts ? ' \\\n  ' : ' '}${text}`
  }, '')
}

/** What a program reads from its standard input. */
export function piped(input: string, line: string): string {
  return `printf %s ${quoted(input)} | ${line}`
}
