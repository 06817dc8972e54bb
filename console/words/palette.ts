import { inLanguage } from './words.ts'

export const { palette } = await inLanguage({
  en: () => import('./en/palette.ts'),
  de: () => import('./de/palette.ts'),
})
