/** `wolke secrets` rotates the key that encrypts the secrets, also while a server runs that has both keys. */
import { Command } from 'commander'
import { type Config, databaseOption, keyFileOption, previousKeyFileOption } from '../config/config.ts'
import { recordEvent } from '../kernel/audit/entries.ts'
import { rotateKek } from '../kernel/secrets/installation.ts'
import { withDatabase } from './database.ts'
import { openKeyring, readKeyFiles, unlockSecrets } from './keyring.ts'
import { commandLine } from './noted.ts'

type SecretsOptions = Pick<Config, 'database' | 'keyFile' | 'previousKeyFile'>

export function secretsCommand(): Command {
  const command = new Command('secrets').description('manage the key of the secrets')
  command
    .command('rotate')
    .description('encrypt everything with the current key, so that --previous-key-file is no longer needed')
    .addOption(databaseOption())
    .addOption(keyFileOption())
    .addOption(previousKeyFileOption().makeOptionMandatory())
    .action((options: SecretsOptions) => rotate(options))
  return command
}

async function rotate(options: SecretsOptions): Promise<void> {
  const keys = readKeyFiles(options)
  return withDatabase(options.database, async (db) => {
    const ring = await openKeyring(db, keys)
    await unlockSecrets(db, ring)
    const count = await rotateKek(db, ring)
    await db.transact((tx) =>
      recordEvent(tx, { actor: commandLine(), operation: 'wolke secrets rotate', family: 'secrets' }),
    )
    console.log(`Projects whose key was encrypted again: ${count}`)
  })
}
