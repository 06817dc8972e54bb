/** What actions do, in the words of the reader. */
import { actions } from '../words/actions.ts'
import { capital } from './api-names.ts'

const commands: Readonly<Record<string, string>> = actions.commands

/** What an action does: `Create server` for `create_server`. */
export function commandName(command: string): string {
  return commands[command] ?? capital(command.replaceAll('_', ' '))
}
