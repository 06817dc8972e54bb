/** The command line as a tree of plain values, from which the manual page and the completions of shells are written. */
import type { Argument, Command, Option } from 'commander'
import { withoutPassword } from '../../config/names.ts'

/** The kind of value that can stand in a place of a command line: some words, a path, or anything. */
export type ValueKind = { readonly words: readonly string[] } | 'path' | 'anything'

export interface DescribedOption {
  /** The name on a command line: `--listen`. */
  readonly flag: string
  /** A letter for it, such as `-V`. */
  readonly short: string | undefined
  readonly description: string
  /** The value that it takes, such as `host:port`; undefined for a switch. */
  readonly takes: string | undefined
  readonly kind: ValueKind
  readonly defaults: string | undefined
  readonly environment: string | undefined
}

export interface DescribedArgument {
  /** The form in the help: `<file>`, `[file]` or `<command...>`. */
  readonly shown: string
  readonly description: string
  readonly kind: ValueKind
}

export interface DescribedCommand {
  /** All words that lead to it, the first of which is the program. */
  readonly words: readonly string[]
  readonly description: string
  readonly options: readonly DescribedOption[]
  readonly arguments: readonly DescribedArgument[]
  readonly commands: readonly DescribedCommand[]
}

/** Describes a command with all that are below it. */
export function describe(command: Command, before: readonly string[] = []): DescribedCommand {
  const words = [...before, command.name()]
  return {
    words,
    description: command.description(),
    options: [...command.createHelp().visibleOptions(command)].map(describeOption),
    arguments: command.registeredArguments.map(describeArgument),
    commands: command.commands.map((child) => describe(child, words)),
  }
}

/** A command with all that are below it, in the order of the help. */
export const withAll = (command: DescribedCommand): readonly DescribedCommand[] => [
  command,
  ...command.commands.flatMap(withAll),
]

function describeOption(option: Option): DescribedOption {
  const { flags, long, short, description, argChoices, defaultValue, defaultValueDescription, envVar } = option
  const takes = /[<[](.+)[>\]]/.exec(flags)?.[1]
  const hasDefault = defaultValue !== undefined && defaultValue !== false && !option.isBoolean()
  return {
    flag: long!,
    short,
    description,
    takes,
    kind: argChoices ? { words: argChoices } : kindOf(takes ?? ''),
    defaults: hasDefault ? withoutPassword(defaultValueDescription ?? String(defaultValue)) : undefined,
    environment: envVar,
  }
}

function describeArgument(argument: Argument): DescribedArgument {
  const { required, variadic, description, argChoices } = argument
  const shown = variadic ? `${argument.name()}...` : argument.name()
  return {
    shown: required ? `<${shown}>` : `[${shown}]`,
    description,
    kind: argChoices ? { words: argChoices } : kindOf(argument.name()),
  }
}

/** The kind of what the help calls so. */
function kindOf(name: string): ValueKind {
  if (/^(file|path|directory|folder)$/.test(name)) return 'path'
  const words = name.split('|')
  return words.length > 1 && words.every((word) => /^[a-z-]+$/.test(word)) ? { words } : 'anything'
}
