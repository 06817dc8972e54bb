import { inLanguage } from './words.ts'

export const { volumes } = await inLanguage({
  en: () => import('./en/volumes.ts'),
  de: () => import('./de/volumes.ts'),
})
