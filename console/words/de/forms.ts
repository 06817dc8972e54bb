/** Was Formulare über Fehlendes und Falsches sagen. */
import type { Words } from '../words.ts'

export const forms: Words['forms'] = {
  missing: 'Erst das Fehlende ausfüllen',
  typeFirst: (word) => `Zuerst ${word} eingeben`,
  storeFirst: 'Zuerst aufbewahren und das sagen',
  noAddress: 'Das ist keine Mailadresse. Eine sieht aus wie ops@example.com.',
}
