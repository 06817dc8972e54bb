/** Why an action failed, in a sentence. Apart from the names of the API, because it needs the words of all errors. */
import { certificates } from '../words/en/certificates.ts'
import { errors } from '../words/en/errors.ts'
import { names } from '../words/en/names.ts'
import { wordsOf } from '../words/words.ts'
import { capital } from './api-names.ts'

const tables: readonly Readonly<Record<string, string>>[] = [
  wordsOf('certificates', certificates).causes,
  wordsOf('names', names).failures,
  wordsOf('errors', errors).byCode,
]

/** By its code, or in the words of the server where the code is new. */
export function failureText({ code, message }: { readonly code: string; readonly message: string }): string {
  const words = tables.map((table) => table[code]).find((text) => text !== undefined)
  return words ?? (message && `${capital(message)}.`.replace(/\.\.$/, '.'))
}
