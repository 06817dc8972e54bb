/** Commands that change what is there: `mkdir`, `rm`, `rmdir`, `mv`, `cp`, `touch`, `chmod`. */
import type { FileInfo, Files } from '../../files.ts'
import { SftpError } from '../../sftp/client.ts'
import { statusCodes } from '../../sftp/packets.ts'
import { type Command, each, lastOf, type Shell, within } from './command.ts'
import { parseOptions } from './words.ts'

export const mkdir: Command = (shell, words) => {
  const { options, rest } = parseOptions(words, 'pv', ['parents', 'verbose'])
  const isDeep = options.has('p') || options.has('parents')
  return each(shell, 'mkdir', rest, (path) => (isDeep ? shell.files.mkdirs(path) : shell.files.mkdir(path)))
}

export const rmdir: Command = (shell, words) => {
  const { rest } = parseOptions(words, 'v')
  return each(shell, 'rmdir', rest, (path) => shell.files.rmdir(path))
}

export const rm: Command = (shell, words) => {
  const { options, rest } = parseOptions(words, 'rRfvid', ['recursive', 'force', 'verbose', 'one-file-system'])
  const isDeep = ['r', 'R', 'recursive'].some((option) => options.has(option))
  const isForced = options.has('f') || options.has('force')
  return each(shell, 'rm', rest, async (path) => {
    if (isForced && (await isAbsent(shell.files, path))) return
    if (/^\.{0,2}\/*$/.test(lastOf(path)) || lastOf(path) === '') throw new Error('this is not removed')
    await (isDeep ? shell.files.removeAll(path) : shell.files.remove(path))
  })
}

const isAbsent = (files: Files, path: string) =>
  files.lstat(path).then(
    () => false,
    () => true,
  )

/** Finds where each of some paths goes: into a directory that is there, or to the last path itself. */
async function targets({ files }: Shell, name: string, rest: readonly string[]): Promise<[string, string][]> {
  const target = rest.at(-1)
  const sources = rest.slice(0, -1)
  if (target === undefined || sources.length === 0) throw new Error(`${name} needs two paths`)
  const isFolder = (await files.find(target))?.kind === 'directory'
  if (sources.length > 1 && !isFolder) throw new Error(`${target} is not a directory`)
  return sources.map((source) => [source, isFolder ? within(target, lastOf(source)) : target])
}

export const mv: Command = async (shell, words) => {
  const { options, rest } = parseOptions(words, 'fnv', ['force', 'no-clobber', 'verbose'])
  const moves = new Map(await targets(shell, 'mv', rest))
  return each(shell, 'mv', [...moves.keys()], async (source) => {
    const target = moves.get(source)!
    const isKept = options.has('n') || options.has('no-clobber')
    if (isKept && !(await isAbsent(shell.files, target))) return
    await shell.files.rename(source, target)
  })
}

export const cp: Command = async (shell, words) => {
  const { options, rest } = parseOptions(words, 'rRapfnvd', ['recursive', 'archive', 'force', 'no-clobber', 'verbose'])
  const isDeep = ['r', 'R', 'a', 'recursive', 'archive'].some((option) => options.has(option))
  const keepsTimes = ['a', 'p', 'archive'].some((option) => options.has(option))
  const copies = new Map(await targets(shell, 'cp', rest))
  return each(shell, 'cp', [...copies.keys()], async (source) => {
    const target = copies.get(source)!
    if (options.has('n') && !(await isAbsent(shell.files, target))) return
    const info = await (isDeep ? shell.files.lstat(source) : shell.files.stat(source))
    if (info.kind === 'directory' && !isDeep) throw new Error('this is a directory, which needs -r')
    await copy(shell.files, source, target, info, { keepsTimes })
  })
}

export interface CopyOptions {
  readonly keepsTimes: boolean
  /** Whether the bytes of files and what is in directories are on disk in the end. */
  readonly isSynced?: boolean
}

/** Copies a file, a link or a directory with all that is in it. */
export async function copy(
  files: Files,
  source: string,
  target: string,
  info: FileInfo,
  options: CopyOptions,
): Promise<void> {
  const { keepsTimes, isSynced = false } = options
  if (info.kind === 'link') return files.symlink(await files.readlink(source), target)
  if (info.kind === 'other') throw new SftpError(statusCodes.permissionDenied, 'this is neither a file nor a directory')
  if (info.kind === 'file') await files.write(target, files.read(source), { mode: info.mode & 0o777, isSynced })
  else {
    // A directory within itself would be copied for ever.
    const [from, to] = [await files.realpath(source), await files.realpath(target)]
    if (`${to}/`.startsWith(`${from}/`)) throw new Error('a directory cannot be copied into itself')
    if ((await files.find(target))?.kind !== 'directory') await files.mkdir(target, info.mode & 0o777)
    for await (const entries of files.pieces(source)) {
      for (const entry of entries) {
        await copy(files, within(source, entry.name), within(target, entry.name), entry, options)
      }
    }
    if (isSynced) await files.syncFolder(target)
  }
  if (keepsTimes) await files.setTimes(target, info.accessed, info.modified)
}

export const touch: Command = (shell, words) => {
  const { options, values, rest } = parseOptions(words, 'camd:t:', ['no-create', 'date:'])
  const date = values.get('d') ?? values.get('date')
  const seconds = date === undefined ? Date.now() / 1000 : Date.parse(date.startsWith('@') ? '' : date) / 1000
  const moment = date?.startsWith('@') ? Number(date.slice(1)) : seconds
  return each(shell, 'touch', rest, async (path) => {
    if (!Number.isFinite(moment)) throw new Error(`${date} is no time`)
    if (!(await shell.files.find(path))) {
      if (options.has('c') || options.has('no-create')) return
      await shell.files.write(path, [])
    }
    await shell.files.setTimes(path, moment, moment)
  })
}

export const chmod: Command = (shell, words) => {
  const [mode = '', ...paths] = words
  return each(shell, 'chmod', paths, async (path) => {
    if (!/^0?[0-7]{3}$/.test(mode)) throw new Error('a mode is three octal digits here')
    await shell.files.setMode(path, Number.parseInt(mode, 8))
  })
}
