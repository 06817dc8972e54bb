/** The names of actions in the language of the reader. */
import { names, slices } from '../words/names.ts'
import type { Names } from '../words/slice.ts'
import { capital } from './api-names.ts'

const all: readonly Names[] = Object.values(slices)
const commands: Readonly<Record<string, string>> = Object.assign({}, names.commands, ...all.map((one) => one.commands))

/** Returns the name of an action: `Create server` for `create_server`. */
export function commandName(command: string): string {
  return commands[command] ?? capital(command.replaceAll('_', ' '))
}
