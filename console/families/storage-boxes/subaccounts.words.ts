import { inLanguage } from '../../words/words.ts'

export const { subaccounts } = await inLanguage({
  en: () => import('./subaccounts.words.en.ts'),
  de: () => import('./subaccounts.words.de.ts'),
})
