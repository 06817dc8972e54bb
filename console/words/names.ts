import { inLanguage } from './words.ts'

export const { names } = await inLanguage({
  en: () => import('./en/names.ts'),
  de: () => import('./de/names.ts'),
})
