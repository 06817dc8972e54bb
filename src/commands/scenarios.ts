/** The scenarios with which a server begins. */
import { readFileSync } from 'node:fs'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Config } from '../config/config.ts'
import { isMovable } from '../config/lab.ts'
import type { ClockMode } from '../lab/clock.ts'
import type { ScenarioFile } from '../lab/faults/contract.ts'
import type { KeptRules } from '../lab/faults/rules.ts'
import { CommandFailure } from './failure.ts'

/** All scenarios of the options as one. */
export interface BeginningScenario {
  /** Milliseconds since the epoch. */
  readonly notBeforeMs?: number
  readonly mode?: ClockMode
  /** The faults, for a clock that shows `nowMs`. */
  begin(nowMs: number): KeptRules
}

/** Errors: `CommandFailure` with file, line and field. */
export async function readScenarios(
  { scenario: names, randomSeed: seed, database }: Pick<Config, 'scenario' | 'randomSeed' | 'database'>,
  catalogue: Catalogue,
): Promise<BeginningScenario | undefined> {
  if (names.length === 0) return undefined
  // Loaded only for those who name one, to keep the start fast.
  const { readScenario, shipped } = await import('../lab/faults/scenarios.ts')
  const { offeredBy } = await import('../lab/faults/open.ts')
  const { activated, problemsOfAll } = await import('../lab/faults/rules.ts')
  const offered = offeredBy(catalogue)
  const scenarios = names.map(
    (name) => shipped().get(name) ?? readFile(name, [...shipped().keys()], (text) => readScenario(text, name, offered)),
  )
  const faults = scenarios.flatMap(({ faults = [] }) => faults)
  const [problem] = problemsOfAll(faults, offered)
  if (problem) throw new CommandFailure(`--scenario: all together: ${problem.field}: ${problem.message}`, 2)
  const modes = scenarios.flatMap(({ clock }) => clock?.mode ?? [])
  if (modes.length > 0 && !isMovable(database))
    throw new CommandFailure('--scenario: its clock needs SQLite or memory: on PostgreSQL time cannot be moved', 2)
  const times = scenarios.flatMap(({ clock }) => (clock?.not_before === undefined ? [] : Date.parse(clock.not_before)))
  return {
    ...(times.length > 0 ? { notBeforeMs: Math.max(...times) } : {}),
    ...(modes.length > 0 ? { mode: modes.at(-1)! } : {}),
    begin: (nowMs) => activated(faults, { nowMs, seed }),
  }
}

function readFile(name: string, known: readonly string[], read: (text: string) => ScenarioFile): ScenarioFile {
  let text: string
  try {
    text = readFileSync(name, 'utf8')
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : (error as Error).message
    throw new CommandFailure(`--scenario ${name}: ${reason}, and none that ships: ${known.join(', ')} do`, 2)
  }
  try {
    return read(text)
  } catch (error) {
    throw new CommandFailure(`--scenario: ${(error as Error).message}`, 2)
  }
}
