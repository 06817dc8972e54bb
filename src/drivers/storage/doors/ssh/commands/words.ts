/** Words of a command, as a POSIX shell makes them, without anything that a shell would do besides. */

/** The command asks for more than words. */
export class NotWords extends Error {}

/** Outside of quotes these make a shell do something: run, redirect, expand. A `~` or `#` only does so in front of a word. */
const acting = /[|&;<>()$`*?[\]{}!\n]/

/** Errors: `NotWords`. */
export function wordsOf(command: string): string[] {
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < command.length; at++) {
    const character = command[at]!
    if (character === ' ' || character === '\t') {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (character === "'") {
      const end = command.indexOf("'", at + 1)
      if (end < 0) throw new NotWords('a quote is not closed')
      word = (word ?? '') + command.slice(at + 1, end)
      at = end
    } else if (character === '"') {
      const [text, end] = doubleQuoted(command, at + 1)
      word = (word ?? '') + text
      at = end
    } else if (character === '\\') {
      if (at + 1 === command.length) throw new NotWords('a backslash stands at the end')
      word = (word ?? '') + command[++at]!
    } else {
      if (acting.test(character) || (word === undefined && (character === '~' || character === '#'))) {
        throw new NotWords(`there is no shell here, which ${JSON.stringify(character)} is for`)
      }
      word = (word ?? '') + character
    }
  }
  if (word !== undefined) words.push(word)
  return words
}

/** The text between double quotes, and where they end. */
function doubleQuoted(command: string, start: number): [string, number] {
  let text = ''
  for (let at = start; at < command.length; at++) {
    const character = command[at]!
    if (character === '"') return [text, at]
    if (character === '$' || character === '`') throw new NotWords(`there is no shell here, which ${character} is for`)
    if (character === '\\' && /["$`\\\n]/.test(command[at + 1] ?? '')) text += command[++at]!
    else text += character
  }
  throw new NotWords('a quote is not closed')
}

/** Options of one letter and long ones, as programs of GNU take them, and what is left. */
export interface Parsed {
  readonly options: ReadonlySet<string>
  readonly values: ReadonlyMap<string, string>
  readonly rest: readonly string[]
}

/** The command has options that are not known. */
export class NotAnOption extends Error {}

/**
 * Reads options. `letters` are those of one letter, of which a `:` follows each that has a value; `long` likewise. Errors:
 * `NotAnOption`.
 */
export function parseOptions(words: readonly string[], letters: string, long: readonly string[] = []): Parsed {
  const options = new Set<string>()
  const values = new Map<string, string>()
  const rest: string[] = []
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!
    if (word === '--') {
      rest.push(...words.slice(index + 1))
      break
    }
    if (word.startsWith('--')) {
      const [name = '', value] = splitOnce(word.slice(2))
      if (value === undefined && long.includes(name)) options.add(name)
      else if (long.includes(`${name}:`)) values.set(name, value ?? words[++index] ?? '')
      else throw new NotAnOption(`the option --${name} is not known`)
    } else if (word.startsWith('-') && word.length > 1) {
      index += readLetters(word.slice(1), letters, words[index + 1], options, values)
    } else rest.push(word)
  }
  return { options, values, rest }
}

/** Returns how many of the words that follow it takes. */
function readLetters(
  word: string,
  letters: string,
  next: string | undefined,
  options: Set<string>,
  values: Map<string, string>,
): 0 | 1 {
  for (let at = 0; at < word.length; at++) {
    const letter = word[at]!
    const known = letters.indexOf(letter)
    if (known < 0 || letter === ':') throw new NotAnOption(`the option -${letter} is not known`)
    if (letters[known + 1] !== ':') {
      options.add(letter)
      continue
    }
    const attached = word.slice(at + 1)
    values.set(letter, attached === '' ? (next ?? '') : attached)
    return attached === '' ? 1 : 0
  }
  return 0
}

function splitOnce(text: string): [string, string | undefined] {
  const at = text.indexOf('=')
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}
