/**
 * Tells passwords that are tried first. Of the lists of common passwords hardly any entry has twelve characters, and those
 * that do follow few patterns: a short unit repeated, runs along the alphabet, the digits or the keyboard, and common words
 * strung together with digits or signs around them. This refuses the patterns, and what the lists have.
 */
import { isListed } from './common-list.ts'

const runs = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyzabc',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  'qazwsxedcrfvtgbyhnujm',
  '1234qwerasdfzxcv',
]
const allRuns = [...runs, ...runs.map((run) => [...run].reverse().join(''))]
/** A shorter stretch of a run may be chance. */
const shortestRun = 4

const words = `password passwort passwd pass kennwort geheim secret admin administrator root user guest login welcome
  willkommen hello hallo letmein change changeme default master access system server cloud wolke test testing tester temp
  temporary internet computer windows linux google facebook football baseball soccer hockey dragon monkey shadow superman
  batman pokemon princess sunshine iloveyou love lover forever summer winter spring autumn sommer herbst money freedom
  whatever trustno nothing please starwars michael jordan jennifer jessica daniel thomas robert charlie ashley andrew matthew
  nicole michelle hunter killer ranger mustang harley ferrari porsche mercedes london berlin hamburg muenchen germany
  deutschland america qwerty qwertz azerty asdf asdfgh zxcvb zxcvbn abc abcd new this that your mypassword my is the for not
  one two three four five january february march april june july august september october november december monday tuesday
  wednesday thursday friday saturday sunday januar februar maerz mai juni juli oktober dezember schatz hallo123 blessed jesus
  christ god heaven angel flower cookie chocolate butterfly purple orange banana apple pepper ginger silver golden diamond
  player gamer ninja samurai matrix alpha omega super mega ultra number numero hund katze daniela stefan andreas alexander`
  .split(/\s+/)
  .filter(Boolean)
  .sort((a, b) => b.length - a.length)

/** Signs and digits that stand for letters. */
const spellings: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
}

/** A password must keep this much besides its patterns: different characters, and letters if only one word is left. */
const enough = 6
const longerThanOneWord = 10

/**
 * Tells whether a password is among the first guesses. `own` are names that everybody can know, such as the address.
 */
export function commonPassword(password: string, own: readonly string[] = []): boolean {
  const plain = password.toLowerCase().trim()
  const names = own.flatMap((name) => {
    const whole = name.toLowerCase()
    return [whole, ...whole.split(/[^\p{L}\p{N}]+/u)].filter((part) => part.length >= 3)
  })
  if (isRepeated(plain) || isListed(plain)) return true
  const respelled = [...plain].map((character) => spellings[character] ?? character).join('')
  return [plain, respelled].some((text) => isLittle(left(text, names)))
}

/** Tells whether a text is a short unit, repeated. */
function isRepeated(text: string): boolean {
  if (new Set(text).size < 5) return true
  return [1, 2, 3, 4, 5, 6].some((length) => {
    const unit = text.slice(0, length)
    return unit.repeat(Math.ceil(text.length / length)).slice(0, text.length) === text
  })
}

/** Tells whether no more remains than a few characters or one word. */
function isLittle(rest: string): boolean {
  const groups = rest.split(' ').filter(Boolean)
  return new Set(groups.join('')).size < enough || (groups.length === 1 && groups[0]!.length < longerThanOneWord)
}

/** Removes names, words, runs, digits and signs. */
function left(text: string, names: readonly string[]): string {
  let rest = text
  for (const name of [...names].sort((a, b) => b.length - a.length)) rest = rest.replaceAll(name, ' ')
  rest = withoutRuns(rest)
  for (const word of words) rest = rest.replaceAll(word, ' ')
  // Up to four digits or signs in a row are what people append.
  return rest.replace(/[^\p{L}\p{N}]+/gu, ' ').replace(/(?<![\p{L}\p{N}])\d{1,4}(?![\p{L}\p{N}])/gu, ' ')
}

function withoutRuns(text: string): string {
  let rest = ''
  for (let i = 0; i < text.length; ) {
    const length = runAt(text, i)
    rest += length >= shortestRun ? ' ' : text[i]
    i += length >= shortestRun ? length : 1
  }
  return rest
}

/** The length of the longest run that starts at a position. */
function runAt(text: string, start: number): number {
  let longest = 0
  for (const run of allRuns) {
    for (let at = run.indexOf(text[start]!); at !== -1; at = run.indexOf(text[start]!, at + 1)) {
      let length = 1
      while (start + length < text.length && run[at + length] === text[start + length]) length++
      longest = Math.max(longest, length)
    }
  }
  return longest
}
