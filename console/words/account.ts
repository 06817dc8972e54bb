import { inLanguage } from './words.ts'

export const { account } = await inLanguage({
  en: () => import('./en/account.ts'),
  de: () => import('./de/account.ts'),
})
