import { inLanguage } from '../../words/words.ts'

export const { firewallTargets } = await inLanguage({
  en: () => import('./targets.words.en.ts'),
  de: () => import('./targets.words.de.ts'),
})
