import { inLanguage } from './words.ts'

export const { commands } = await inLanguage({
  en: () => import('./en/commands.ts'),
  de: () => import('./de/commands.ts'),
})
