/** What actions do, and why they fail, in the words of the reader. */
import { actions } from '../words/en/actions.ts'
import { certificates } from '../words/en/certificates.ts'
import { errors } from '../words/en/errors.ts'
import { wordsOf } from '../words/words.ts'
import { capital } from './api-names.ts'

type Table = Readonly<Record<string, string>>

const w: Readonly<Record<keyof typeof actions, Table>> = wordsOf('actions', actions)
const causes: readonly Table[] = [
  wordsOf('certificates', certificates).causes,
  w.failures,
  wordsOf('errors', errors).byCode,
]

/** What an action does: `Create server` for `create_server`. */
export function commandName(command: string): string {
  return w.commands[command] ?? capital(command.replaceAll('_', ' '))
}

/** Why an action failed, in a sentence: by its code, or in the words of the server where the code is new. */
export function failureText({ code, message }: { readonly code: string; readonly message: string }): string {
  const words = causes.map((table) => table[code]).find((text) => text !== undefined)
  return words ?? (message && `${capital(message)}.`.replace(/\.\.$/, '.'))
}
