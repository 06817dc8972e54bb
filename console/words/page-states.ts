import { inLanguage } from './words.ts'

export const { pageStates } = await inLanguage({
  en: () => import('./en/page-states.ts'),
  de: () => import('./de/page-states.ts'),
})
