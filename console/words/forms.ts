import { inLanguage } from './words.ts'

export const { forms } = await inLanguage({
  en: () => import('./en/forms.ts'),
  de: () => import('./de/forms.ts'),
})
