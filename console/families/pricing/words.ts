import { inLanguage } from '../../words/words.ts'

export const { pricing } = await inLanguage({
  en: () => import('./words.en.ts'),
  de: () => import('./words.de.ts'),
})
