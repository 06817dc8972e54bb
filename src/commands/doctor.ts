/** `wolke doctor` looks at everything that an installation needs, once, and says what to do. */
import { Command, type Option } from 'commander'
import { type Administered, administeredOption, serveOptions } from '../config/config.ts'
import type { Diagnosis } from '../doctor/diagnosis.ts'
import { type Verdict, verdicts } from '../kernel/process/seen.ts'
import { CommandFailure } from './failure.ts'
import { jsonOption, type ListOptions, oneLine, type Print, printList } from './output.ts'

/** Asks again and again, and shows each answer in the place of the one before. */
export const watchFlag = '--watch'

export type DoctorOptions = ListOptions & { readonly database: Administered }

type Examine = () => Promise<readonly Diagnosis[]>

/** Carries out work with the doctor of the server that has the data, or with one from outside. */
export type Consult = (options: DoctorOptions, work: (examine: Examine, print: Print) => Promise<void>) => Promise<void>

export function doctorCommand(consult: Consult): Command {
  const command = new Command('doctor')
    .description(
      'look once at all that an installation needs, and say what to do; 1 is the exit code if something fails',
    )
    .addOption(administeredOption())
    .addOption(jsonOption())
  // It looks from outside at what these options name, so it takes those of the server.
  for (const option of serveOptions().filter(isOther)) command.addOption(option.hideHelp())
  return command.action((options: DoctorOptions) =>
    consult(options, async (examine, print) => report(print, await examine(), options)),
  )
}

const isOther = ({ long }: Option) => long !== '--database'

const marks: Readonly<Record<Verdict, string>> = {
  ok: 'ok',
  warning: 'WARNING',
  failure: 'FAILS',
  unknown: 'unknown',
}

async function report(print: Print, found: readonly Diagnosis[], { json }: ListOptions): Promise<void> {
  if (json) await printList(print, found, { json }, () => [])
  else {
    for (const diagnosis of found) for (const line of linesOf(diagnosis)) print(line)
    print(summary(found))
  }
  const failures = found.filter(({ verdict }) => verdict === 'failure').length
  if (failures > 0) throw new CommandFailure(`${failures} of ${found.length} ${failures === 1 ? 'fails' : 'fail'}`)
}

function linesOf({ check, subject, verdict, seen, advice }: Diagnosis): string[] {
  const line = `${marks[verdict].padEnd(8)} ${check.padEnd(13)} ${oneLine(`${subject}: ${seen}`)}`
  return advice === null ? [line] : [line, `${' '.repeat(23)}-> ${oneLine(advice)}`]
}

function summary(found: readonly Diagnosis[]): string {
  const count = (verdict: Verdict) => found.filter((one) => one.verdict === verdict).length
  return verdicts.map((verdict) => `${count(verdict)} ${marks[verdict]}`).join(', ')
}
