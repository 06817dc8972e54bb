import { inLanguage } from './words.ts'

export const { networks } = await inLanguage({
  en: () => import('./en/networks.ts'),
  de: () => import('./de/networks.ts'),
})
