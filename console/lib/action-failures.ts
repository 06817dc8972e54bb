/** Why actions fail, in the words of the reader: those of all families, so pages ask for this when something failed. */

import { certificates as ofCertificates } from '../families/certificates/words.ts'
import { errors } from '../words/errors.ts'
import { names } from '../words/names.ts'
import { capital } from './api-names.ts'
import { translator } from './messages.ts'

type Table = Readonly<Record<string, string>>

const causes: readonly Table[] = [ofCertificates.causes, names.failures, errors.byCode]
const namedForm = translator(ofCertificates.named)

/** In a sentence that names what is in the way, or by its code, or as the server says it. */
export function failureText({ code, message }: { readonly code: string; readonly message: string }): string {
  const words = causes.map((table) => table[code]).find((text) => text !== undefined)
  return namedForm(message) ?? words ?? (message && `${capital(message)}.`.replace(/\.\.$/, '.'))
}
