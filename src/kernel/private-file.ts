/** Files that are nobody else's to read. */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/** Makes the folder of `path` unless it is there, for its owner alone. */
export function createFolderOf(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
}

/** Makes the file unless it is there, empty and for its owner alone. */
export function createPrivate(path: string): void {
  createFolderOf(path)
  closeSync(openSync(path, 'a', 0o600))
}
