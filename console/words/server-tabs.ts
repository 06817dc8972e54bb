import { inLanguage } from './words.ts'

export const { serverTabs } = await inLanguage({
  en: () => import('./en/server-tabs.ts'),
  de: () => import('./de/server-tabs.ts'),
})
