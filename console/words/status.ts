import { inLanguage } from './words.ts'

export const { status } = await inLanguage({
  en: () => import('./en/status.ts'),
  de: () => import('./de/status.ts'),
})
