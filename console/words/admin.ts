import { inLanguage } from './words.ts'

export const { admin } = await inLanguage({
  en: () => import('./en/admin.ts'),
  de: () => import('./de/admin.ts'),
})
