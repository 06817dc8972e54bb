import { inLanguage } from './words.ts'

export const { overview } = await inLanguage({
  en: () => import('./en/overview.ts'),
  de: () => import('./de/overview.ts'),
})
