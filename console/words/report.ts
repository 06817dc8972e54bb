import { inLanguage } from './words.ts'

export const { report } = await inLanguage({
  en: () => import('./en/report.ts'),
  de: () => import('./de/report.ts'),
})
