/** Key files: 32 bytes, as they are or in base64, that nobody but the operator reads. A file appears whole or not at all. */
import { closeSync, fstatSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { createFolderOf, syncToDisk } from '../process/private-file.ts'
import { type Kek, keyBytes, randomKey, toKek } from './kek.ts'

/** Reads a key; undefined when there is no such file. Errors: plain ones that say in words what is wrong with it. */
export function readKeyFile(path: string): Kek | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if (/^(ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
  try {
    if (process.platform !== 'win32' && (fstatSync(file).mode & 0o007) !== 0) {
      throw new Error(`${path} can be read by everybody; take that away with chmod o= ${path}`)
    }
    return toKek(keyIn(readFileSync(file), path))
  } finally {
    closeSync(file)
  }
}

function keyIn(bytes: Buffer, path: string): Buffer {
  if (bytes.length === keyBytes) return bytes
  const text = bytes.toString('latin1').trim()
  const decoded = Buffer.from(text, 'base64')
  if (decoded.length === keyBytes && decoded.toString('base64') === text) return decoded
  throw new Error(`${path} does not hold a key: ${keyBytes} bytes, as they are or in base64`)
}

/** Makes a file with a new key that only its owner can read, or reads the one that somebody made just before. */
export function createKeyFile(path: string): Kek {
  createFolderOf(path)
  const draft = `${path}.${process.pid}`
  rmSync(draft, { force: true })
  writeDurably(draft, `${randomKey().toString('base64')}\n`)
  try {
    // Unlike a rename, a link never replaces a file.
    linkSync(draft, path)
    syncToDisk(dirname(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return readKeyFile(path)!
}

/** A key that a power cut takes would take every secret with it. */
function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o400)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
