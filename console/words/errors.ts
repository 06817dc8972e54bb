/** Words for failures, by codes: those of families are in their slices. */
import type { FailureCode } from '../api/failure.ts'
import { inLanguage } from './words.ts'

const words = await inLanguage({
  en: () => import('./en/errors.ts'),
  de: () => import('./de/errors.ts'),
})
const byCode: Readonly<Record<FailureCode, string>> = Object.assign(
  {},
  ...Object.values(words.slices),
  words.errors.byCode,
)

export const errors = { ...words.errors, byCode }
