/** Commands that only look: `ls`, `tree`, `du`, `df`, `stat`, `pwd`. */
import type { DirectoryEntry, FileInfo } from '../../files.ts'
import { type Command, each, human, type Shell, within } from './command.ts'
import { parseOptions } from './words.ts'

const letters: Readonly<Record<string, string>> = { file: '-', directory: 'd', link: 'l', other: '?' }

/** A mode as `ls -l` writes it. */
function modeText({ kind, mode }: FileInfo): string {
  const bits = [...'rwxrwxrwx'].map((letter, index) => (mode & (0o400 >> index) ? letter : '-'))
  return letters[kind]! + bits.join('')
}

/** The time as `ls` writes it with `--time-style=long-iso`, in UTC. */
const timeText = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')

/** Directories with more entries, or somewhat more, are shown in parts of which each is in order: all doors share one memory. */
const mostInOrder = 20_000

type Order = (a: DirectoryEntry, b: DirectoryEntry) => number

function orderOf(options: ReadonlySet<string>): Order | undefined {
  if (options.has('U')) return undefined
  const byTime: Order = (a, b) => b.modified - a.modified
  const bySize: Order = (a, b) => b.size - a.size
  const order = options.has('t') ? byTime : options.has('S') ? bySize : undefined
  const byName: Order = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
  const full: Order = (a, b) => order?.(a, b) || byName(a, b)
  return options.has('r') ? (a, b) => -full(a, b) : full
}

async function line(shell: Shell, entry: DirectoryEntry, folder: string | undefined, options: ReadonlySet<string>) {
  const mark = options.has('F') && entry.kind === 'directory' ? '/' : ''
  if (!options.has('l') && !options.has('n')) return `${entry.name}${mark}\n`
  const size = options.has('h') ? human(entry.size) : `${entry.size}`
  const path = folder === undefined ? entry.name : within(folder, entry.name)
  const link = entry.kind === 'link' ? ` -> ${await shell.files.readlink(path)}` : ''
  const { uid = 0, gid = 0 } = entry
  return `${modeText(entry)} 1 ${uid} ${gid} ${size.padStart(10)} ${timeText(entry.modified)} ${entry.name}${mark}${link}\n`
}

export const ls: Command = async (shell, words) => {
  const { options, rest } = parseOptions(words, 'laA1dhRrtSUnFi', ['all', 'almost-all', 'color', 'full-time'])
  const order = orderOf(options)
  const isHidden = (name: string) =>
    name.startsWith('.') && !['a', 'A', 'all', 'almost-all'].some((o) => options.has(o))
  const show = async (folder: string, isNamed: boolean): Promise<void> => {
    if (isNamed) await shell.print(`${folder}:\n`)
    const folders: string[] = []
    const print = async (entries: readonly DirectoryEntry[]) => {
      for (const entry of entries.filter(({ name }) => !isHidden(name))) {
        await shell.print(await line(shell, entry, folder, options))
        if (entry.kind === 'directory') folders.push(within(folder, entry.name))
      }
    }
    if (order === undefined) for await (const some of shell.files.list(folder)) await print(some)
    else for await (const some of shell.files.pieces(folder, mostInOrder)) await print(some.sort(order))
    if (!options.has('R')) return
    for (const path of folders) {
      await shell.print('\n')
      await show(path, true)
    }
  }
  const paths = rest.length > 0 ? rest : ['.']
  return each(shell, 'ls', paths, async (path) => {
    const info = await (options.has('d') || options.has('l') ? shell.files.lstat(path) : shell.files.stat(path))
    if (info.kind === 'directory' && !options.has('d')) return show(path, paths.length > 1 || options.has('R'))
    await shell.print(await line(shell, { ...info, name: path }, undefined, options))
  })
}

/** Tells of each one whether it is the last. */
async function* withLast<T>(pieces: AsyncIterable<readonly T[]>): AsyncGenerator<{ one: T; isLast: boolean }> {
  let before: { one: T } | undefined
  for await (const piece of pieces) {
    for (const one of piece) {
      if (before) yield { ...before, isLast: false }
      before = { one }
    }
  }
  if (before) yield { ...before, isLast: true }
}

