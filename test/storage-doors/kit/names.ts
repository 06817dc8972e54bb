/** Names that somebody may give to files: bytes, not texts. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'

const longest = 255

const pieces = [
  ...[
    'a',
    'B',
    '0',
    ' ',
    '.',
    '-',
    '_',
    '~',
    '$HOME',
    '`id`',
    '$(id)',
    "'",
    '"',
    '\\',
    '\n',
    '\r',
    '\t',
    ';',
    '&',
    '|',
  ],
  ...[
    '*',
    '?',
    '[a]',
    '{b}',
    '#',
    '%',
    '%2F',
    '%00',
    '+',
    '=',
    '@',
    ':',
    '<',
    '>',
    '(',
    ')',
    '!',
    '^',
    ',',
    'ä',
    'é',
    'e\u0301',
  ],
  ...['日本', '😀', '\u202e', '\u200b', '\ufeff', '\x01', '\x7f', 'CON', '.hidden', '..', '...', 'x'.repeat(100)],
]

const text = fc.constantFrom(...pieces.map((piece) => Buffer.from(piece)))
const bytes = fc.oneof(
  text,
  fc.constantFrom(...[0x80, 0xff, 0xc3, 0xed, 0xfe, 0x1b].map((byte) => Buffer.from([byte]))),
)

export interface WhichNames {
  readonly count?: number
  /** Names may be of any bytes, not of UTF-8 alone. */
  readonly areBytes?: boolean
  /** Says of a name as latin1 whether a client can have it. */
  readonly mayHave?: (name: string) => boolean
}

/** Names of files, each of them once. */
function namesOf({ count = 1_000, areBytes = false, mayHave = () => true }: WhichNames): Buffer[] {
  const parts = areBytes ? bytes : text
  const some = fc.array(parts, { minLength: 1, maxLength: 6 }).map((all) => Buffer.concat(all))
  const isName = (name: Buffer) =>
    name.length <= longest && !name.includes(0) && !name.includes('/') && !/^\.\.?$/.test(`${name}`)
  const found = new Map<string, Buffer>()
  for (const name of fc.sample(some, { numRuns: 20 * count, seed: 46 })) {
    const latin = name.toString('latin1')
    if (isName(name) && mayHave(latin) && found.size < count) found.set(latin, name)
  }
  assert.equal(found.size, count)
  return [...found.values()]
}

const within = (folder: string, name: Buffer) => Buffer.concat([Buffer.from(`${folder}/`), name])

/** Makes a folder with a file of each name, which holds that name. Returns the names. */
export function fillWithNames(folder: string, which: WhichNames = {}): Buffer[] {
  mkdirSync(folder)
  const names = namesOf(which)
  for (const name of names) writeFileSync(within(folder, name), Buffer.concat([Buffer.from('of '), name]))
  return names
}

/** Contents of the files of a folder by their names, both as latin1. */
export function contentsByName(folder: string): Map<string, string> {
  const names = readdirSync(folder, { encoding: 'buffer' })
  return new Map(
    names.map((name) => [name.toString('latin1'), readFileSync(within(folder, name), 'latin1')] as const).sort(),
  )
}
