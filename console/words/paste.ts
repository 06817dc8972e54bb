import { inLanguage } from './words.ts'

export const { paste } = await inLanguage({
  en: () => import('./en/paste.ts'),
  de: () => import('./de/paste.ts'),
})
