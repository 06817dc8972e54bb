/** Commands about what is in files: sums, `cat` and `dd`. */
import { createHash } from 'node:crypto'
import { type Command, each, type Shell } from './command.ts'
import { parseOptions } from './words.ts'

/** Reads what a name stands for: standard input for `-`, nothing for the device that is empty. */
function contentOf({ files, input }: Shell, path: string): AsyncIterable<Buffer> | Buffer[] {
  if (path === '-') return input
  return path === '/dev/null' ? [] : files.read(path)
}

/** `md5sum` and the like. A name with a line break or backslash is written as coreutils write it. */
export const sum =
  (algorithm: string): Command =>
  (shell, words) => {
    const { rest } = parseOptions(words, 'bt', ['binary', 'text', 'tag', 'zero'])
    const paths = rest.length > 0 ? rest : ['-']
    return each(shell, `${algorithm}sum`, paths, async (path) => {
      const hash = createHash(algorithm)
      for await (const bytes of contentOf(shell, path)) hash.update(bytes)
      const isOdd = /[\\\n\r]/.test(path)
      const name = path.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/\r/g, '\\r')
      await shell.print(`${isOdd ? '\\' : ''}${hash.digest('hex')}  ${name}\n`)
    })
  }

export const cat: Command = (shell, words) => {
  const { rest } = parseOptions(words, 'u')
  return each(shell, 'cat', rest.length > 0 ? rest : ['-'], async (path) => {
    for await (const bytes of contentOf(shell, path)) await shell.print(bytes)
  })
}

const units: Readonly<Record<string, number>> = {
  c: 1,
  w: 2,
  b: 512,
  k: 1024,
  K: 1024,
  M: 1024 ** 2,
  G: 1024 ** 3,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
}

function numberOf(text: string): number {
  const [, digits, unit = 'c'] = /^(\d+)([a-zA-Z]*)$/.exec(text) ?? []
  const factor = units[unit || 'c']
  if (digits === undefined || factor === undefined) throw new Error(`${text} is no number`)
  return Number(digits) * factor
}

const operands = new Set(['if', 'of', 'bs', 'ibs', 'obs', 'count', 'skip', 'seek', 'conv', 'status', 'iflag', 'oflag'])

/** `dd` from a file or standard input to a file or standard output. */
export const dd: Command = async (shell, words) => {
  const given = new Map<string, string>()
  for (const word of words) {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(word) ?? []
    if (!operands.has(name)) {
      shell.complain(`dd: ${word} is not known`)
      return 1
    }
    given.set(name, value)
  }
  const size = numberOf(given.get('bs') ?? given.get('ibs') ?? '512')
  const [skip, seek] = [numberOf(given.get('skip') ?? '0') * size, numberOf(given.get('seek') ?? '0') * size]
  const count = given.has('count') ? numberOf(given.get('count')!) * size : Number.POSITIVE_INFINITY
  const source = given.has('if')
    ? shell.files.read(given.get('if')!, skip, skip + count)
    : cut(shell.input, skip, count)
  const target = given.get('of')
  let total = 0
  if (target === undefined) {
    for await (const bytes of source) {
      total += bytes.length
      await shell.print(bytes)
    }
  } else {
    const isKept = (given.get('conv') ?? '').split(',').includes('notrunc') || seek > 0
    total = await shell.files.write(target, source, { at: isKept ? seek : undefined })
  }
  if (given.get('status') !== 'none') shell.complain(`${total} bytes copied`)
  return 0
}

/** Passes on the bytes between two places of a stream. */
async function* cut(input: AsyncIterable<Buffer>, skip: number, count: number): AsyncGenerator<Buffer> {
  let [ignored, left] = [skip, count]
  for await (const bytes of input) {
    const rest = bytes.subarray(ignored)
    ignored = Math.max(0, ignored - bytes.length)
    const taken = rest.subarray(0, left)
    left -= taken.length
    if (taken.length > 0) yield taken
    if (left <= 0) return
  }
}
