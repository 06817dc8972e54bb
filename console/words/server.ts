import { inLanguage } from './words.ts'

export const { server } = await inLanguage({
  en: () => import('./en/server.ts'),
  de: () => import('./de/server.ts'),
})
