/** What the kernel knows of the files of a server, and the server does not say. */
import { readdirSync, type Stats, statfsSync, statSync } from 'node:fs'

/** The most bytes of holes that a file has which a process has open; 0 when it is gone. */
export function holesOf(pid: number): number {
  const folder = `/proc/${pid}/fd`
  const files = unlessGone(() => readdirSync(folder)) ?? []
  return Math.max(0, ...files.map((name) => holesIn(unlessGone(() => statSync(`${folder}/${name}`)))))
}

const holesIn = (stats: Stats | undefined) => (stats?.isFile() ? stats.size - stats.blocks * 512 : 0)

/** How many bytes are left where a directory is. Errors: of the file system. */
export function freeAt(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

/** Undefined when what was looked for has been closed. */
function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
