/** Key files: 32 bytes, raw or in base64, readable only by the operator. A file is written completely or not at all. */
import { closeSync, fstatSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { createFolderOf, syncToDisk } from '../process/private-file.ts'
import { type Kek, keyBytes, randomKey, toKek } from './kek.ts'

/** Reads a key; undefined when the file does not exist. Throws an error for the operator when it holds no valid key. */
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
      throw new Error(`${path} can be read by everybody; fix that with chmod o= ${path}`)
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
  throw new Error(`${path} does not hold a key: ${keyBytes} bytes, raw or in base64`)
}

/**
 * Creates a file with a new key, readable only by its owner, or reads the one that another process has just created.
 */
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

/** Waits for the disk: losing the key in a power failure would lose every secret. */
function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o400)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
