import { inLanguage } from '../../words/words.ts'

export const { serverDialogs } = await inLanguage({
  en: () => import('./dialogs.words.en.ts'),
  de: () => import('./dialogs.words.de.ts'),
})
