/** Why actions fail, in the words of the reader: those of all families, so pages ask for this when something failed. */
import { failures } from '../generated/failures.ts'
import { errors } from '../words/errors.ts'
import { names } from '../words/names.ts'
import { capital } from './api-names.ts'
import { type Failures, translator } from './messages.ts'

type Table = Readonly<Record<string, string>>

const ofFamilies: readonly Failures[] = Object.values(failures)
const causes: readonly Table[] = [...ofFamilies.map((one) => one.causes), names.failures, errors.byCode]
const namedForm = translator(Object.assign({}, ...ofFamilies.map(({ named }) => named)))

/** In a sentence that names what is in the way, or by its code, or as the server says it. */
export function failureText({ code, message }: { readonly code: string; readonly message: string }): string {
  const words = causes.map((table) => table[code]).find((text) => text !== undefined)
  return namedForm(message) ?? words ?? (message && `${capital(message)}.`.replace(/\.\.$/, '.'))
}
