import { inLanguage } from '../../words/words.ts'

export const { boxes } = await inLanguage({
  en: () => import('./words.en.ts'),
  de: () => import('./words.de.ts'),
})
