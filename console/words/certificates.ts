import { inLanguage } from './words.ts'

export const { certificates } = await inLanguage({
  en: () => import('./en/certificates.ts'),
  de: () => import('./de/certificates.ts'),
})
