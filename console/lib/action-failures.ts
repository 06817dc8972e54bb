/** The causes of failed actions in the language of the reader, for all families. Pages load it only after a failure. */
import { failures } from '../generated/failures.ts'
import { errors } from '../words/errors.ts'
import { names } from '../words/names.ts'
import { capital } from './api-names.ts'
import { type Failures, translator } from './messages.ts'

type Table = Readonly<Record<string, string>>

const ofFamilies: readonly Failures[] = Object.values(failures)
const causes: readonly Table[] = [...ofFamilies.map((one) => one.causes), names.failures, errors.byCode]
const namedForm = translator(Object.assign({}, ...ofFamilies.map(({ named }) => named)))

/** Returns a sentence that names what is in the way, else the words for the code, else the message of the server. */
export function failureText({ code, message }: { readonly code: string; readonly message: string }): string {
  const words = causes.map((table) => table[code]).find((text) => text !== undefined)
  return namedForm(message) ?? words ?? (message && `${capital(message)}.`.replace(/\.\.$/, '.'))
}
