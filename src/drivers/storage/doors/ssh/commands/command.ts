/** A command works through a shell, which has the files of its account and the streams of its client. */
import type { Files } from '../../files.ts'
import type { BoxRoom } from '../../room.ts'
import type { Temporary } from '../../webdav/unfinished.ts'

export interface Shell {
  readonly files: Files
  /** Asks how full the box is. */
  room(): Promise<BoxRoom>
  /** The client sends this. */
  readonly input: AsyncIterable<Buffer>
  /** Resolves when the client may be sent more. */
  print(text: string | Buffer): Promise<void>
  complain(text: string): void
  /** Names a file in a folder that has another name once it is whole, so that others remove it where that never comes. */
  begin(folder: string): Temporary
}

/** Returns the exit status. Its arguments are words without the name of the command. */
export type Command = (shell: Shell, words: readonly string[]) => Promise<number>

/** Does something with each path; what goes wrong with one of them is said, and the others go on. */
export async function each(
  shell: Shell,
  name: string,
  paths: readonly string[],
  work: (path: string) => Promise<void>,
): Promise<number> {
  let status = 0
  for (const path of paths) {
    try {
      await work(path)
    } catch (error) {
      shell.complain(`${name}: ${path}: ${(error as Error).message}`)
      status = 1
    }
  }
  return status
}

/** A path without the slashes at its end, which a pattern would look for from each slash of a long row again. */
function unended(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}

/** A path within a directory. */
export const within = (folder: string, name: string): string => `${unended(folder)}/${name}`

export function lastOf(path: string): string {
  const plain = unended(path)
  return plain.slice(plain.lastIndexOf('/') + 1)
}

/** Bytes as people read them, as `-h` prints them. */
export function human(bytes: number): string {
  const units = ['', 'K', 'M', 'G', 'T', 'P']
  let [value, unit] = [bytes, 0]
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024
  const shown = unit > 0 && value < 10 ? (Math.ceil(value * 10) / 10).toFixed(1) : `${Math.ceil(value)}`
  return `${shown}${units[unit]}`
}
