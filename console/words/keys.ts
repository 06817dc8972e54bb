import { inLanguage } from './words.ts'

export const { keys } = await inLanguage({
  en: () => import('./en/keys.ts'),
  de: () => import('./de/keys.ts'),
})
