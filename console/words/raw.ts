import { inLanguage } from './words.ts'

export const { raw } = await inLanguage({
  en: () => import('./en/raw.ts'),
  de: () => import('./de/raw.ts'),
})
