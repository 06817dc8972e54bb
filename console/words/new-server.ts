import { inLanguage } from './words.ts'

export const { newServer } = await inLanguage({
  en: () => import('./en/new-server.ts'),
  de: () => import('./de/new-server.ts'),
})
