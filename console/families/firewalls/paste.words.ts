import { inLanguage } from '../../words/words.ts'

export const { paste } = await inLanguage({
  en: () => import('./paste.words.en.ts'),
  de: () => import('./paste.words.de.ts'),
})
