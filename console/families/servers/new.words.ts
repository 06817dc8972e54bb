import { inLanguage } from '../../words/words.ts'

export const { newServer } = await inLanguage({
  en: () => import('./new.words.en.ts'),
  de: () => import('./new.words.de.ts'),
})
