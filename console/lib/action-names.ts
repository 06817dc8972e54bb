/** What actions do, and why they fail, in the words of the reader. */
import { actions } from '../words/en/actions.ts'
import { certificates } from '../words/en/certificates.ts'
import { errors } from '../words/en/errors.ts'
import { wordsOf } from '../words/words.ts'
import { capital } from './api-names.ts'
import { translator } from './messages.ts'

type Table = Readonly<Record<string, string>>

const w: Readonly<Record<keyof typeof actions, Table>> = wordsOf('actions', actions)
const ofCertificates = wordsOf('certificates', certificates)
const causes: readonly Table[] = [ofCertificates.causes, w.failures, wordsOf('errors', errors).byCode]
const namedForm = translator(ofCertificates.named)

/** What an action does: `Create server` for `create_server`. */
export function commandName(command: string): string {
  return w.commands[command] ?? capital(command.replaceAll('_', ' '))
}

/** Why an action failed, in a sentence that names what is in the way, or by its code, or as the server says it. */
export function failureText({ code, message }: { readonly code: string; readonly message: string }): string {
  const words = causes.map((table) => table[code]).find((text) => text !== undefined)
  return namedForm(message) ?? words ?? (message && `${capital(message)}.`.replace(/\.\.$/, '.'))
}
