import { inLanguage } from '../../words/words.ts'

export const { snapshots } = await inLanguage({
  en: () => import('./snapshots.words.en.ts'),
  de: () => import('./snapshots.words.de.ts'),
})
