/** The keys by which clients know the SSH door again. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
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
  writeFileSync(`${path}.pub`, `${pair.public}\n`, { mode: 0o644 })
  // Whoever comes second takes the key of the first one.
  try {
    writeFileSync(path, pair.private, { mode: 0o600, flag: 'wx' })
    return pair.private
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return readFileSync(path, 'utf8')
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
