/** The menu of the one who is signed in. */
import { perform, shortcuts } from '../shortcuts.ts'
import type { MenuEntry } from '../ui/menu.tsx'
import { shell } from '../words/en/shell.ts'
import { wordsOf } from '../words/words.ts'
import { languageEntries, themeEntries } from './settings.ts'

const w = wordsOf('shell', shell)

/** `go` leads to a page of the console. Only people have an account; tokens that opened a session have none. */
export function accountEntries(isPerson: boolean, go: (to: string) => void): MenuEntry[] {
  return [
    ...(isPerson
      ? [{ key: 'profile', label: w.profile, icon: 'person' as const, onSelect: () => go('/account/profile') }]
      : []),
    { key: 'keys', label: w.shortcuts, icon: 'terminal', keys: shortcuts.help.keys, onSelect: () => perform('help') },
    'line',
    ...(window.matchMedia('(max-width: 56.24em)').matches ? [...themeEntries(), 'line' as const] : []),
    ...languageEntries(),
    'line',
    { key: 'out', label: w.signOut, icon: 'logout', onSelect: signOut },
  ]
}

/** The page of signing out is a plain form, as is that of signing in. */
function signOut(): void {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = '/console/logout'
  document.body.append(form)
  form.submit()
}
