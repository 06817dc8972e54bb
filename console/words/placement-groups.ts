import { inLanguage } from './words.ts'

export const { placementGroups } = await inLanguage({
  en: () => import('./en/placement-groups.ts'),
  de: () => import('./de/placement-groups.ts'),
})
