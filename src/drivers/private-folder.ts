/** Folders that hold what nobody else may read or replace. */
import { lstatSync } from 'node:fs'
import { createFolder } from '../kernel/process/private-file.ts'

/** Makes a folder that only this user can enter, or checks that one is. Errors: one line for the operator. */
export function makePrivate(folder: string): void {
  createFolder(folder)
  // A symbolic link is not followed: whoever owns it can make it lead elsewhere.
  const found = lstatSync(folder)
  const isPrivate = found.isDirectory() && found.uid === process.getuid!() && (found.mode & 0o077) === 0
  if (!isPrivate) throw new Error(`${folder} is not a folder of this user alone`)
}
