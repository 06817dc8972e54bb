import { inLanguage } from './words.ts'

export const { resources } = await inLanguage({
  en: () => import('./en/resources.ts'),
  de: () => import('./de/resources.ts'),
})
