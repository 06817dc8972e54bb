import { inLanguage } from './words.ts'

export const { sshKeys } = await inLanguage({
  en: () => import('./en/ssh-keys.ts'),
  de: () => import('./de/ssh-keys.ts'),
})
