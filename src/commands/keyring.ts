/** Finds the keys of an installation, creates the first one, and unlocks the secrets with them. */
import type { Config } from '../config/config.ts'
import type { Database } from '../kernel/data/db.ts'
import { fileOf, isInMemory } from '../kernel/data/dialect.ts'
import { keksInUse, unlock, WrongKey } from '../kernel/secrets/installation.ts'
import { type Kek, type Keyring, randomKey, toKek } from '../kernel/secrets/kek.ts'
import { createKeyFile, readKeyFile } from '../kernel/secrets/key-file.ts'
import type { Secrets } from '../kernel/secrets/secrets.ts'
import { CommandFailure } from './failure.ts'

type KeyOptions = Pick<Config, 'database' | 'keyFile' | 'previousKeyFile'>

/** Contents of the key files that the options name. */
export interface KeyFiles {
  /** Path of the current key, whether or not the file exists; undefined when no file is needed. */
  readonly path: string | undefined
  readonly current: Kek | undefined
  readonly previous: Kek | undefined
}

/** Reads the key files without creating any. Errors: `CommandFailure`. */
export function readKeyFiles(options: KeyOptions): KeyFiles {
  const { database, keyFile, previousKeyFile } = options
  if (keyFile === undefined && isInMemory(database)) return { path: undefined, current: undefined, previous: undefined }
  const previous = previousKeyFile === undefined ? undefined : read('--previous-key-file', previousKeyFile)
  if (previousKeyFile !== undefined && !previous) {
    throw new CommandFailure(`--previous-key-file: ${previousKeyFile} does not exist`, 2)
  }
  const path = keyFileOf(options)
  return { path, current: read('--key-file', path), previous }
}

/**
 * The keys of an installation. Creates a missing key file unless the database holds secrets that need the missing key.
 * A database in memory needs no file. Errors: `CommandFailure`.
 */
export async function openKeyring(db: Database, { path, current, previous }: KeyFiles): Promise<Keyring> {
  if (path === undefined) return { current: toKek(randomKey()) }
  return { current: current ?? (await makeFirst(db, path, previous)), previous }
}

/** Checks the keys against the database. Errors: `CommandFailure`. */
export async function unlockSecrets(db: Database, ring: Keyring): Promise<Secrets> {
  try {
    return await unlock(db, ring)
  } catch (error) {
    if (error instanceof WrongKey) throw new CommandFailure(`--key-file: ${error.message}`)
    throw error
  }
}

/** Path of the current key, whether or not the file exists. */
export function keyFileOf({ database, keyFile }: Pick<Config, 'database' | 'keyFile'>): string {
  const file = fileOf(database)
  return keyFile ?? (file === undefined ? 'data/wolke.key' : `${file}.key`)
}

async function makeFirst(db: Database, path: string, previous: Kek | undefined): Promise<Kek> {
  const needed = [...(await keksInUse(db.query))].filter((id) => id !== previous?.id)
  if (needed.length > 0) {
    // Another process that starts on the same database may have created the file since this one looked for it.
    const created = read('--key-file', path)
    if (created) return created
    throw new CommandFailure(`--key-file: ${path} does not exist, but the database needs the key ${needed[0]}`)
  }
  return reading('--key-file', () => createKeyFile(path))
}

const read = (option: string, path: string) => reading(option, () => readKeyFile(path))

function reading<T>(option: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new CommandFailure(`${option}: ${(error as Error).message}`, 2)
  }
}
