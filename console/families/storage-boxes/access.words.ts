import { inLanguage } from '../../words/words.ts'

export const { access } = await inLanguage({
  en: () => import('./access.words.en.ts'),
  de: () => import('./access.words.de.ts'),
})
