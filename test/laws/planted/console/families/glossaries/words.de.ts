/** Wörter der Seite von Glossaren. */
import type { glossaries as English } from './words.en.ts'

export const glossaries: typeof English = { title: 'Glossare' }
