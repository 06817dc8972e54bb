/** `wolke manual` and `wolke completion` print what the command line says of itself, in the forms of man and of shells. */
import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { version } from '../version.ts'
import { bashCompletion } from './manual/bash.ts'
import { type DescribedCommand, describe } from './manual/description.ts'
import { fishCompletion } from './manual/fish.ts'
import { manualPage, type Prose } from './manual/page.ts'
import { zshCompletion } from './manual/zsh.ts'

const shells: Readonly<Record<string, (program: DescribedCommand) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}

export function completionCommand(): Command {
  return new Command('completion')
    .description('print the completion of a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shells)))
    .action((shell: string, _: unknown, self: Command) => print(shells[shell]!(programOf(self))))
}

export function manualCommand(): Command {
  return new Command('manual')
    .description('print the manual page, for man')
    .addOption(new Option('--date <day>', 'the day that it shows (default: today)').argParser(day))
    .action(({ date = new Date().toISOString().slice(0, 10) }: { readonly date?: string }, self: Command) =>
      print(manualPage(programOf(self), { version, date, sections })),
    )
}

function day(text: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(Date.parse(text)))
    throw new InvalidArgumentError('Expected a day such as 2026-11-21.')
  return text
}

const programOf = (command: Command) => describe(command.parent!)

const print = (text: string) => void process.stdout.write(text)

const sections: Prose['sections'] = [
  [
    'CONFIGURATION FILE',
    [
      'Every command that works on an installation reads the file that --config or WOLKE_CONFIG names. It is YAML, and has ' +
        'the options of wolke serve by their names without dashes. The command line comes first, then the environment, ' +
        'then the file. Options that take several values may have a list, and those that take pairs a table. Secrets ' +
        'and URLs with passwords belong into the environment.',
      'wolke config check says all that is wrong with a file, with lines and columns.',
    ],
  ],
  [
    'EXIT STATUS',
    [
      ['0', 'the command did what it was asked for'],
      ['1', 'it failed'],
      ['2', 'the command line or the configuration file is wrong'],
    ],
  ],
  [
    'FILES',
    [
      ['/etc/wolke/wolke.yaml', 'the configuration of the Debian package'],
      ['/etc/default/wolke', 'the environment of its service, which only root can read'],
      ['/var/lib/wolke', 'its data'],
    ],
  ],
  ['SEE ALSO', ['systemctl(1), journalctl(1), and the pages below /docs of a running server.']],
]
