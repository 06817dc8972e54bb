import { inLanguage } from './words.ts'

export const { reach } = await inLanguage({
  en: () => import('./en/reach.ts'),
  de: () => import('./de/reach.ts'),
})
