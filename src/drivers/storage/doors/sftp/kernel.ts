/** What the kernel knows of the files of a server, and the server does not say. */
import { readdirSync, type Stats, statfsSync, statSync } from 'node:fs'

/** Nobody may look into some processes, whoever started them: OpenSSH's server sees to that where it is not confined. */
const unseen: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'ENOENT', 'ESRCH'])

/** The most bytes of holes that a file may have which a process has open: infinite where that cannot be seen. */
export function holesOf(pid: number): number {
  const folder = `/proc/${pid}/fd`
  try {
    const holes = readdirSync(folder).map((name) => holesIn(unlessGone(() => statSync(`${folder}/${name}`))))
    return Math.max(0, ...holes)
  } catch (error) {
    if (unseen.has((error as NodeJS.ErrnoException).code)) return Number.POSITIVE_INFINITY
    throw error
  }
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