export const tree: Command = (shell, words) => {
  const { options, values, rest } = parseOptions(words, 'adL:', ['noreport'])
  const deepest = Number(values.get('L') ?? Number.POSITIVE_INFINITY)
  const isShown = ({ name, kind }: DirectoryEntry) =>
    (options.has('a') || !name.startsWith('.')) && (!options.has('d') || kind === 'directory')
  const shownIn = async function* (folder: string) {
    for await (const entries of shell.files.pieces(folder, mostInOrder)) yield entries.filter(isShown)
  }
  const show = async (folder: string, before: string, depth: number): Promise<void> => {
    for await (const { one, isLast } of withLast(shownIn(folder))) {
      const { name, kind } = one
      await shell.print(`${before}${isLast ? '└── ' : '├── '}${name}\n`)
      if (kind !== 'directory' || depth >= deepest) continue
      await show(within(folder, name), `${before}${isLast ? '    ' : '│   '}`, depth + 1)
    }
  }
  return each(shell, 'tree', rest.length > 0 ? rest : ['.'], async (path) => {
    await shell.print(`${path}\n`)
    await show(path, '', 1)
  })
}

/** Files take whole blocks of the file system. */
const block = 4096
const taken = (size: number) => Math.ceil(size / block) * block

export const du: Command = (shell, words) => {
  const { options, values, rest } = parseOptions(words, 'shbkmacd:x', ['summarize', 'apparent-size', 'max-depth:'])
  const isExact = options.has('b') || options.has('apparent-size')
  const unit = options.has('b') ? 1 : options.has('m') ? 1024 ** 2 : 1024
  const shown = (bytes: number) => (options.has('h') ? human(bytes) : `${Math.ceil(bytes / unit)}`)
  const isShort = options.has('s') || options.has('summarize')
  const deepest = isShort ? 0 : Number(values.get('d') ?? values.get('max-depth') ?? Number.POSITIVE_INFINITY)
  const measure = async (path: string, info: FileInfo, depth: number): Promise<number> => {
    let bytes = isExact ? info.size : taken(info.size)
    if (info.kind === 'directory') {
      for await (const some of shell.files.list(path)) {
        for (const entry of some) bytes += await measure(within(path, entry.name), entry, depth + 1)
      }
    }
    const isListed = info.kind === 'directory' || options.has('a') || depth === 0
    if (isListed && depth <= deepest) await shell.print(`${shown(bytes)}\t${path}\n`)
    return bytes
  }
  return each(shell, 'du', rest.length > 0 ? rest : ['.'], async (path) => {
    await measure(path, await shell.files.lstat(path), 0)
  })
}

export const df: Command = async (shell, words) => {
  const { options } = parseOptions(words, 'hkmPT', ['human-readable', 'portability'])
  const { limit, used, free } = await shell.room()
  const shown = (bytes: number) => {
    if (options.has('h') || options.has('human-readable')) return human(bytes)
    return `${Math.floor(bytes / (options.has('m') ? 1024 ** 2 : 1024))}`
  }
  const heading = options.has('h') ? 'Size' : options.has('m') ? '1M-blocks' : '1K-blocks'
  await shell.print(`Filesystem ${heading} Used Available Use% Mounted on\n`)
  const percent = limit > 0 ? Math.ceil((100 * used) / limit) : 0
  await shell.print(`box ${shown(limit)} ${shown(used)} ${shown(free)} ${percent}% /\n`)
  return 0
}

/** These are replaced in the format of `stat -c`; all others stay as they are. */
const formats: Readonly<Record<string, (info: FileInfo, path: string) => string>> = {
  n: (_, path) => path,
  s: ({ size }) => `${size}`,
  Y: ({ modified }) => `${modified}`,
  X: ({ accessed }) => `${accessed}`,
  a: ({ mode }) => mode.toString(8),
  A: modeText,
  F: ({ kind }) =>
    ({ file: 'regular file', directory: 'directory', link: 'symbolic link', other: 'special file' })[kind],
  u: ({ uid = 0 }) => `${uid}`,
  g: ({ gid = 0 }) => `${gid}`,
  '%': () => '%',
}

export const stat: Command = (shell, words) => {
  const { options, values, rest } = parseOptions(words, 'Lc:', ['dereference', 'format:', 'printf:'])
  const format = values.get('c') ?? values.get('format') ?? values.get('printf')
  return each(shell, 'stat', rest, async (path) => {
    const info = await (options.has('L') ? shell.files.stat(path) : shell.files.lstat(path))
    const text = format ?? '  File: %n\n  Size: %s\t%F\nAccess: (%a/%A)  Uid: %u  Gid: %g\nModify: @%Y'
    const filled = text.replace(/%(.)/gs, (whole, letter: string) => formats[letter]?.(info, path) ?? whole)
    await shell.print(`${filled}\n`)
  })
}

export const pwd: Command = async (shell) => {
  await shell.print('/\n')
  return 0
}
