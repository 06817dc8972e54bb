/** Commands for POSIX shells. */
import { quoted } from '../../src/kernel/process/shell-words.ts'

/** A word with a variable of the shell in it, which is expanded but not split. */
export class Expanded {
  readonly text: string
  constructor(before: string, variable: string, after = '') {
    const part = (text: string) => (text === '' ? '' : quoted(text))
    // Between double quotes some characters mean something, and shells differ in how to take that from them.
    const isPlain = /^[\w@%+=:,./ -]*$/.test(before + after) && !/^\w/.test(after)
    this.text = isPlain ? `"${before}$${variable}${after}"` : `${part(before)}"$${variable}"${part(after)}`
  }
}

export type Word = string | Expanded

/** One command as a line; with `breaks`, each option starts a line of its own. */
export function commandLine(words: readonly Word[], breaks = false): string {
  const texts = words.map((word) => (typeof word === 'string' ? quoted(word) : word.text))
  if (!breaks) return texts.join(' ')
  return texts.reduce((line, text, index) => {
    const word = words[index]!
    const starts = typeof word === 'string' && word.startsWith('--') && word !== '--'
    return index === 0 ? text : `${line}${starts ? ' \\\n  ' : ' '}${text}`
  }, '')
}

/** A command that is written as it is, but for values, each of which is a word or a part of one. */
export function sh(texts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return texts.reduce((line, text, index) => line + quoted(String(values[index - 1])) + text)
}

/** Pipes a text into the standard input of a program. */
export function piped(input: string, line: string): string {
  // Nothing stands in front of it that could hide its quotes, so the first line of a script can stay as it is.
  return `printf %s ${quoted(input).replace(/^'#'\\!'/, "'#!")} | ${line}`
}
