import { inLanguage } from './words.ts'

export const { serverDialogs } = await inLanguage({
  en: () => import('./en/server-dialogs.ts'),
  de: () => import('./de/server-dialogs.ts'),
})
