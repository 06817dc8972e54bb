import { inLanguage } from './words.ts'

export const { actions } = await inLanguage({
  en: () => import('./en/actions.ts'),
  de: () => import('./de/actions.ts'),
})
