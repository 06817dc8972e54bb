import { inLanguage } from './words.ts'

export const { firewallTargets } = await inLanguage({
  en: () => import('./en/firewall-targets.ts'),
  de: () => import('./de/firewall-targets.ts'),
})
