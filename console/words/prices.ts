import { inLanguage } from './words.ts'

export const { prices } = await inLanguage({
  en: () => import('./en/prices.ts'),
  de: () => import('./de/prices.ts'),
})
