import { inLanguage } from './words.ts'

export const { firewalls } = await inLanguage({
  en: () => import('./en/firewalls.ts'),
  de: () => import('./de/firewalls.ts'),
})
