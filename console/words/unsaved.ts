import { inLanguage } from './words.ts'

export const { unsaved } = await inLanguage({
  en: () => import('./en/unsaved.ts'),
  de: () => import('./de/unsaved.ts'),
})
