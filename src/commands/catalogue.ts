/** `wolke catalogue` shows what the installation offers, in the form of the file that `--catalogue` names. */
import { Command } from 'commander'
import { type Config, serveOptions } from '../config/config.ts'
import { readCatalogueData } from './options.ts'

export function catalogueCommand(): Command {
  const command = new Command('catalogue').description('what this installation offers, and what it costs')
  const print = command
    .command('print')
    .description('print the catalogue in force, whole, as a file that --catalogue reads')
    .action(async ({ catalogue }: Pick<Config, 'catalogue'>) => {
      console.log(JSON.stringify(await readCatalogueData(catalogue), undefined, 2))
    })
  for (const option of serveOptions()) if (option.long === '--catalogue') print.addOption(option)
  return command
}
