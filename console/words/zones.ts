import { inLanguage } from './words.ts'

export const { zones } = await inLanguage({
  en: () => import('./en/zones.ts'),
  de: () => import('./de/zones.ts'),
})
