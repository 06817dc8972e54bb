/** What actions do, in the words of the reader. */
import { names, slices } from '../words/names.ts'
import type { Names } from '../words/slice.ts'
import { capital } from './api-names.ts'

const all: readonly Names[] = Object.values(slices)
const commands: Readonly<Record<string, string>> = Object.assign({}, names.commands, ...all.map((one) => one.commands))

/** What an action does: `Create server` for `create_server`. */
export function commandName(command: string): string {
  return commands[command] ?? capital(command.replaceAll('_', ' '))
}
