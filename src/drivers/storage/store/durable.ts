/** Small files, directories and names that are on disk when a call returns. */
import { lstat, open, readFile, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { work } from './programs.ts'

export const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

export async function isThere(path: string): Promise<boolean> {
  return (await unlessMissing(lstat(path))) !== undefined
}

/** Undefined when what was looked for is not there. */
export async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Waits until the entries of a directory are on disk. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** Replaces a file as a whole. Nobody else may write it at the same time. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const beside = `${path}.new`
  const file = await open(beside, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(beside, path)
  await syncDirectory(dirname(path))
}

export async function unlinkDurably(path: string): Promise<void> {
  await unlessMissing(unlink(path))
  await syncDirectory(dirname(path))
}

/** Moves a directory; it is at one of both places whatever happens, and at the new one when this returns. */
export async function moveDurably(from: string, to: string): Promise<void> {
  await rename(from, to)
  await syncDirectory(dirname(to))
  if (dirname(from) !== dirname(to)) await syncDirectory(dirname(from))
}

/** The content of a file that `writeDurably` has written; undefined when there is none. */
export async function readJson<T>(path: string): Promise<T | undefined> {
  const text = await unlessMissing(readFile(path, 'utf8'))
  return text === undefined ? undefined : (JSON.parse(text) as T)
}

/** Waits until all of the file system that a path is on is on disk: a tree of many files has no cheaper way. */
export async function syncTree(path: string): Promise<void> {
  await work('sync', ['-f', path])
}
