/** The keys by which clients know the SSH door again. */
import { randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ssh2 } from './library.ts'

/** The order is the one in which clients learn of them. */
const kinds = ['ed25519', 'ecdsa'] as const

/** Reads the keys from a folder of root alone, and makes those that are missing. Errors: of the file system. */
export function hostKeys(folder: string): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return kinds.map((kind) => keyAt(join(folder, `ssh_host_${kind}_key`), kind))
}

function keyAt(path: string, kind: (typeof kinds)[number]): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const pair = newPair(kind)
  // A key is there when it is whole, and whoever comes second takes that of the first one.
  const beside = `${path}.${randomUUID()}`
  writeFileSync(beside, pair.private, { mode: 0o600, flush: true })
  try {
    linkSync(beside, path)
    writeFileSync(`${path}.pub`, `${pair.public}\n`, { mode: 0o644 })
    return pair.private
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return readFileSync(path, 'utf8')
  } finally {
    unlinkSync(beside)
  }
}

/** Some of the keys that the library makes are such that it cannot read them itself (a leading zero is lost). */
function newPair(kind: (typeof kinds)[number]): { private: string; public: string } {
  const { generateKeyPairSync, parseKey } = ssh2.utils
  for (;;) {
    const pair = kind === 'ecdsa' ? generateKeyPairSync(kind, { bits: 256 }) : generateKeyPairSync(kind)
    if (!(parseKey(pair.private) instanceof Error)) return pair
  }
}
