import { inLanguage } from './words.ts'

export const { images } = await inLanguage({
  en: () => import('./en/images.ts'),
  de: () => import('./de/images.ts'),
})
