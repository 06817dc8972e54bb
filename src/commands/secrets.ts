/** `wolke secrets` replaces the keys that encrypt the secrets, also while servers run. */
import { Command } from 'commander'
import { type Config, databaseOption, keyFileOption, previousKeyFileOption } from '../config/config.ts'
import { recordEvent } from '../kernel/audit/entries.ts'
import type { Database } from '../kernel/data/db.ts'
import { type DatabaseUrl, fileOf } from '../kernel/data/dialect.ts'
import { connectedProcesses } from '../kernel/data/standing.ts'
import { isLocked } from '../kernel/process/process-lock.ts'
import { countOutdated, keyStateOf, renewKeys } from '../kernel/secrets/data-keys.ts'
import { holdersOf } from '../kernel/secrets/holders.ts'
import { keksOf, rotateKek } from '../kernel/secrets/installation.ts'
import { withDatabase } from './database.ts'
import { CommandFailure } from './failure.ts'
import { openKeyring, readKeyFiles, unlockSecrets } from './keyring.ts'
import { commandLine } from './noted.ts'

type SecretsOptions = Pick<Config, 'database' | 'keyFile' | 'previousKeyFile'>

export function secretsCommand(): Command {
  const command = new Command('secrets').description('manage the keys of the secrets')
  command
    .command('rotate')
    .description('encrypt everything with the current key, so that --previous-key-file is no longer needed')
    .addOption(databaseOption())
    .addOption(keyFileOption())
    .addOption(previousKeyFileOption())
    .action((options: SecretsOptions) => rotate(options))
  command
    .command('renew')
    .description('give each Project a new key, encrypt its secrets again with it, and delete the key before')
    .addOption(databaseOption())
    .addOption(keyFileOption())
    .addOption(previousKeyFileOption())
    .action((options: SecretsOptions) => renew(options))
  command
    .command('show')
    .description('show which keys are in use, since when, and what still needs others')
    .addOption(databaseOption())
    .action((options: Pick<SecretsOptions, 'database'>) => show(options))
  return command
}

/** Errors: `CommandFailure` without a previous key, which the configuration file may name too. */
async function rotate(options: SecretsOptions): Promise<void> {
  if (options.previousKeyFile === undefined)
    throw new CommandFailure("required option '--previous-key-file <file>' not specified", 2)
  const keys = readKeyFiles(options)
  return withDatabase(options.database, async (db) => {
    const ring = await openKeyring(db, keys)
    await unlockSecrets(db, ring)
    await refuseStrangers(db, options.database, ring.current.id)
    const count = await rotateKek(db, ring)
    await db.transact((tx) =>
      recordEvent(tx, { actor: commandLine(), operation: 'wolke secrets rotate', family: 'secrets' }),
    )
    console.log(`Projects whose key was encrypted again: ${count}`)
  })
}

/** Errors: `CommandFailure` for servers that do not have a key, which could not decrypt what others encrypt with it. */
async function refuseStrangers(db: Database, database: DatabaseUrl, kekId: string): Promise<void> {
  const known = await holdersOf(db.query)
  const file = fileOf(database)
  const all =
    file === undefined ? (await connectedProcesses(db)).map(({ name }) => name) : known.map(({ process }) => process)
  const running = file === undefined || isLocked(file) ? all : []
  const strangers = running.filter(
    (name) => !known.some(({ process, keks }) => process === name && keks.includes(kekId)),
  )
  if (strangers.length === 0) return
  throw new CommandFailure(
    `the key ${kekId} is not known to ${strangers.join(', ')}: start each server again with --key-file for the new key and --previous-key-file for the present one, and repeat this`,
  )
}

async function renew(options: SecretsOptions): Promise<void> {
  const keys = readKeyFiles(options)
  return withDatabase(options.database, async (db) => {
    const secrets = await unlockSecrets(db, await openKeyring(db, keys))
    const { keys: count, secrets: sealed, damaged } = await renewKeys(db, secrets, await sealedColumns())
    await db.transact((tx) =>
      recordEvent(tx, { actor: commandLine(), operation: 'wolke secrets renew', family: 'secrets' }),
    )
    console.log(`Projects with a new key: ${count}; secrets that were encrypted again: ${sealed}`)
    if (damaged.length === 0) return
    const places = damaged.map(({ table, column, id }) => `${table}.${column} of ${id}`)
    throw new CommandFailure(`these secrets cannot be opened, and keep their keys: ${places.join(', ')}`)
  })
}

async function show({ database }: Pick<SecretsOptions, 'database'>): Promise<void> {
  return withDatabase(database, async (db) => {
    const { current, others } = await keksOf(db.query)
    const { inUse, oldest, retired } = await keyStateOf(db.query)
    const outdated = await countOutdated(db.query, await sealedColumns())
    console.log(`key in use: ${current ?? 'none yet'}`)
    if (others.length > 0) console.log(`still needed until wolke secrets rotate has ended: ${others.join(', ')}`)
    console.log(
      `keys of Projects: ${inUse}${inUse > 0 ? `, the oldest from ${oldest ?? 'before their age was noted'}` : ''}`,
    )
    console.log(`replaced keys: ${retired}, with ${outdated} secrets`)
    if (retired > 0) console.log('wolke secrets renew ends the renewal')
  })
}

async function sealedColumns() {
  const { families } = await import('../families.ts')
  return families.flatMap(({ sealed }) => sealed)
}
