import { inLanguage } from '../../words/words.ts'

export const { server } = await inLanguage({
  en: () => import('./detail.words.en.ts'),
  de: () => import('./detail.words.de.ts'),
})
