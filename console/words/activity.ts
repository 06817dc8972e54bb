import { inLanguage } from './words.ts'

export const { activity } = await inLanguage({
  en: () => import('./en/activity.ts'),
  de: () => import('./de/activity.ts'),
})
