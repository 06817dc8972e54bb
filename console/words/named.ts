import { inLanguage } from './words.ts'

export const { named } = await inLanguage({
  en: () => import('./en/named.ts'),
  de: () => import('./de/named.ts'),
})
