import { inLanguage } from './words.ts'

export const { errors } = await inLanguage({
  en: () => import('./en/errors.ts'),
  de: () => import('./de/errors.ts'),
})
