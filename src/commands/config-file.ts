/** Commands take options from the configuration file where neither the command line nor the environment has them. */
import { type Command, InvalidArgumentError, type Option } from 'commander'
import { configOption, secretOf, serveOptions } from '../config/config.ts'
import type { ConfigFile, FilePlace } from '../config/file.ts'
import { nameOf } from '../config/names.ts'
import { fileVariableOf } from '../config/secret-files.ts'
import type { FailedCommand } from './command-line.ts'
import { CommandFailure } from './failure.ts'

/** Options of commands whose own value is more than a default of the program. */
const given: readonly (string | undefined)[] = ['cli', 'env']

/** A command of an installation says where its data lives, where it listens, or what runs its machines. */
const isOfInstallation = ({ options }: Command) =>
  options.some(({ long }) => long === '--database' || long === '--listen' || long === '--infrastructure')

/** Gives each command of an installation the option for the file. */
export function addConfigOption(command: Command): void {
  if (isOfInstallation(command) && !command.options.some(({ long }) => long === '--config'))
    command.addOption(configOption())
  for (const child of command.commands) addConfigOption(child)
}

/** Reads a file. Errors: `CommandFailure` when it cannot be read at all. */
export async function openConfigFile(path: string): Promise<ConfigFile> {
  // Loaded only when there is a file, to keep the start fast.
  const { readConfigFile } = await import('../config/file.ts')
  const options = serveOptions().filter((option) => nameOf(option) !== 'config')
  try {
    return readConfigFile(path, options)
  } catch (error) {
    throw new CommandFailure(`--config ${path}: ${(error as Error).message}`, 2)
  }
}

/** What is at a place of a file, as compilers say it. */
export const told = (path: string, { line, column }: FilePlace, message: string): string =>
  `${path}:${line}:${column}: ${message}`

/**
 * Puts secrets of files that the environment names into the options of a command, as if the environment had them. Errors:
 * `InvalidArgumentError` that names the variable.
 */
function applySecrets(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName()
    const text = command.getOptionValueSource(name) === 'cli' ? undefined : secretOf(option)
    if (text !== undefined) command.setOptionValueWithSource(name, parsedSecret(option, text), 'env')
  }
}

function parsedSecret(option: Option, text: string): unknown {
  if (!option.parseArg) return text
  try {
    return option.parseArg(text, undefined as never)
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error
    throw new InvalidArgumentError(`${fileVariableOf(option)}: ${error.message}`)
  }
}

/** Puts what a file says into the options of a command that nobody has given. */
export function apply({ entries }: ConfigFile, command: Command): void {
  for (const option of command.options) {
    const texts = entries.get(nameOf(option))?.texts ?? []
    const name = option.attributeName()
    if (texts.length === 0 || given.includes(command.getOptionValueSource(name))) continue
    const parse = (before: unknown, text: string) => (option.parseArg ? option.parseArg(text, before as never) : text)
    const value = option.isBoolean() ? true : texts.reduce<unknown>(parse, undefined)
    command.setOptionValueWithSource(name, value, 'file')
  }
}

/** Says where the file has the option that a message begins with or, if it is not from there, one that it mentions. */
export function placed(message: string, file: ConfigFile, command: Command): string {
  if (!message.startsWith('--')) return message
  const names = [...message.matchAll(/--([a-z][a-z0-9-]+)/g)].map(([, name]) => name!)
  const isFromFile = (name: string) =>
    command.options.some(
      (option) => nameOf(option) === name && command.getOptionValueSource(option.attributeName()) === 'file',
    )
  const name = names.find(isFromFile)
  return name === undefined ? message : told(file.path, file.entries.get(name)!, message)
}

/**
 * Lets every command of an installation read the file that `--config` names. What is returned adds to a failure where in
 * the file its cause is.
 */
export function useConfigFile(program: Command): (failure: FailedCommand) => FailedCommand {
  addConfigOption(program)
  let used: { readonly file: ConfigFile; readonly command: Command } | undefined
  program.hook('preAction', async (_, command) => {
    applySecrets(command)
    const { config: path } = command.opts<{ readonly config?: string }>()
    if (path === undefined || path === '' || !isOfInstallation(command) || isChecking(command)) return
    const file = await openConfigFile(path)
    if (file.mistakes.length > 0) throw listOfMistakes(mistakesOf(file), 2)
    apply(file, command)
    used = { file, command }
  })
  return ({ message, exitCode }) => {
    if (message === undefined) return { exitCode }
    return { message: used ? placed(message, used.file, used.command) : message, exitCode }
  }
}

/** A command that checks a file tells all that is wrong with it by itself. */
const isChecking = (command: Command) => command.name() === 'check' && command.parent?.name() === 'config'

/** A line for each mistake. */
export const mistakesOf = ({ path, mistakes }: ConfigFile): string[] =>
  mistakes.map((mistake) => told(path, mistake, mistake.message))

/** The failure for a configuration with these mistakes. */
export const listOfMistakes = (lines: readonly string[], exitCode = 1): CommandFailure =>
  new CommandFailure(['the configuration has mistakes:', ...lines].join('\n'), exitCode)
