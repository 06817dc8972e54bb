import { inLanguage } from '../../words/words.ts'

export const { glossaries } = await inLanguage({
  en: () => import('./words.en.ts'),
  de: () => import('./words.de.ts'),
})
