import { inLanguage } from '../../words/words.ts'

export const { files } = await inLanguage({
  en: () => import('./files.words.en.ts'),
  de: () => import('./files.words.de.ts'),
})
