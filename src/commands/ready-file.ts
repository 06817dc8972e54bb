/** The file that tells other programs that a server is ready. It is removed when the server stops. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { CommandFailure } from './failure.ts'

export interface ReadyFile {
  /** Writes the file atomically: a reader sees all of it or nothing. */
  write(urls: Readonly<Record<string, string | null>>): void
  /** Removes the file unless another server has overwritten it meanwhile. */
  remove(): void
}

const noFile: ReadyFile = { write: () => undefined, remove: () => undefined }

/** Removes the file of an earlier server, so that nobody mistakes it for this one's. Errors: `CommandFailure`. */
export function openReadyFile(path: string | undefined): ReadyFile {
  if (path === undefined) return noFile
  try {
    rmSync(path, { force: true })
  } catch (error) {
    throw new CommandFailure(`--ready-file: ${(error as Error).message}`, 2)
  }
  let written: string | undefined
  return {
    write(urls) {
      const draft = `${path}.${process.pid}`
      written = `${JSON.stringify({ ...urls, pid: process.pid })}\n`
      writeFileSync(draft, written)
      renameSync(draft, path)
    },
    remove() {
      if (written !== undefined && textOf(path) === written) rmSync(path, { force: true })
    },
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
