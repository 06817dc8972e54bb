/**
 * Trees in directories, whose copies are made by `cp` of coreutils. The `fs.cp` of Node.js makes two files of two hard links,
 * fills holes, loses attributes and nanoseconds, and stumbles over names that are not UTF-8.
 */
import { chmod, chown, mkdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isThere, moveDurably, syncDirectory, syncTree } from '../durable.ts'
import { work } from '../programs.ts'
import type { Owner } from '../store.ts'
import { inCell, runInCell } from './cell.ts'
import type { Trees } from './trees.ts'

/** The program `cp` says these of files that their owner has moved, removed or replaced since it saw their names. */
const passing = [
  /^cp: .*: (No such file or directory|Not a directory|Too many levels of symbolic links|Stale file handle)$/,
  /^cp: cannot read symbolic link .*: Invalid argument$/,
  /^cp: skipping file .* as it was replaced while being copied$/,
  /^cp: (cannot overwrite|will not overwrite just-created|not writing through dangling symlink) /,
  /^cp: will not copy .* through just-created symlink /,
]
/**
 * Somebody who puts a pipe in the place of a file at the right moment lets `cp` wait for ever, so a copy that takes longer
 * than any other has failed.
 */
const longestCopyMs = 6 * 3_600_000

const whileItChanges = {
  timeoutMs: longestCopyMs,
  isHarmless: (line: string) => passing.some((form) => form.test(line)),
}

/** A tree that somebody still writes to is removed so often. */
const removals = 5

export interface CopyOptions {
  /** Copies share blocks. */
  readonly sharesBlocks: boolean
  /** The directory for cells; undefined where there can be none. */
  readonly cell: string | undefined
}

export class Copies implements Trees {
  readonly #options: CopyOptions
  readonly #stopped = new AbortController()

  constructor(options: CopyOptions) {
    this.#options = options
  }

  /** The bytes are counted instead (see meters/counts.ts). */
  async limit(): Promise<void> {}

  async create(_id: number, path: string, owner: Owner): Promise<void> {
    await mkdir(path, 0o755)
    await own(path, owner)
  }

  async freeze(_id: number, from: string, to: string, beside: string): Promise<void> {
    await this.#copy(from, beside)
    await moveDurably(beside, to)
  }

  async thaw(_id: number, from: string, to: string): Promise<void> {
    await this.#copy(from, to)
  }

  async #copy(from: string, to: string): Promise<void> {
    const { cell, sharesBlocks } = this.#options
    const { signal } = this.#stopped
    signal.throwIfAborted()
    const settings = { ...whileItChanges, signal }
    const command = ['cp', '-a', `--reflink=${sharesBlocks ? 'always' : 'auto'}`, '--']
    if (cell === undefined) await work(command[0]!, [...command.slice(1), `${from}/.`, to], settings)
    else {
      const places = { from, to: dirname(to) }
      const copying = [...command, `${inCell.from}/.`, join(inCell.to, basename(to))]
      await runInCell(cell, places, copying, settings)
    }
    await syncTree(to)
    await syncDirectory(dirname(to))
  }

  async discard(paths: readonly string[], beside: string): Promise<void> {
    // Somebody who was cut off may have left another one there.
    await this.remove(beside)
    for (const path of paths) {
      if (!(await isThere(path))) continue
      await moveDurably(path, beside)
      await this.remove(beside)
    }
  }

  async remove(path: string): Promise<void> {
    for (let left = removals; await isThere(path); left--) {
      try {
        await work('rm', ['-rf', '--one-file-system', '--', path])
      } catch (error) {
        if (left <= 1) throw error
        // Only root removes what is in a directory that its owner may not write to.
        if (process.getuid?.() !== 0) await work('chmod', ['-R', 'u+rwx', '--', path])
      }
    }
  }

  stop(): void {
    this.#stopped.abort()
  }

  async forget(): Promise<void> {}

  async release(): Promise<void> {}
}

/** Gives a new directory to its owner, with the mode that was asked for whatever the mask of this process is. */
export async function own(path: string, { uid, gid }: Owner): Promise<void> {
  await chmod(path, 0o755)
  await chown(path, uid, gid)
}
