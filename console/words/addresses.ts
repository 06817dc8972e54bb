import { inLanguage } from './words.ts'

export const { addresses } = await inLanguage({
  en: () => import('./en/addresses.ts'),
  de: () => import('./de/addresses.ts'),
})
