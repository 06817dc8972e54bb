/** Was Formulare über Fehlendes und Falsches sagen. */
import type { forms as English } from '../en/forms.ts'

export const forms: typeof English = {
  missing: 'Erst das Fehlende ausfüllen',
  typeFirst: (word) => `Zuerst ${word} eingeben`,
  storeFirst: 'Zuerst aufbewahren und das sagen',
  noAddress: 'Das ist keine Mailadresse. Eine sieht aus wie ops@example.com.',
}
