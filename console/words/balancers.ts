import { inLanguage } from './words.ts'

export const { balancers } = await inLanguage({
  en: () => import('./en/balancers.ts'),
  de: () => import('./de/balancers.ts'),
})
