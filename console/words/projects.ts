import { inLanguage } from './words.ts'

export const { projects } = await inLanguage({
  en: () => import('./en/projects.ts'),
  de: () => import('./de/projects.ts'),
})
