/** `wolke config` checks a configuration file without starting a server, and shows the options in effect. */
import { Command } from 'commander'
import { type Config, checkedConfig, serveOptions, toConfig } from '../config/config.ts'
import { apply, listOfMistakes, mistakesOf, openConfigFile, placed } from './config-file.ts'
import { effectiveOptions, keepTexts } from './effective-options.ts'
import { problemsOfFiles } from './options.ts'

export function configCommand(): Command {
  const command = new Command('config').description('check the configuration file, and show the options in effect')
  const check = command
    .command('check')
    .description('say all that a start would refuse of the options and of the files that they name')
    .argument('[file]', 'the configuration file, instead of --config')
    .action((file: string | undefined, given: Config, self: Command) => checkFile(file ?? given.config, self))
  const show = command.command('show').description('print the options of wolke serve that are not defaults, as YAML')
  const options = serveOptions()
  const texts = keepTexts(options)
  for (const option of serveOptions()) check.addOption(option)
  for (const option of options) show.addOption(option)
  show.action((given: Config) => {
    const { oidcClientSecret } = toConfig(given)
    return print(effectiveOptions(show, texts, oidcClientSecret !== undefined))
  })
  return command
}

/** Errors: `CommandFailure` with a line for each problem. */
async function checkFile(path: string | undefined, command: Command): Promise<void> {
  const file = path === undefined || path === '' ? undefined : await openConfigFile(path)
  if (file && file.mistakes.length > 0) throw listOfMistakes(mistakesOf(file))
  if (file) apply(file, command)
  const { config, problems } = checkedConfig(command.opts<Config>())
  const all = [...problems, ...(await problemsOfFiles(config))]
  if (all.length > 0) throw listOfMistakes(all.map((problem) => (file ? placed(problem, file, command) : problem)))
  console.log(`${file ? file.path : 'The options'}: no mistakes`)
}

async function print(options: ReturnType<typeof effectiveOptions>): Promise<void> {
  // Loaded only here, to keep the other commands fast.
  const { stringify } = await import('yaml')
  const set = options.filter(({ source }) => source !== 'default')
  for (const { flag, environment, value, source, secret } of set) {
    const name = flag === '' ? environment! : flag.slice(2)
    if (name === 'config') continue
    const shown = secret || value === null ? `# ${name}: not shown` : stringify({ [name]: shownAs(value) }).trimEnd()
    console.log(`${shown}  # ${source}`)
  }
}

/** A switch is on in words of the console, and `true` in a file. */
const shownAs = (value: string) => (value === 'on' ? true : value)
