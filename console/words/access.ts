import { inLanguage } from './words.ts'

export const { access } = await inLanguage({
  en: () => import('./en/access.ts'),
  de: () => import('./de/access.ts'),
})
